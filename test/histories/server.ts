/**
 * One server of a run: the real executable behind a proxy, so that its address stays the same over restarts and its
 * clients can be cut off.
 *
 * @module
 */
import { Keelson, read } from "../serve/keelson.ts";
import { Proxy } from "../etcd/proxy.ts";
import type { Address } from "./connection.ts";
import { type Fault, pause } from "./faults.ts";

/** How often a server is started before that has failed. */
const TRIES = 5;

/** See the head of this file. */
export class Server {
  readonly directory: string;
  readonly #args: readonly string[];
  readonly #proxy: Proxy;
  #process: Keelson | undefined;
  #credentials: { readonly ca: string; readonly token: string } | undefined;

  private constructor(directory: string, args: readonly string[], proxy: Proxy) {
    this.directory = directory;
    this.#args = args;
    this.#proxy = proxy;
  }

  /** Starts a server on a data directory, with the options of `serve`. */
  static async start(directory: string, args: readonly string[]): Promise<Server> {
    const server = new Server(directory, args, await Proxy.to("http://127.0.0.1:1"));
    await server.restart();
    return server;
  }

  readonly address = (): Address | undefined => {
    if (!this.#credentials) return undefined;
    return { url: this.#proxy.url.replace("http:", "https:"), ...this.#credentials };
  };

  /** Starts it again on its data, also where it ended because etcd was away for too long. */
  async restart(): Promise<void> {
    const own = ["--data-dir", this.directory, "--port", "0", "--log-level", "warn"];
    // Clients that were silenced never take their answers: a stop would wait for them.
    const args = [...own, "--shutdown-grace", "2s", ...this.#args];
    for (let tries = 1; ; tries++) {
      try {
        this.#process = await Keelson.serve(args);
        break;
      } catch (error) {
        if (tries >= TRIES || !/keelson: .*etcd/.test(String(error))) throw error;
      }
    }
    this.#credentials ??= { ca: read(this.directory, "pki/ca.crt"), token: read(this.directory, "admin.token") };
    this.#proxy.retarget(this.#process.url);
  }

  /** Ends it; after SIGTERM it must have ended in order. */
  async stop(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const end = await this.#process!.stop(signal);
    if (signal === "SIGTERM" && end.code !== 0) {
      throw new Error(
        `expected the server to end with 0 after SIGTERM, got ${JSON.stringify(end)}: ${this.#process!.stderr.slice(-2000)}`,
      );
    }
  }

  async close(): Promise<void> {
    await this.#process?.stop("SIGKILL");
    this.#proxy.close();
  }

  /** What can happen to a server that runs. `afterKill` is called while it is down after SIGKILL. */
  faults(name: string, afterKill: () => Promise<void>): Fault[] {
    return [
      {
        name: `kill -9 ${name}`,
        weight: 4,
        run: async (random, signal) => {
          await this.stop("SIGKILL");
          await afterKill();
          await pause(random.next() * 1500, signal);
          await this.restart();
        },
      },
      {
        name: `SIGTERM ${name}`,
        weight: 2,
        run: async () => {
          await this.stop("SIGTERM");
          await this.restart();
        },
      },
      {
        name: `pause ${name}`,
        weight: 2,
        run: async (random, signal) => {
          this.#process!.process.kill("SIGSTOP");
          await pause(200 + random.next() * 5000, signal);
          this.#process!.process.kill("SIGCONT");
        },
      },
      {
        name: `cut the clients of ${name}`,
        weight: 2,
        run: async () => this.#proxy.cut(),
      },
      {
        name: `silence the clients of ${name}`,
        weight: 1,
        run: async () => this.#proxy.silence(),
      },
    ];
  }
}
