import { type ApiObject, type Key, type Scope, keyOf, keyText, parseKey } from "../client/index.ts";
import { backoff } from "../util/backoff.ts";
import { sleep } from "../util/clock.ts";
import { millisOf } from "../util/duration.ts";
import { contextOf, type ReconcileLimit } from "./context.ts";
import type { Context, ControllerDefinition, Result } from "./definition.ts";
import type { Reconciler, Followed, ReconcilerParts, RunningController } from "./reconciler.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizer.ts";
import { specOf } from "./informer.ts";
import { type ObjectEvent, type Predicate, deletionBegan } from "./object-event.ts";
import { isOf, ownerKey } from "./owners.ts";
import type { SourceParts, Source } from "./sources.ts";

type Keys = (object: ApiObject) => Iterable<Key | undefined>;

const POLL_BACKOFF = { first: 1000, most: 60_000 };

/**
 * Reconciles the objects of a controller: keys come from informer events and other sources; each object is read from
 * memory and gets its finalizer before the reconcile.
 */
export class ObjectReconciler implements Reconciler {
  readonly #run: RunningController<ControllerDefinition>;
  readonly #parts: ReconcilerParts;
  readonly #subscriptions = new DisposableStack();
  readonly #polls: Promise<void>[] = [];
  /** Reconciled keys; an absent one of them was deleted. */
  readonly #seen = new Set<string>();

  constructor(run: RunningController<ControllerDefinition>, parts: ReconcilerParts) {
    this.#run = run;
    this.#parts = parts;
    this.#observeAll();
  }

  stopAdding(): void {
    this.#subscriptions.dispose();
  }

  async end(): Promise<void> {
    await Promise.all(this.#polls);
  }

  resync(key: string): number | undefined {
    const { resync } = this.#run.definition;
    if (resync === undefined || !this.#seen.has(key)) return undefined;
    return millisOf(resync) * (0.95 + this.#parts.shared.random.next() / 10);
  }

  async handle(text: string, attempt: number, limit: ReconcileLimit): Promise<Result> {
    const { gone, finalizer, reconcile } = this.#run.definition;
    const key = parseKey<Scope>(text);
    const object = this.#run.followed[0]?.informer.get(key);
    if (!object) {
      if (this.#seen.has(text)) await gone?.(key);
      this.#seen.delete(text);
      return undefined;
    }
    this.#seen.add(text);
    const context = this.#contextOf(text, object, attempt, limit);
    if (finalizer === undefined) return await reconcile(context);
    if (object.metadata.deletionTimestamp !== undefined) return await this.#cleanUp(context, finalizer);
    if (hasFinalizer(object, finalizer)) return await reconcile(context);
    // Memory shows it before the reconcile.
    const { kind } = specOf(this.#run.definition.for);
    if (await addFinalizer(context.client, kind, object, finalizer)) this.#parts.add(text);
    return undefined;
  }

  #observeAll(): void {
    const { for: own, owns = [], sources = [], predicate, finalizer } = this.#run.definition;
    const { kind } = specOf(own);
    const [first, ...rest] = this.#run.followed;
    const always: Predicate<ApiObject> = (event) =>
      event.type === "deleted" || (finalizer !== undefined && deletionBegan(event));
    if (first) this.#observe(first, (object) => [keyOf(object)], predicate, always);
    for (const owned of rest.slice(0, owns.length)) this.#observe(owned, (object) => [ownerKey(object, kind)]);
    const watches = sources.flatMap(({ watch }) => watch ?? []);
    const watched = rest.slice(rest.length - watches.length);
    for (const [i, followed] of watched.entries()) {
      const watch = watches[i];
      if (watch) this.#observe(followed, (object) => watch.keys(object, this.#run.informer), watch.predicate);
    }
    const { kinds, informers, clock } = this.#parts.shared;
    const sourceParts: SourceParts = {
      kinds,
      informer: (spec) => informers.hold(spec),
      own: this.#run.informer,
      clock,
    };
    for (const { push, poll } of sources) {
      if (push) this.#subscriptions.use(push((key) => this.#parts.add(keyText(key)), sourceParts));
      if (poll) this.#polls.push(this.#poll(poll));
    }
  }

  /** Adds the keys of informer events. */
  #observe(
    { informer }: Followed,
    keys: Keys,
    predicate: Predicate<ApiObject> = () => true,
    always: Predicate<ApiObject> = () => false,
  ): void {
    const listener = (event: ObjectEvent<ApiObject>, isInitial: boolean): void => {
      if (!always(event) && !this.#passes(event, predicate)) return;
      const priority = isInitial ? "low" : "normal";
      for (const key of this.#keysOf(event, keys)) this.#parts.add(key, priority);
    };
    this.#subscriptions.use(informer.reflector.listen(listener));
  }

  /** Whether an event passes; where the predicate throws it does. */
  #passes(event: ObjectEvent<ApiObject>, predicate: Predicate<ApiObject>): boolean {
    try {
      return predicate(event);
    } catch (error) {
      this.#reportFailure(event.object, error);
      return true;
    }
  }

  #reportFailure(object: ApiObject, error: unknown): void {
    const { name: controller } = this.#run.definition;
    this.#parts.shared.failed({ controller, key: keyText(keyOf(object)), error }, false);
  }

  /** Returns the keys of an event; of a change those of both objects. */
  #keysOf(event: ObjectEvent<ApiObject>, keys: Keys): ReadonlySet<string> {
    const objects = event.type === "changed" ? [event.object, event.old] : [event.object];
    const concerned = new Set<string>();
    for (const object of objects) {
      try {
        for (const key of keys(object)) if (key) concerned.add(keyText(key));
      } catch (error) {
        this.#reportFailure(object, error);
      }
    }
    return concerned;
  }

  /** Reads keys from an external source, with retries. */
  async #poll(poll: NonNullable<Source["poll"]>): Promise<void> {
    const { signal } = this.#parts;
    const { clock, random, log } = this.#parts.shared;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        for await (const key of poll(signal)) {
          if (signal.aborted) return;
          failures = 0;
          this.#parts.add(keyText(key));
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn("a source of keys failed", { controller: this.#run.definition.name, error: String(error) });
        await sleep(clock, backoff(failures, POLL_BACKOFF, random), signal);
      }
    }
  }

  async #cleanUp(context: Context, finalizer: string): Promise<Result> {
    const { cleanup, for: own } = this.#run.definition;
    if (!hasFinalizer(context.object, finalizer)) return undefined;
    const result = await cleanup?.(context);
    if (result) return result;
    await removeFinalizer(context.client, specOf(own).kind, context.object, finalizer);
    return undefined;
  }

  #contextOf(text: string, object: ApiObject, attempt: number, limit: ReconcileLimit): Context {
    const { for: own, owns = [] } = this.#run.definition;
    return contextOf({
      ...this.#parts.contextParts(text, attempt, limit),
      kind: specOf(own).kind,
      object,
      key: parseKey<Scope>(text),
      owned: this.#run.owned,
      isOwned: (kind) => owns.some((one) => isOf(specOf(one).kind, kind)),
    });
  }
}
