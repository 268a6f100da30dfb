/**
 * A term: what a controller does from the moment at which it leads until it does not any more.
 *
 * @module
 */
import { millisOf } from "../util/duration.ts";
import { logOf } from "../util/log.ts";
import { WorkQueue } from "../util/work-queue.ts";
import type { CommonParts } from "./context.ts";
import type { ControllerDefinition, KeyControllerDefinition, Result } from "./definition.ts";
import type { Duty, Office, Runs } from "./duty.ts";
import { KeyDuty } from "./key-duty.ts";
import type { Outcome } from "./metrics.ts";
import { ObjectDuty } from "./object-duty.ts";
import { OwnWrites } from "./own-writes.ts";
import type { Surroundings } from "./surroundings.ts";

/** How long a reconcile may take that does not say. */
const TIMEOUT = "2m";

/** See the head of this file. */
export class Term {
  readonly #run: Runs;
  readonly #around: Surroundings;
  readonly #queue: WorkQueue;
  readonly #writes: OwnWrites;
  readonly #over = new AbortController();
  readonly #duty: Duty;
  readonly #timeoutMs: number;

  constructor(run: Runs, around: Surroundings) {
    const { name, concurrency = 4, backoff: waits = {} } = run.definition;
    const { clock, random, activity, log, started } = around;
    this.#run = run;
    this.#around = around;
    this.#timeoutMs = millisOf(run.definition.timeout ?? TIMEOUT);
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
      failed: (key, error) => around.failed({ controller: name, key, error }, true),
      work: (key, attempt) => this.#work(key, attempt),
    });
    run.metrics.depth = () => this.#queue.size - run.metrics.active;
    this.#duty = dutyOf(run, {
      around,
      signal: this.#over.signal,
      add: (key, priority = "normal") => {
        run.metrics.added(key, clock.steady());
        this.#queue.add(key, priority);
      },
      parts: (key, attempt, signal) => this.#parts(key, attempt, signal),
    });
  }

  /** Takes no new keys; resolves when those in hand are done. */
  async drain(): Promise<void> {
    this.#duty.rest();
    this.#run.metrics.cleared();
    await this.#queue.close();
  }

  /** Aborts what is in hand; resolves when all of it has ended. */
  async end(reason: Error): Promise<void> {
    this.#over.abort(reason);
    await this.drain();
    await this.#duty.end();
  }

  /** Handles one key and counts how that ended. */
  async #work(key: string, attempt: number): Promise<number | void> {
    const { clock, lifeline } = this.#around;
    const { metrics } = this.#run;
    // Not at once: what added the key may be one change of several that belong together, a list for instance. A queue of
    // thousands whose keys need nothing gives others their turns, too.
    await (clock.loop.admitInternal() ?? Promise.resolve());
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
    if (result && "requeueAfter" in result) return millisOf(result.requeueAfter);
    const { name: controller } = this.#run.definition;
    if (result) this.#around.log.warn("a reconcile gave up", { controller, key, why: result.terminal });
    return this.#duty.resync(key);
  }

  async #handle(key: string, attempt: number): Promise<Result> {
    const timed = this.#timed();
    try {
      return await this.#duty.handle(key, attempt, timed.signal);
    } catch (error) {
      // Whatever it is: that it was given up is why.
      throw timed.isLate() ? new Error((timed.signal.reason as Error).message, { cause: error }) : error;
    } finally {
      timed.end();
    }
  }

  #parts(key: string, attempt: number, signal: AbortSignal): CommonParts {
    const { client, clock, kinds, log, recorder, instance } = this.#around;
    const { name, eventSource: source = name } = this.#run.definition;
    return {
      name,
      attempt,
      client,
      clock,
      log: logOf((level, message, facts, per = `${name} ${key}`) =>
        log[level](message, { controller: name, key, ...facts }, per),
      ),
      signal,
      informer: this.#run.informer,
      kinds,
      wrote: (write) => this.#writes.add(key, write),
      record: (happening) => recorder.record({ ...happening, source, instance }),
    };
  }

  /** A signal that is aborted at the end of the term, or when a reconcile takes too long. */
  #timed(): { readonly signal: AbortSignal; isLate(): boolean; end(): void } {
    const { timeout = TIMEOUT, name } = this.#run.definition;
    const { signal } = this.#over;
    const own = new AbortController();
    const give = (): void => own.abort(signal.reason);
    const late = (): void => own.abort(new Error(`a reconcile of ${name} took longer than ${timeout}`));
    if (signal.aborted) give();
    signal.addEventListener("abort", give);
    const timer = this.#around.clock.after(this.#timeoutMs, late, { owner: name });
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

const dutyOf = (run: Runs, office: Office): Duty =>
  "for" in run.definition
    ? new ObjectDuty(run as Runs<ControllerDefinition>, office)
    : new KeyDuty(run as Runs<KeyControllerDefinition>, office);

const outcomeOf = (result: Result): Outcome =>
  !result ? "success" : "requeueAfter" in result ? "requeue_after" : "terminal_error";
