import { keyContextOf, type ReconcileLimit } from "./context.ts";
import type { KeyControllerDefinition, Result } from "./definition.ts";
import type { Reconciler, ReconcilerParts, RunningController } from "./reconciler.ts";

/** Reconciles the keys of a controller of keys. */
export class KeyReconciler implements Reconciler {
  readonly #definition: KeyControllerDefinition;
  readonly #parts: ReconcilerParts;
  readonly #memory: Disposable;

  constructor({ definition, informer: own }: RunningController<KeyControllerDefinition>, parts: ReconcilerParts) {
    const { kinds, informers, clock } = parts.shared;
    this.#definition = definition;
    this.#parts = parts;
    this.#memory = definition.begin({ kinds, informer: (spec) => informers.hold(spec), own, clock }, parts.add);
  }

  async handle(key: string, attempt: number, limit: ReconcileLimit): Promise<Result> {
    const parts = this.#parts.contextParts(key, attempt, limit);
    return await this.#definition.reconcile(keyContextOf(key, this.#memory, parts));
  }

  resync(): undefined {}

  stopAdding(): void {
    this.#memory[Symbol.dispose]();
  }

  async end(): Promise<void> {}
}
