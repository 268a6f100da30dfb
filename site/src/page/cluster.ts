/**
 * The cluster of a page, which is in a worker: it is started with the first command, so that a page that is only read loads none of it.
 *
 * @module
 */
import type { FromWorker, ToWorker } from "../messages.ts";

/** Simulated nodes of a page. */
const NODES = 3;

/** A command that runs. */
interface RunningCommand {
  readonly print: (text: string) => void;
  readonly end: (code: number) => void;
}

/** What the cluster of a page tells. */
export interface ClusterObserver {
  /** Prints what concerns the cluster, and no command. */
  readonly tell: (text: string) => void;
  /** Opens an editor. Resolves to what was saved; undefined where it was closed without. */
  readonly edit: (name: string, text: string) => Promise<string | undefined>;
}

/** The cluster of a page. */
export class PageClusterClient {
  readonly #url: URL;
  readonly #files: Readonly<Record<string, string>>;
  readonly #observer: ClusterObserver;
  readonly #running = new Map<number, RunningCommand>();
  #worker: Worker | undefined;
  #last = 0;

  /**
   * @param files what programs find, by name
   */
  constructor(url: URL, files: Readonly<Record<string, string>>, observer: ClusterObserver) {
    this.#url = url;
    this.#files = files;
    this.#observer = observer;
  }

  /** Starts it, where it has not been started. */
  start(): void {
    if (this.#worker) return;
    this.#observer.tell("Starting a cluster in this page...\n");
    const worker = new Worker(this.#url, { type: "module" });
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#take(data));
    worker.addEventListener("error", ({ message }) => this.#fail(`the worker has failed: ${message}`));
    this.#send({
      type: "start",
      version: document.documentElement.dataset["version"] ?? "0",
      nodes: NODES,
      files: this.#files,
    });
  }

  /** Runs a command. Resolves to its exit code. */
  run(text: string, print: (text: string) => void): { readonly code: Promise<number>; readonly stop: () => void } {
    this.start();
    const id = ++this.#last;
    const code = new Promise<number>((end) => this.#running.set(id, { print, end }));
    this.#send({ type: "run", id, text });
    return { code, stop: () => this.#send({ type: "stop", id }) };
  }

  /** Ends it; the next command starts a new one. */
  end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { end } of this.#running.values()) end(130);
    this.#running.clear();
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  #take(message: FromWorker): void {
    if (message.type === "print") this.#running.get(message.id)?.print(message.text);
    else if (message.type === "end") {
      this.#running.get(message.id)?.end(message.code);
      this.#running.delete(message.id);
    } else if (message.type === "ready") {
      performance.mark("cluster-ready", { detail: message.millis });
      document.documentElement.dataset["cluster"] = String(Math.round(message.millis));
      this.#observer.tell(
        `It was ready after ${Math.round(message.millis)} ms, and has ${NODES} simulated nodes. Type help.\n`,
      );
    } else if (message.type === "edit") {
      void this.#observer.edit(message.name, message.text).then((text) => this.#send({ type: "edited", text }));
    } else if (message.type === "complete")
      document.documentElement.dataset["complete"] = String(Math.round(message.millis));
    else if (message.type === "failed") this.#fail(message.text);
    else if (message.type === "warn") console.warn(message.text);
  }

  #fail(text: string): void {
    this.#observer.tell(`The cluster could not be started: ${text}\n`);
    this.end();
  }
}
