/**
 * A term: what a controller does from the moment at which it leads until it does not any more.
 *
 * @module
 */
import { type ApiObject, type Key, type Kind, keyOf, keyText } from "../client/index.ts";
import { backoff } from "../util/backoff.ts";
import { sleep } from "../util/clock.ts";
import { millisOf } from "../util/duration.ts";
import { type Priority, WorkQueue } from "../util/work-queue.ts";
import { contextOf } from "./context.ts";
import type { Context, ControllerDefinition, Result } from "./definition.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizer.ts";
import { type GetInformer, type InformerSpec, specOf } from "./informer.ts";
import type { HeldInformer } from "./informers.ts";
import type { ControllerMetrics, Outcome } from "./metrics.ts";
import { type ObjectEvent, type Predicate, deletionBegan } from "./object-event.ts";
import { OwnWrites } from "./own-writes.ts";
import { isOf, ownerKey } from "./owners.ts";
import type { Ground, Source } from "./sources.ts";
import type { Surroundings } from "./surroundings.ts";

/** An informer and what it was asked for. */
export interface Followed {
  readonly spec: InformerSpec;
  readonly informer: HeldInformer;
}

/** The controller that has the term. */
export interface Runs {
  readonly definition: ControllerDefinition;
  readonly metrics: ControllerMetrics;
  /** The informers of `for`, `owns`, `uses` and the watched sources, in this order. */
  readonly followed: readonly Followed[];
  readonly informer: GetInformer;
  /** The objects of a kind in `owns` that an object controls. */
  readonly owned: (kind: Kind, owner: ApiObject) => readonly ApiObject[];
}

type Keys = (object: ApiObject) => Iterable<Key | undefined>;

const POLL_RETRY = { first: 1000, most: 60_000 };

/** See the head of this file. */
export class Term {
  readonly #run: Runs;
  readonly #around: Surroundings;
  readonly #queue: WorkQueue;
  readonly #writes: OwnWrites;
  readonly #over = new AbortController();
  readonly #heard = new DisposableStack();
  readonly #polls: Promise<void>[] = [];
  /** Keys that were reconciled: who of them is absent now has gone. */
  readonly #seen = new Set<string>();

  constructor(run: Runs, around: Surroundings) {
    const { name, concurrency = 4, backoff: waits = {} } = run.definition;
    const { clock, random, activity, log, started } = around;
    this.#run = run;
    this.#around = around;
    this.#writes = new OwnWrites(around.informers, clock, (key, what) =>
      log.warn("memory does not show what was written, and work goes on", { controller: name, key, what }),
    );
    this.#queue = new WorkQueue({
      clock,
      random,
      activity,
      name,
      workers: concurrency,
      retry: { first: millisOf(waits.first ?? "50ms"), most: millisOf(waits.most ?? "5m") },
      ready: (key) => this.#writes.shown(key),
      started: (key) => started(name, key),
      failed: (key, error) => around.failed({ controller: name, key, error }),
      work: (key, attempt) => this.#work(key, attempt),
    });
    run.metrics.depth = () => this.#queue.size - run.metrics.active;
    this.#listen();
  }

  /** Takes no new keys; resolves when those in hand are done. */
  async drain(): Promise<void> {
    this.#heard.dispose();
    this.#run.metrics.cleared();
    await this.#queue.close();
  }

  /** Aborts what is in hand; resolves when all of it has ended. */
  async end(reason: Error): Promise<void> {
    this.#over.abort(reason);
    await Promise.all([this.drain(), ...this.#polls]);
  }

  #listen(): void {
    const { for: own, owns = [], sources = [], predicate, finalizer } = this.#run.definition;
    const { kind } = specOf(own);
    const [first, ...rest] = this.#run.followed;
    const always: Predicate<ApiObject> = (event) =>
      event.type === "deleted" || (finalizer !== undefined && deletionBegan(event));
    this.#hear(first!, (object) => [keyOf(object)], predicate, always);
    owns.forEach((_, i) => this.#hear(rest[i]!, (object) => [ownerKey(object, kind)]));
    const watched = rest.slice(rest.length - sources.filter(({ watch }) => watch).length);
    sources
      .filter(({ watch }) => watch)
      .forEach(({ watch }, i) => {
        this.#hear(watched[i]!, (object) => watch!.keys(object, this.#run.informer), watch!.predicate);
      });
    const { kinds, informers } = this.#around;
    const ground: Ground = { kinds, informer: (spec) => informers.hold(spec) };
    for (const { push, poll } of sources) {
      if (push) this.#heard.use(push((key) => this.#add(keyText(key), "normal"), ground));
      if (poll) this.#polls.push(this.#poll(poll));
    }
  }

  /** Adds keys for the events of an informer; of a change those of before and after. */
  #hear(
    { informer }: Followed,
    keys: Keys,
    predicate: Predicate<ApiObject> = () => true,
    always: Predicate<ApiObject> = () => false,
  ): void {
    const listener = (event: ObjectEvent<ApiObject>, isInitial: boolean): void => {
      // Rather once too often than never.
      if (!always(event) && !this.#orElse(event.object, () => predicate(event), true)) return;
      const priority = isInitial ? "low" : "normal";
      for (const key of this.#keysOf(event, keys)) this.#add(key, priority);
    };
    this.#heard.use(informer.reflector.listen(listener));
  }

  /** The keys that an event concerns, each once; of a change those of before and after. */
  #keysOf(event: ObjectEvent<ApiObject>, keys: Keys): ReadonlySet<string> {
    const objects = event.type === "changed" ? [event.object, event.old] : [event.object];
    const concerned = objects.flatMap((object) => this.#orElse(object, () => [...keys(object)], []));
    return new Set(concerned.flatMap((key) => (key ? [keyText(key)] : [])));
  }

  /** What a function of the definition says of an object; something else, which is told, where it throws. */
  #orElse<V>(object: ApiObject, work: () => V, otherwise: V): V {
    try {
      return work();
    } catch (error) {
      this.#around.failed({ controller: this.#run.definition.name, key: keyText(keyOf(object)), error });
      return otherwise;
    }
  }

  #add(key: string, priority: Priority): void {
    this.#run.metrics.added(key, this.#around.clock.steady());
    this.#queue.add(key, priority);
  }

  /** Takes keys from another world, and asks it again when it fails. */
  async #poll(poll: NonNullable<Source["poll"]>): Promise<void> {
    const { clock, random, log } = this.#around;
    const { signal } = this.#over;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        for await (const key of poll(signal)) {
          if (signal.aborted) return;
          failures = 0;
          this.#add(keyText(key), "normal");
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn("a source of keys failed", { controller: this.#run.definition.name, error: String(error) });
        await sleep(clock, backoff(failures, POLL_RETRY, random), signal);
      }
    }
  }

  /** Handles one key and counts how that ended. */
  async #work(key: string, attempt: number): Promise<number | void> {
    const { clock, lifeline } = this.#around;
    const { metrics } = this.#run;
    // Not at once: what added the key may be one change of several that belong together, a list for instance.
    await Promise.resolve();
    if (lifeline.isCut) return new Promise(() => {});
    const began = clock.steady();
    let outcome: Outcome = "error";
    metrics.began(key, began);
    try {
      const result = await this.#handle(key, attempt);
      const after = this.#after(key, result);
      outcome = outcomeOf(result);
      return after;
    } catch (error) {
      // What fails because it was stopped has not failed.
      if (!this.#over.signal.aborted) throw error;
      outcome = "success";
      return undefined;
    } finally {
      metrics.ended(outcome, clock.steady() - began);
    }
  }

  /** When a key comes back although nothing happens. */
  #after(key: string, result: Result): number | undefined {
    const { resync, name } = this.#run.definition;
    if (result && "requeueAfter" in result) return millisOf(result.requeueAfter);
    if (result) this.#around.log.warn("a reconcile gave up", { controller: name, key, why: result.terminal });
    if (resync === undefined || !this.#seen.has(key)) return undefined;
    return millisOf(resync) * (0.95 + this.#around.random.next() / 10);
  }

  async #handle(text: string, attempt: number): Promise<Result> {
    const { gone, finalizer, reconcile } = this.#run.definition;
    const key = keyIn(text);
    const object = this.#run.followed[0]!.informer.get(key);
    if (!object) {
      if (this.#seen.has(text)) await gone?.(key);
      this.#seen.delete(text);
      return undefined;
    }
    this.#seen.add(text);
    const timed = this.#timed();
    try {
      const context = this.#contextOf(text, object, attempt, timed.signal);
      if (finalizer === undefined) return await reconcile(context);
      if (object.metadata.deletionTimestamp !== undefined) return await this.#cleanUp(context, finalizer);
      if (hasFinalizer(object, finalizer)) return await reconcile(context);
      // The reconcile waits until memory shows it.
      const { kind } = specOf(this.#run.definition.for);
      if (await addFinalizer(context.client, kind, object, finalizer)) this.#queue.add(text);
      return undefined;
    } catch (error) {
      // Whatever it is: that it was given up is why.
      throw timed.isLate() ? new Error((timed.signal.reason as Error).message, { cause: error }) : error;
    } finally {
      timed.end();
    }
  }

  async #cleanUp(context: Context, finalizer: string): Promise<Result> {
    const { cleanup, for: own } = this.#run.definition;
    if (!hasFinalizer(context.object, finalizer)) return undefined;
    const result = await cleanup!(context);
    if (result) return result;
    await removeFinalizer(context.client, specOf(own).kind, context.object, finalizer);
    return undefined;
  }

  #contextOf(text: string, object: ApiObject, attempt: number, signal: AbortSignal): Context {
    const { client, clock, kinds, recorder, instance } = this.#around;
    const { name, for: own, owns = [] } = this.#run.definition;
    return contextOf({
      name,
      kind: specOf(own).kind,
      object,
      key: keyIn(text),
      attempt,
      client,
      clock,
      signal,
      informer: this.#run.informer,
      kinds,
      owned: this.#run.owned,
      isOwned: (kind) => owns.some((one) => isOf(specOf(one).kind, kind)),
      wrote: (write) => this.#writes.add(text, write),
      record: (happening) => recorder.record({ ...happening, source: name, instance }),
    });
  }

  /** A signal that is aborted at the end of the term, or when a reconcile takes too long. */
  #timed(): { readonly signal: AbortSignal; isLate(): boolean; end(): void } {
    const { timeout = "2m", name } = this.#run.definition;
    const { signal } = this.#over;
    const own = new AbortController();
    const give = (): void => own.abort(signal.reason);
    const late = (): void => own.abort(new Error(`a reconcile of ${name} took longer than ${timeout}`));
    if (signal.aborted) give();
    signal.addEventListener("abort", give);
    const timer = this.#around.clock.after(millisOf(timeout), late, { owner: name });
    return {
      signal: own.signal,
      isLate: () => own.signal.aborted && !signal.aborted,
      end: () => {
        timer.cancel();
        signal.removeEventListener("abort", give);
      },
    };
  }
}

/** The key in its text; names have no `/`. */
function keyIn(text: string): Key {
  const at = text.indexOf("/");
  return at < 0 ? { name: text } : { namespace: text.slice(0, at), name: text.slice(at + 1) };
}

const outcomeOf = (result: Result): Outcome =>
  !result ? "success" : "requeueAfter" in result ? "requeue_after" : "terminal_error";
