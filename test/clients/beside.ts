/**
 * A server, and programs beside it that use it as they would any other; nothing else. What a program says is kept for the
 * test that it fails.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { basename, join } from "node:path";
import { type Answer, Http2Client, Keelson, Scratch } from "../serve/keelson.ts";

/** An object as it comes, unchecked. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Found = any;

const PATIENCE_MS = 40_000;
/** How much is kept of what a program has said last. */
const KEPT = 6000;

/** See the head of this file. */
export class Beside {
  protected readonly scratch = new Scratch();
  readonly #directory = this.scratch.fresh();
  readonly #running = new Map<ChildProcess, () => string>();
  #server!: Keelson;
  #client!: Http2Client;

  /** Starts the server. @param options additional options */
  async serve(...options: readonly string[]): Promise<void> {
    const needed = ["--data-dir", this.#directory, "--port", "0", "--dialect", "kubernetes"];
    this.#server = await Keelson.serve([...needed, ...options]);
    this.#client = await Http2Client.connect(this.#server, this.#directory);
  }

  async stop(): Promise<void> {
    const all = [...this.#running.keys()].filter((child) => child.exitCode === null && child.signalCode === null);
    const ended = all.map((child) => once(child, "exit"));
    for (const child of all) child.kill("SIGKILL");
    await Promise.all(ended);
    this.#client?.close();
    await this.#server?.stop("SIGKILL");
    this.scratch.remove();
  }

  /** The process of the server. */
  get pid(): number {
    return this.#server.pid;
  }

  get kubeconfig(): string {
    return join(this.#directory, "admin.kubeconfig");
  }

  /** Starts a program with an environment of its own. @param name its name in messages; that of its file by default */
  run(
    [file, ...args]: readonly string[],
    env: Readonly<Record<string, string>> = {},
    name = basename(file!),
  ): ChildProcess {
    const { PATH } = process.env;
    const child = spawn(file!, args, { env: { PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-KEPT)));
    }
    this.#running.set(child, () => `${name}: ${said}`);
    return child;
  }

  /** Ends a program without a word; resolves when it has gone. */
  async kill(child: ChildProcess): Promise<void> {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** What all programs have said last. */
  get said(): string {
    return [...this.#running.values()].map((last) => last()).join("\n\n");
  }

  async #done(method: string, path: string, body?: unknown, type?: string): Promise<Found> {
    const answer: Answer = await this.#client.send(method, path, body, type ? { "content-type": type } : {});
    if (answer.status < 300) return answer.json;
    throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  }

  create(path: string, body: object): Promise<Found> {
    return this.#done("POST", path, body);
  }

  get(path: string): Promise<Found> {
    return this.#done("GET", path);
  }

  merge(path: string, body: object): Promise<Found> {
    return this.#done("PATCH", path, body, "application/merge-patch+json");
  }

  delete(path: string, options?: object): Promise<Found> {
    return this.#done("DELETE", path, options);
  }

  async isGone(path: string): Promise<boolean> {
    return (await this.#client.send("GET", path)).status === 404;
  }

  /** An object once it is as wanted; rejects with how it was last, and what the programs said. */
  async once(path: string, suits: (found: Found) => boolean, patience = PATIENCE_MS): Promise<Found> {
    const end = performance.now() + patience;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      const { status, json, text } = await this.#client.send("GET", path);
      if (status === 200 && suits(json)) return json;
      if (performance.now() > end) {
        throw new Error(`expected ${path} to become ${suits.toString()}, it is ${text}\n\n${this.said}`);
      }
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async gone(path: string): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    while (!(await this.isGone(path))) {
      if (performance.now() > end) {
        // oxlint-disable-next-line no-await-in-loop -- the last one
        throw new Error(`expected ${path} to go, it is ${JSON.stringify(await this.get(path))}\n\n${this.said}`);
      }
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Once an object has an Event with a reason; the Event. */
  async event(namespace: string, name: string, reason: string): Promise<Found> {
    const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.name%3D${name},reason%3D${reason}`;
    const { items } = await this.once(path, (found) => found.items.length > 0);
    return items[0];
  }
}
