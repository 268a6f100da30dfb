/**
 * Several laboratories side by side, each in a worker thread that loads the module of an exploration.
 *
 * @module
 */
import { Worker } from "node:worker_threads";
import type { Laboratory, RunOrder, RunRecord, ScenarioOutline } from "../../explore/contract/laboratory.ts";
import type { PerturbationType } from "../../explore/contract/plan.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { siblingModule } from "../../util/worker-threads.ts";
import type { InProcessLaboratory } from "./laboratory.ts";
import type { ThreadData, ThreadReply, ThreadRequest } from "./laboratory-thread.ts";

type Played = Extract<ThreadReply, { readonly type: "played" }>;
type Ready = Extract<ThreadReply, { readonly type: "ready" }>;

/** How long threads are waited for, in ms. */
export interface PoolLimits {
  /** Of the machine. */
  readonly clock: Pick<Clock, "after">;
  /** How long the loop of a thread may be blocked; a minute by default. */
  readonly blockedMillis?: number;
  /** How long a run may take to end when it was cancelled; 5 s by default. */
  readonly cancelMillis?: number;
}

const BLOCKED_MS = 60_000;
const CANCEL_MS = 5000;
/** The interval of checks of the loop of a thread. */
const ASK_MS = 5000;
/** A larger number of threads is a mistake: each takes 50 MB. */
const MAX_WORKERS = 256;

/** One thread. It does one thing at a time: it starts, then it plays orders. A thread that has failed is ended and replaced. */
class LaboratoryThread {
  readonly #worker: Worker;
  /** The caller that waits for the next reply. */
  #waiting: PromiseWithResolvers<ThreadReply> | undefined;
  #failure: Error | undefined;
  #ready: Promise<Ready> | undefined;
  readonly #limits: Required<PoolLimits>;
  /** Sends a check of the loop, or waits for the reply. */
  #watch: Timer | undefined;

  constructor(module: string, number: number, limits: PoolLimits) {
    this.#limits = { blockedMillis: BLOCKED_MS, cancelMillis: CANCEL_MS, ...limits };
    const workerData: ThreadData = { module };
    this.#worker = new Worker(new URL(siblingModule(import.meta.url, "laboratory-thread")), {
      workerData,
      name: `keelson-explore-${number}`,
    });
    this.#worker.on("message", (reply: ThreadReply) => {
      if (reply.type !== "pong") this.#waiting?.resolve(reply);
      // The reply may come after the run.
      else if (this.#watch) this.#askLater();
    });
    this.#worker.on("messageerror", (error) => this.#fail(error));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", (code) =>
      this.#fail(new Error(`expected the worker thread to continue, but it ended with exit code ${code}`)),
    );
  }

  /** Waits until the module is loaded and its laboratory is open. */
  ready(): Promise<Ready> {
    this.#ready ??= this.#next("ready") as Promise<Ready>;
    return this.#ready;
  }

  /** Whether it can play nothing more. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  async play(order: RunOrder, signal?: AbortSignal): Promise<Played> {
    await this.ready();
    signal?.throwIfAborted();
    const { clock, cancelMillis } = this.#limits;
    let late: Timer | undefined;
    const cancel = (): void => {
      this.#send({ type: "cancel" });
      const why = `expected a run to end within ${cancelMillis} ms when it is cancelled, but its thread is busy`;
      late = clock.after(cancelMillis, () => this.#fail(new Error(why)), { holds: true });
    };
    signal?.addEventListener("abort", cancel);
    try {
      const played = this.#next("played");
      this.#send({ type: "play", order });
      this.#askLater();
      return (await played) as Played;
    } finally {
      signal?.removeEventListener("abort", cancel);
      late?.cancel();
      this.#watch?.cancel();
      this.#watch = undefined;
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #askLater(): void {
    const { clock, blockedMillis } = this.#limits;
    this.#watch?.cancel();
    this.#watch = clock.after(Math.min(ASK_MS, blockedMillis), () => {
      this.#send({ type: "ping" });
      const why = `expected the loop of a worker thread to continue, but it was blocked for ${blockedMillis} ms: a program computes without end, or waits in a synchronous call`;
      this.#watch = clock.after(blockedMillis, () => this.#fail(new Error(why)), { holds: true });
    });
  }

  #send(request: ThreadRequest): void {
    this.#worker.postMessage(request);
  }

  async #next(type: ThreadReply["type"]): Promise<ThreadReply> {
    if (this.#failure) throw this.#failure;
    this.#waiting = Promise.withResolvers();
    const reply = await this.#waiting.promise;
    if (reply.type === type) return reply;
    throw new Error(
      reply.type === "failed" ? reply.message : `expected a reply ${type} of a worker thread, got ${reply.type}`,
    );
  }

  /** Only the first failure has the reason. */
  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
    // A thread with a blocked loop takes a CPU.
    void this.end();
  }
}

/** Plays orders in several worker threads, as many at once. A thread that dies fails the order that it plays, and is replaced. */
export class LaboratoryPool implements Laboratory {
  readonly scenario: ScenarioOutline;
  /** The perturbations that threads can play; runs may show that they can play more. */
  readonly perturbations: Set<PerturbationType>;
  readonly parallel: number;
  readonly deterministic = true;
  /** Members whose operations are not tried, and why. */
  readonly skipped: InProcessLaboratory["skipped"];
  readonly #threads: Set<LaboratoryThread>;
  readonly #idle: LaboratoryThread[];
  readonly #waiting: ((thread: LaboratoryThread) => void)[] = [];

  #replacements = 0;
  readonly #start: (number: number) => LaboratoryThread;

  private constructor(
    threads: readonly LaboratoryThread[],
    start: (number: number) => LaboratoryThread,
    { scenario, perturbations, skipped }: Ready,
  ) {
    this.#threads = new Set(threads);
    this.#start = start;
    this.#idle = [...threads];
    this.parallel = threads.length;
    this.scenario = scenario;
    this.perturbations = new Set(perturbations);
    this.skipped = skipped;
  }

  /**
   * Starts worker threads that each load a module and open its laboratory.
   *
   * @param module the URL of a module whose default export is the result of `defineExploration`
   * @param limits after which a thread without a reply is ended
   * @throws Error where the module cannot be loaded, or the start of its scenario is refused
   */
  static async of(module: URL, workers: number, limits: PoolLimits): Promise<LaboratoryPool> {
    if (!Number.isInteger(workers) || workers < 1 || workers > MAX_WORKERS)
      throw new RangeError(`expected 1 to ${MAX_WORKERS} workers, got ${workers}`);
    const start = (number: number): LaboratoryThread => new LaboratoryThread(module.href, number, limits);
    const threads = Array.from({ length: workers }, (_, i) => start(i));
    try {
      const [ready] = await Promise.all(threads.map((thread) => thread.ready()));
      return new LaboratoryPool(threads, start, ready!);
    } catch (error) {
      await Promise.all(threads.map((thread) => thread.end()));
      throw error;
    }
  }

  async run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord> {
    const idle = this.#idle.pop() ?? (await new Promise<LaboratoryThread>((resolve) => this.#waiting.push(resolve)));
    const thread = idle.hasFailed ? this.#replaced(idle) : idle;
    try {
      const { record, perturbations } = await thread.play(order, signal);
      for (const type of perturbations) this.perturbations.add(type);
      return record;
    } finally {
      const next = this.#waiting.shift();
      if (next) next(thread);
      else this.#idle.push(thread);
    }
  }

  #replaced(failed: LaboratoryThread): LaboratoryThread {
    const thread = this.#start(this.parallel + this.#replacements++);
    this.#threads.delete(failed);
    this.#threads.add(thread);
    return thread;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }
}
