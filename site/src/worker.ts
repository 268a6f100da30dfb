/**
 * The worker of a page: a cluster with a terminal, driven by messages.
 *
 * @module
 */
import "./node/disposables.ts";
import { messageOf } from "../../src/util/error.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { type Terminal, openTerminal } from "./terminal.ts";

const send = (message: FromWorker): void => self.postMessage(message);

/** Texts are sent together, so that a program with many lines sends few messages. */
const BATCH_MS = 16;

/** Runs the messages of one page. */
class PageWorker {
  #terminal: Promise<Terminal> | undefined;
  readonly #running = new Map<number, AbortController>();
  /** Commands run one after the other. */
  #last: Promise<void> = Promise.resolve();
  /** Gets what the editor has saved. */
  #edited: ((text: string | undefined) => void) | undefined;

  take(message: ToWorker): void {
    if (message.type === "stop") this.#running.get(message.id)?.abort();
    else if (message.type === "edited") this.#edited?.(message.text);
    else if (message.type === "start") this.#start(message);
    else {
      this.#running.set(message.id, new AbortController());
      this.#last = this.#last.then(() => this.#run(message.id, message.text));
    }
  }

  #start({ version, nodes, files }: Extract<ToWorker, { type: "start" }>): void {
    const began = performance.now();
    const warn = (text: string): void => send({ type: "warn", text });
    this.#terminal ??= openTerminal({ version, nodes, warn, edit: (file, signal) => this.#edit(file, signal) }).then(
      async (terminal) => {
        for (const [path, text] of Object.entries(files)) terminal.write(path, text);
        await terminal.run("kubectl get --raw /api/v1/namespaces/default", () => {});
        send({ type: "ready", millis: performance.now() - began });
        void terminal.page.complete.then(() => send({ type: "complete", millis: performance.now() - began }));
        return terminal;
      },
    );
    this.#terminal.catch((error: unknown) => send({ type: "failed", text: messageOf(error) }));
  }

  #edit(
    { name, text }: { readonly name: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#edited = resolve;
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
    send({ type: "edit", name, text });
    return promise;
  }

  async #run(id: number, text: string): Promise<void> {
    const { signal } = this.#running.get(id)!;
    let waiting = "";
    let timer: unknown;
    const flush = (): void => {
      timer = undefined;
      if (waiting !== "") send({ type: "print", id, text: waiting });
      waiting = "";
    };
    const print = (part: string): void => {
      waiting += part;
      timer ??= setTimeout(flush, BATCH_MS);
    };
    let code = 1;
    try {
      const terminal = await this.#terminal;
      if (!terminal) throw new Error("the cluster has not been started");
      code = await terminal.run(text, print, signal);
    } catch (error) {
      print(`${messageOf(error)}\n`);
    }
    flush();
    this.#running.delete(id);
    send({ type: "end", id, code });
  }
}

const worker = new PageWorker();
self.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => worker.take(data));
