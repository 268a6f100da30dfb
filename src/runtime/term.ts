import { messageOf } from "../util/error.ts";
import { millisOf } from "../util/duration.ts";
import { newLog } from "../util/log.ts";
import { type Later, type Priority, WorkQueue } from "../util/work-queue.ts";
import type { CommonParts, ReconcileLimit } from "./context.ts";
import type { ControllerDefinition, KeyControllerDefinition, Result } from "./definition.ts";
import type { Reconciler, ReconcilerParts, RunningController } from "./reconciler.ts";
import { KeyReconciler } from "./key-reconciler.ts";
import type { Outcome } from "./metrics.ts";
import { ObjectReconciler } from "./object-reconciler.ts";
import { OwnWrites } from "./own-writes.ts";
import { UnseenWrites } from "./unseen-writes.ts";
import type { ManagerParts } from "./manager-parts.ts";

/**
 * How long a reconcile may take between its start, the responses to its writes, and its end.
 * controller-runtime has no such limit, and neither do the REST clients of Kubernetes: there a request without a response holds a worker. A
 * server responds within its `--request-timeout` (60 s), however slow its webhooks are. So this limit ends reconciles that hang, but not
 * those with many slow writes, which would start again and never reach their last write.
 */
const DEFAULT_TIMEOUT = "2m";

/** The work of a controller while it leads. */
export class Term {
  readonly #run: RunningController;
  readonly #shared: ManagerParts;
  readonly #queue: WorkQueue;
  readonly #writes: OwnWrites;
  readonly #unseen: UnseenWrites;
  readonly #over = new AbortController();
  readonly #reconciler: Reconciler;
  readonly #timeoutMs: number;

  /** @param anew called when writes were forgotten that the informer may have missed: a new term has to replace this one */
  constructor(run: RunningController, shared: ManagerParts, anew: () => void) {
    const { name, concurrency = 4, backoff: waits = {}, together = false } = run.definition;
    const { clock, random, activity, log, started } = shared;
    this.#run = run;
    this.#shared = shared;
    this.#timeoutMs = millisOf(run.definition.timeout ?? DEFAULT_TIMEOUT);
    this.#writes = new OwnWrites(shared.informers, clock, (key, what) =>
      log.warn("memory does not show a write, and work continues", { controller: name, key, what }),
    );
    this.#queue = new WorkQueue({
      clock,
      random,
      activity,
      name,
      workers: concurrency,
      retry: { first: millisOf(waits.first ?? "50ms"), most: millisOf(waits.most ?? "5m") },
      ready: (key) => this.#writes.shown(key),
      together: together ? () => clock.loop.pass() : undefined,
      started: (key) => started(name, key),
      failed: (key, error) => shared.failed({ controller: name, key, error }, true),
      work: (key, attempt) => this.#work(key, attempt),
    });
    run.metrics.depth = () => this.#queue.size - run.metrics.active;
    const add = (key: string, priority: Priority = "normal"): void => {
      run.metrics.added(key, clock.steady());
      this.#queue.add(key, priority);
    };
    this.#unseen = new UnseenWrites(shared.informers, { again: add, allAgain: anew });
    this.#reconciler = reconcilerOf(run, {
      shared,
      signal: this.#over.signal,
      add,
      contextParts: (key, attempt, limit) => this.#contextParts(key, attempt, limit),
    });
  }

  /** Takes no new keys; resolves when active ones are done. */
  async drain(): Promise<void> {
    this.#reconciler.stopAdding();
    this.#unseen[Symbol.dispose]();
    this.#run.metrics.cleared();
    await this.#queue.close();
  }

  /** Aborts active reconciles; resolves when all have ended. */
  async end(reason: Error): Promise<void> {
    this.#over.abort(reason);
    await this.drain();
    await this.#reconciler.end();
  }

  /** Reconciles one key and counts the result. */
  async #work(key: string, attempt: number): Promise<Later | void> {
    const { clock, killSwitch } = this.#shared;
    const { metrics } = this.#run;
    // Waits for related changes, such as the rest of a list. A queue of thousands of keys without work yields here,
    // too.
    await (clock.loop.admitInternal() ?? Promise.resolve());
    if (killSwitch.isKilled) return new Promise(() => {});
    const began = clock.steady();
    let outcome: Outcome = "error";
    metrics.began(key, began);
    try {
      const result = await this.#handle(key, attempt);
      const after = this.#after(key, result);
      outcome = outcomeOf(result);
      return after;
    } catch (error) {
      // An error after the stop does not count.
      if (!this.#over.signal.aborted) throw error;
      outcome = "success";
      return undefined;
    } finally {
      metrics.ended(outcome, clock.steady() - began);
    }
  }

  /** When a key is added again without a change. */
  #after(key: string, result: Result): Later | undefined {
    if (result && "requeueAfter" in result) {
      const millis = millisOf(result.requeueAfter);
      return result.doubles === true ? { millis, doubles: true } : millis;
    }
    const { name: controller } = this.#run.definition;
    if (result) this.#shared.log.warn("a reconcile gave up", { controller, key, why: result.terminal });
    return this.#reconciler.resync(key);
  }

  async #handle(key: string, attempt: number): Promise<Result> {
    const timed = this.#timed();
    try {
      return await this.#reconciler.handle(key, attempt, timed);
    } catch (error) {
      // The cause of any error is the timeout.
      throw timed.isLate() ? new Error(messageOf(timed.signal.reason), { cause: error }) : error;
    } finally {
      timed.end();
    }
  }

  #contextParts(key: string, attempt: number, limit: ReconcileLimit): CommonParts {
    const { client, clock, kinds, log, recorder, instance } = this.#shared;
    const { name, eventSource: source = name } = this.#run.definition;
    return {
      name,
      attempt,
      client,
      clock,
      log: newLog((level, message, facts, per = `${name} ${key}`) =>
        log[level](message, { controller: name, key, ...facts }, per),
      ),
      limit,
      informer: this.#run.informer,
      kinds,
      wrote: (write) => {
        this.#writes.add(key, write);
        this.#unseen.add(key, write);
      },
      record: (newEvent) => recorder.record({ ...newEvent, source, instance }),
    };
  }

  /** Returns a signal for the timeout and the end of the term. */
  #timed(): ReconcileLimit & { isLate(): boolean; end(): void } {
    const { clock } = this.#shared;
    const { timeout = DEFAULT_TIMEOUT, name } = this.#run.definition;
    const { signal } = this.#over;
    const own = new AbortController();
    const give = (): void => own.abort(signal.reason);
    let progress = clock.steady();
    const late = (): void => {
      const left = progress + this.#timeoutMs - clock.steady();
      if (left > 0) timer = clock.after(left, late, { owner: name });
      else own.abort(new Error(`a reconcile of ${name} took longer than ${timeout} without a response to a write`));
    };
    if (signal.aborted) give();
    signal.addEventListener("abort", give);
    let timer = clock.after(this.#timeoutMs, late, { owner: name });
    return {
      signal: own.signal,
      progressed: () => {
        progress = clock.steady();
      },
      isLate: () => own.signal.aborted && !signal.aborted,
      end: () => {
        timer.cancel();
        signal.removeEventListener("abort", give);
      },
    };
  }
}

const reconcilerOf = (run: RunningController, parts: ReconcilerParts): Reconciler =>
  "for" in run.definition
    ? new ObjectReconciler(run as RunningController<ControllerDefinition>, parts)
    : new KeyReconciler(run as RunningController<KeyControllerDefinition>, parts);

const outcomeOf = (result: Result): Outcome =>
  !result ? "success" : "requeueAfter" in result ? "requeue_after" : "terminal_error";
