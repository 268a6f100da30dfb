/**
 * Decodes large YAML documents beside the event loop: a parser that takes seconds for three megabytes must not hold up
 * anybody else (CVE-2019-11253, CVE-2019-11254). The thread is started for the first such document; one that does not
 * come to an end is stopped and refused.
 *
 * @module
 */
import { Worker } from "node:worker_threads";
import { badRequest, tooManyRequests, unavailable } from "../../meta/status.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { DecodeError, type Decoded } from "../../value/decode-error.ts";
import { decodeJson } from "../../value/json.ts";
import type { YamlOptions } from "../../value/yaml.ts";
import type { YamlReply, YamlTask } from "./yaml-thread.ts";

const MOST_WAITING = 32;
const MOST_MILLIS = 10_000;

interface Waiting {
  readonly task: YamlTask;
  readonly resolve: (decoded: Decoded) => void;
  readonly reject: (error: Error) => void;
}

/** A thread for YAML, one document at a time. */
export class YamlWorker {
  readonly #clock: Clock;
  #worker: Worker | undefined;
  #queue: Waiting[] = [];
  #current: Waiting | undefined;
  #timer: Timer | undefined;
  #nextId = 1;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Decodes a document. Rejects with DecodeError, and with an ApiError when too many wait or the server closes. */
  decode(bytes: Uint8Array, options: YamlOptions): Promise<Decoded> {
    if (this.#closed) return Promise.reject(unavailable("the server is shutting down"));
    if (this.#queue.length >= MOST_WAITING) {
      return Promise.reject(tooManyRequests("too many large YAML documents are waiting; send JSON, or try again"));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ task: { id: this.#nextId++, bytes, options }, resolve, reject });
      this.#next();
    });
  }

  /** Stops the thread; what is under way is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    const waiting = this.#current ? [this.#current, ...this.#queue] : this.#queue;
    this.#queue = [];
    this.#current = undefined;
    for (const { reject } of waiting) reject(unavailable("the server is shutting down"));
    await this.#stop();
  }

  #next(): void {
    if (this.#current) return;
    const next = this.#queue.shift();
    if (!next) return;
    this.#current = next;
    this.#worker ??= this.#start();
    this.#timer = this.#clock.after(MOST_MILLIS, () => {
      void this.#stop();
      this.#finish(({ reject }) => reject(badRequest("expected a YAML document that can be read in a few seconds")));
    });
    this.#worker.postMessage(next.task);
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`./yaml-thread.${extension}`, import.meta.url), { name: "keelson-yaml" });
    worker.unref();
    worker.on("message", (reply: YamlReply) => {
      if (this.#worker !== worker || reply.id !== this.#current?.task.id) return;
      this.#finish((waiting) => answer(waiting, reply));
    });
    const failed = (): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#finish(({ reject }) => reject(unavailable("the YAML reader has failed; send JSON, or try again")));
    };
    worker.on("error", failed);
    worker.on("exit", failed);
    return worker;
  }

  #finish(how: (waiting: Waiting) => void): void {
    this.#timer?.cancel();
    const waiting = this.#current;
    this.#current = undefined;
    if (waiting) how(waiting);
    this.#next();
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#timer?.cancel();
    await worker?.terminate();
  }
}

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
