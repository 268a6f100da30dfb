/**
 * Several laboratories side by side, each in a worker thread that loads the module of an exploration.
 *
 * @module
 */
import { Worker } from "node:worker_threads";
import type { Laboratory, RunOrder, RunRecord, ScenarioOutline } from "../../explore/contract/laboratory.ts";
import type { PerturbationType } from "../../explore/contract/plan.ts";
import { siblingModule } from "../../util/worker-threads.ts";
import type { InProcessLaboratory } from "./laboratory.ts";
import type { ThreadData, ThreadReply, ThreadRequest } from "./laboratory-thread.ts";

type Played = Extract<ThreadReply, { readonly type: "played" }>;
type Ready = Extract<ThreadReply, { readonly type: "ready" }>;

/** One thread. It does one thing at a time: it begins, then it plays orders. */
class LaboratoryThread {
  readonly #worker: Worker;
  /** What waits for the next reply. */
  #waiting: PromiseWithResolvers<ThreadReply> | undefined;
  #failure: Error | undefined;

  constructor(module: string, number: number) {
    const workerData: ThreadData = { module };
    this.#worker = new Worker(new URL(siblingModule(import.meta.url, "laboratory-thread")), {
      workerData,
      name: `keelson-explore-${number}`,
    });
    this.#worker.on("message", (reply: ThreadReply) => this.#waiting?.resolve(reply));
    this.#worker.on("messageerror", (error) => this.#fail(error));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", (code) =>
      this.#fail(new Error(`expected the worker thread to go on, but it ended with exit code ${code}`)),
    );
  }

  /** Waits until the module is loaded and its laboratory is open. */
  async ready(): Promise<Ready> {
    return (await this.#next("ready")) as Ready;
  }

  async play(order: RunOrder, signal?: AbortSignal): Promise<Played> {
    signal?.throwIfAborted();
    const cancel = (): void => this.#send({ type: "cancel" });
    signal?.addEventListener("abort", cancel);
    try {
      const played = this.#next("played");
      this.#send({ type: "play", order });
      return (await played) as Played;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
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

  /** Only the first failure says why. */
  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
  }
}

/** Plays orders in several worker threads, as many at once. */
export class LaboratoryPool implements Laboratory {
  readonly scenario: ScenarioOutline;
  /** What threads can play; runs may show that they can play more. */
  readonly perturbations: Set<PerturbationType>;
  readonly parallel: number;
  readonly deterministic = true;
  /** Members whose operations are not tried, and why. */
  readonly skipped: InProcessLaboratory["skipped"];
  readonly #threads: readonly LaboratoryThread[];
  readonly #idle: LaboratoryThread[];
  readonly #waiting: ((thread: LaboratoryThread) => void)[] = [];

  private constructor(threads: readonly LaboratoryThread[], { scenario, perturbations, skipped }: Ready) {
    this.#threads = threads;
    this.#idle = [...threads];
    this.parallel = threads.length;
    this.scenario = scenario;
    this.perturbations = new Set(perturbations);
    this.skipped = skipped;
  }

  /**
   * Starts worker threads that each load a module and open its laboratory.
   *
   * @param module the URL of a module whose default export is what `defineExploration` returns
   * @throws Error where the module cannot be loaded, or what its scenario begins with is refused
   */
  static async of(module: URL, workers: number): Promise<LaboratoryPool> {
    if (!Number.isInteger(workers) || workers < 1) throw new RangeError(`expected at least 1 worker, got ${workers}`);
    const threads = Array.from({ length: workers }, (_, i) => new LaboratoryThread(module.href, i));
    try {
      const [ready] = await Promise.all(threads.map((thread) => thread.ready()));
      return new LaboratoryPool(threads, ready!);
    } catch (error) {
      await Promise.all(threads.map((thread) => thread.end()));
      throw error;
    }
  }

  async run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord> {
    const thread = this.#idle.pop() ?? (await new Promise<LaboratoryThread>((resolve) => this.#waiting.push(resolve)));
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

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}
