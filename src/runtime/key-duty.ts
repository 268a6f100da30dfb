/**
 * The duty of a controller of keys: what its definition makes of a term, and each key as it comes.
 *
 * @module
 */
import { keyContextOf } from "./context.ts";
import type { KeyControllerDefinition, Result } from "./definition.ts";
import type { Duty, Office, Runs } from "./duty.ts";

/** See the head of this file. */
export class KeyDuty implements Duty {
  readonly #definition: KeyControllerDefinition;
  readonly #office: Office;
  readonly #memory: Disposable;

  constructor({ definition, informer: own }: Runs<KeyControllerDefinition>, office: Office) {
    const { kinds, informers, clock } = office.around;
    this.#definition = definition;
    this.#office = office;
    this.#memory = definition.begin({ kinds, informer: (spec) => informers.hold(spec), own, clock }, office.add);
  }

  async handle(key: string, attempt: number, signal: AbortSignal): Promise<Result> {
    const parts = this.#office.parts(key, attempt, signal);
    return await this.#definition.reconcile(keyContextOf(key, this.#memory, parts));
  }

  resync(): undefined {}

  rest(): void {
    this.#memory[Symbol.dispose]();
  }

  async end(): Promise<void> {}
}
