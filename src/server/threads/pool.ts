/**
 * Runs work in threads that would hold the event loop for too long: a parser, or a regular expression, may take seconds for three
 * megabytes (CVE-2019-11253, CVE-2019-11254).
 * Threads are started when there are jobs for them, as many as there are cores, and end when there have been none for a while. Senders
 * (connections, kinds) are served one after the other, and where there are two threads or more no sender has all of them, so that one with
 * many jobs does not delay the others. A job that does not end, or takes more memory than a thread may have, is refused, and its thread
 * stopped.
 *
 * @module
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { type WorkerThreads, type Job, JobError, siblingModule } from "../../util/worker-threads.ts";
import type { Clock, Timer } from "../../util/clock.ts";

const MAX_THREADS = 4;
const MAX_WAITING = 64;
const MAX_WAITING_EACH = 32;
const WAIT_MS = 30_000;
/** Of CPU time, which is the elapsed time on an idle machine. */
const JOB_MS = 10_000;
/** Of elapsed time, on a machine with any load. */
const MAX_JOB_WALL_MS = 60_000;
const IDLE_MS = 30_000;
/** Of one thread; three megabytes of YAML take half of it at most. */
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

interface Waiting {
  readonly sender: object;
  readonly job: Job;
  readonly timer: Timer;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** How much CPU a thread has used, in ms. */
type CpuOf = (worker: Worker) => Promise<number>;

async function cpuOf(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1000;
}

/** Runs jobs in threads, which are started when there are jobs and end after a while without any. */
export class ThreadPool implements WorkerThreads {
  readonly #clock: Clock;
  readonly #cpuOf: CpuOf;
  /** Undefined until the number of cores is needed. */
  #threadLimit: number | undefined;
  readonly #threads = new Set<Thread>();
  /** The waiting jobs, by sender; the sender that is served next first. */
  readonly #waiting = new Map<object, Waiting[]>();
  #count = 0;
  #closed = false;

  /** @param threads at most; as many as there are cores by default, and no more than four */
  constructor(clock: Clock, threads?: number, cpuOfThread: CpuOf = cpuOf) {
    this.#clock = clock;
    this.#cpuOf = cpuOfThread;
    this.#threadLimit = threads;
  }

  /** How many threads there are. */
  get threads(): number {
    return this.#threads.size;
  }

  run(job: Job, sender: object): Promise<unknown> {
    if (this.#closed) return Promise.reject(new JobError("closed", job.what));
    const queue = this.#waiting.get(sender) ?? [];
    if (this.#count >= MAX_WAITING || queue.length >= MAX_WAITING_EACH) {
      return Promise.reject(new JobError("crowded", job.what));
    }
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(WAIT_MS, () => this.#timeOut(waiting), TIMER);
      const waiting: Waiting = { sender, job, timer, resolve, reject };
      queue.push(waiting);
      this.#waiting.set(sender, queue);
      this.#count++;
      this.#next();
    });
  }

  /** Stops all threads; waiting and running jobs are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    const left = [...[...this.#waiting.values()].flat(), ...[...this.#threads].flatMap((thread) => thread.end() ?? [])];
    this.#waiting.clear();
    for (const { timer, reject, job } of left) {
      timer.cancel();
      reject(new JobError("closed", job.what));
    }
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
    this.#threads.clear();
  }

  get #most(): number {
    return (this.#threadLimit ??= Math.min(MAX_THREADS, availableParallelism()));
  }

  /** Gives waiting jobs to idle threads. */
  #next(): void {
    for (;;) {
      const thread = [...this.#threads].find(({ current }) => !current);
      if (!thread && this.#threads.size >= this.#most) return;
      const waiting = this.#take();
      if (!waiting) return;
      (thread ?? this.#start()).begin(waiting);
    }
  }

  /** The next job; its sender becomes the last one. */
  #take(): Waiting | undefined {
    for (const [sender, queue] of this.#waiting) {
      if (this.#runningOf(sender) >= Math.max(1, this.#most - 1)) continue;
      const waiting = queue.shift();
      if (!waiting) continue;
      this.#waiting.delete(sender);
      if (queue.length > 0) this.#waiting.set(sender, queue);
      this.#count--;
      waiting.timer.cancel();
      return waiting;
    }
    return undefined;
  }

  #runningOf(sender: object): number {
    let running = 0;
    for (const { current } of this.#threads) if (current?.sender === sender) running++;
    return running;
  }

  #start(): Thread {
    const thread = new Thread(this.#clock, this.#cpuOf, {
      free: () => this.#next(),
      ended: () => {
        this.#threads.delete(thread);
        this.#next();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #timeOut(waiting: Waiting): void {
    const queue = this.#waiting.get(waiting.sender) ?? [];
    queue.splice(queue.indexOf(waiting), 1);
    if (queue.length === 0) this.#waiting.delete(waiting.sender);
    this.#count--;
    waiting.reject(new JobError("crowded", waiting.job.what));
  }
}

const TIMER = { owner: "work in threads" };

/** Notified when a thread has nothing to do, and when it has ended. */
interface Listener {
  readonly free: () => void;
  readonly ended: () => void;
}

/** One thread; it does one job at a time, and ends when it has had none for a while. */
class Thread {
  current: Waiting | undefined;
  readonly #clock: Clock;
  readonly #cpuOf: CpuOf;
  readonly #worker: Worker;
  readonly #listener: Listener;
  #timer: Timer | undefined;
  #ended = false;

  constructor(clock: Clock, cpuOfThread: CpuOf, listener: Listener) {
    const url = new URL(siblingModule(import.meta.url, "thread"));
    const worker = new Worker(url, { name: "keelson-work", resourceLimits: MEMORY_LIMITS });
    worker.unref();
    worker.on("message", (result: unknown) => this.#finish(result));
    worker.on("error", ({ code }: NodeJS.ErrnoException) => {
      this.#fail(code === "ERR_WORKER_OUT_OF_MEMORY" ? "large" : "failed");
    });
    worker.on("exit", () => this.#fail("failed"));
    this.#clock = clock;
    this.#cpuOf = cpuOfThread;
    this.#worker = worker;
    this.#listener = listener;
  }

  begin(waiting: Waiting): void {
    this.#timer?.cancel();
    this.current = waiting;
    // A thread that is starting has used no CPU time yet.
    const before = this.#cpuOf(this.#worker).catch(() => 0);
    const end = this.#clock.now() + MAX_JOB_WALL_MS;
    this.#timer = this.#clock.after(JOB_MS, () => void this.#look(waiting, before, end), TIMER);
    const { module, input } = waiting.job;
    this.#worker.postMessage({ module, input });
  }

  /** Ends a job that has used its CPU time, and checks again later one that had to wait for the CPU. */
  async #look(waiting: Waiting, before: Promise<number>, end: number): Promise<void> {
    const left = end - this.#clock.now();
    // The thread may not respond.
    this.#timer = this.#clock.after(left, () => this.#fail("slow"), TIMER);
    const used = await this.#cpuOf(this.#worker).catch(() => Infinity);
    const more = JOB_MS - (used - (await before));
    if (this.#ended || this.current !== waiting) return;
    if (more <= 0) return this.#fail("slow");
    this.#timer.cancel();
    this.#timer = this.#clock.after(Math.min(more, left), () => void this.#look(waiting, before, end), TIMER);
  }

  /** Ends the thread; returns the job that it was running. */
  end(): Waiting | undefined {
    this.#ended = true;
    this.#timer?.cancel();
    return this.current;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #finish(result: unknown): void {
    const { current } = this;
    if (this.#ended || !current) return;
    this.#timer?.cancel();
    this.current = undefined;
    this.#timer = this.#clock.after(IDLE_MS, () => this.#fail("failed"), { ...TIMER, upkeep: true });
    current.resolve(result);
    this.#listener.free();
  }

  #fail(why: JobError["why"]): void {
    if (this.#ended) return;
    const current = this.end();
    current?.reject(new JobError(why, current.job.what));
    void this.stop();
    this.#listener.ended();
  }
}
