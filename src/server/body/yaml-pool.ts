/**
 * Decodes large YAML documents beside the event loop: a parser that takes seconds for three megabytes must not hold up
 * anybody else (CVE-2019-11253, CVE-2019-11254).
 *
 * Threads are started when there is something for them, as many as there are cores, and end when there has been nothing
 * for a while. Connections take turns, and where there are two threads no connection has all of them, so that one with
 * many documents does not keep the others waiting. A document that does not come to an end, or takes more memory than a
 * thread may have, is refused, and its thread stopped.
 *
 * @module
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Connection } from "../../auth/contract.ts";
import { badRequest, tooLarge, tooManyRequests, unavailable } from "../../meta/status.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { DecodeError, type Decoded } from "../../value/decode-error.ts";
import { decodeJson } from "../../value/json.ts";
import type { YamlOptions } from "../../value/yaml.ts";
import type { YamlReply, YamlTask } from "./yaml-thread.ts";

const MOST_THREADS = 4;
const MOST_WAITING = 64;
const MOST_WAITING_EACH = 32;
const WAIT_MS = 30_000;
const DECODE_MS = 10_000;
const IDLE_MS = 30_000;
/** Of one thread; three megabytes of YAML take half of it at most. */
const MOST_MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

interface Waiting {
  readonly sender: Connection;
  readonly task: YamlTask;
  readonly timer: Timer;
  readonly resolve: (decoded: Decoded) => void;
  readonly reject: (error: Error) => void;
}

/** See the head of this file. */
export class YamlPool {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #threads = new Set<YamlThread>();
  /** What waits, by connection; the one whose turn it is first. */
  readonly #waiting = new Map<Connection, Waiting[]>();
  #count = 0;
  #closed = false;

  /** @param threads at most; as many as there are cores by default, and no more than four */
  constructor(clock: Clock, threads: number = Math.min(MOST_THREADS, availableParallelism())) {
    this.#clock = clock;
    this.#most = threads;
  }

  /** How many threads there are. */
  get threads(): number {
    return this.#threads.size;
  }

  /**
   * Decodes a document of a connection. Rejects with DecodeError, and with an ApiError when too many wait, it takes too
   * long or too much, or the server closes.
   */
  decode(bytes: Uint8Array, options: YamlOptions, sender: Connection): Promise<Decoded> {
    if (this.#closed) return Promise.reject(unavailable("the server is shutting down"));
    const queue = this.#waiting.get(sender) ?? [];
    if (this.#count >= MOST_WAITING || queue.length >= MOST_WAITING_EACH) return Promise.reject(crowded());
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(WAIT_MS, () => this.#giveUp(waiting), TIMER);
      const waiting: Waiting = { sender, task: { bytes, options }, timer, resolve, reject };
      queue.push(waiting);
      this.#waiting.set(sender, queue);
      this.#count++;
      this.#next();
    });
  }

  /** Stops all threads; what waits or is under way is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    const left = [...[...this.#waiting.values()].flat(), ...[...this.#threads].flatMap((thread) => thread.end() ?? [])];
    this.#waiting.clear();
    for (const { timer, reject } of left) {
      timer.cancel();
      reject(unavailable("the server is shutting down"));
    }
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
    this.#threads.clear();
  }

  /** Gives documents to threads as long as there are both. */
  #next(): void {
    for (;;) {
      const thread = [...this.#threads].find(({ current }) => !current);
      if (!thread && this.#threads.size >= this.#most) return;
      const waiting = this.#take();
      if (!waiting) return;
      (thread ?? this.#start()).begin(waiting);
    }
  }

  /** The document whose turn it is; its connection is the last one from now on. */
  #take(): Waiting | undefined {
    for (const [sender, queue] of this.#waiting) {
      if (this.#runningOf(sender) >= Math.max(1, this.#most - 1)) continue;
      const waiting = queue.shift()!;
      this.#waiting.delete(sender);
      if (queue.length > 0) this.#waiting.set(sender, queue);
      this.#count--;
      waiting.timer.cancel();
      return waiting;
    }
    return undefined;
  }

  #runningOf(sender: Connection): number {
    let running = 0;
    for (const { current } of this.#threads) if (current?.sender === sender) running++;
    return running;
  }

  #start(): YamlThread {
    const thread = new YamlThread(this.#clock, {
      free: () => this.#next(),
      ended: () => {
        this.#threads.delete(thread);
        this.#next();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #giveUp(waiting: Waiting): void {
    const queue = this.#waiting.get(waiting.sender)!;
    queue.splice(queue.indexOf(waiting), 1);
    if (queue.length === 0) this.#waiting.delete(waiting.sender);
    this.#count--;
    waiting.reject(crowded());
  }
}

const TIMER = { owner: "YAML documents" };

const crowded = (): Error => tooManyRequests("too many large YAML documents are waiting; send JSON, or try again");

/** Who hears of a thread: it has nothing to do, or it is there no more. */
interface Listener {
  readonly free: () => void;
  readonly ended: () => void;
}

/** One thread; it decodes one document at a time, and ends when it has had none for a while. */
class YamlThread {
  current: Waiting | undefined;
  readonly #clock: Clock;
  readonly #worker: Worker;
  readonly #listener: Listener;
  #timer: Timer | undefined;
  #ended = false;

  constructor(clock: Clock, listener: Listener) {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const url = new URL(`./yaml-thread.${extension}`, import.meta.url);
    const worker = new Worker(url, { name: "keelson-yaml", resourceLimits: MOST_MEMORY });
    worker.unref();
    worker.on("message", (reply: YamlReply) => this.#finish((waiting) => answer(waiting, reply)));
    worker.on("error", (error: NodeJS.ErrnoException) => this.#fail(failureOf(error)));
    worker.on("exit", () => this.#fail(failureOf()));
    this.#clock = clock;
    this.#worker = worker;
    this.#listener = listener;
  }

  begin(waiting: Waiting): void {
    this.#timer?.cancel();
    this.current = waiting;
    this.#timer = this.#clock.after(
      DECODE_MS,
      () => this.#fail(badRequest("expected a YAML document that can be read in a few seconds")),
      TIMER,
    );
    this.#worker.postMessage(waiting.task);
  }

  /** Says nothing any more; gives back what it was at. */
  end(): Waiting | undefined {
    this.#ended = true;
    this.#timer?.cancel();
    return this.current;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #finish(how: (waiting: Waiting) => void): void {
    const { current } = this;
    if (this.#ended || !current) return;
    this.#timer?.cancel();
    this.current = undefined;
    this.#timer = this.#clock.after(IDLE_MS, () => this.#fail(failureOf()), { ...TIMER, upkeep: true });
    how(current);
    this.#listener.free();
  }

  #fail(why: Error): void {
    if (this.#ended) return;
    this.end()?.reject(why);
    void this.stop();
    this.#listener.ended();
  }
}

const failureOf = (error?: NodeJS.ErrnoException): Error =>
  error?.code === "ERR_WORKER_OUT_OF_MEMORY"
    ? tooLarge("reading the YAML document takes more memory than one may have")
    : unavailable("the YAML reader has failed; send JSON, or try again");

function answer({ task, resolve, reject }: Waiting, reply: YamlReply): void {
  if ("code" in reply) {
    reject(new DecodeError(reply.code, reply.message));
    return;
  }
  const depth = task.options.depth === undefined ? {} : { depth: task.options.depth };
  try {
    resolve({ value: decodeJson(reply.json, depth).value, duplicates: [...reply.duplicates] });
  } catch (error) {
    reject(error as Error);
  }
}
