/**
 * What is attacked: the real executable with a meter inside, and a client beside that keeps to the rules.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, Http2Client, Keelson, type StartOptions, configMap, has, read } from "../serve/keelson.ts";

const METER = new URL("meter.mjs", import.meta.url).pathname;
/** The admin's token: what is sent depends on the seed alone. */
export const TOKEN = "the-token-of-the-admin-in-all-attacks";
/** Where the healthy client works. */
export const HEALTHY = "healthy";
const COLLECTION = `/api/v1/namespaces/${HEALTHY}/configmaps`;

/** What a server uses once all that it does not has been collected, in bytes. */
export interface Memory {
  readonly used: number;
  readonly rss: number;
}

/** A client with the admin's token. */
export interface Client {
  send(method: string, path: string, body?: unknown): Promise<Pick<Answer, "status" | "text">>;
  close(): void;
}

/** A client that reads, writes and deletes what is its own while others attack. */
export class Healthy {
  /** How long each request took, in ms. */
  readonly times: number[] = [];
  /** Unexpected results. */
  readonly troubles: string[] = [];
  readonly #client: Client;
  readonly #running: Promise<void>;
  readonly #stopped = new AbortController();

  /** @param least the number of operations after which it may end, also when it has been stopped */
  constructor(client: Client, pause: number, least: number) {
    this.#client = client;
    this.#running = this.#run(pause, least);
  }

  /** The time below which 99 of 100 requests were answered, in ms. */
  get p99(): number {
    return this.times.toSorted((a, b) => a - b)[Math.floor(this.times.length * 0.99)] ?? 0;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    this.#client.close();
  }

  async #run(pause: number, least: number): Promise<void> {
    for (let i = 0; !this.#stopped.signal.aborted || i < least; i++) {
      const path = `${COLLECTION}/n${i}`;
      await this.#ask(201, "POST", COLLECTION, configMap(`n${i}`, { of: "the healthy client" }));
      await this.#ask(200, "GET", path);
      await this.#ask(200, "DELETE", path);
      await sleep(pause);
    }
  }

  async #ask(expected: number, method: string, path: string, body?: unknown): Promise<void> {
    const from = performance.now();
    const got = await this.#client.send(method, path, body).then(
      ({ status, text }) => (status === expected ? "" : `${status} ${text.slice(0, 200)}`),
      (error: unknown) => String(error),
    );
    this.times.push(performance.now() - from);
    if (got !== "") this.troubles.push(`${method} ${path}: ${got}`);
  }
}

/** How to start a server that is attacked. */
export interface TargetOptions extends StartOptions {
  readonly args?: readonly string[];
}

/** A server under attack. */
export class Target {
  readonly keelson: Keelson;
  readonly directory: string;
  readonly port: number;
  /** Empty where it speaks plain HTTP. */
  readonly ca: string;
  readonly #meter: net.Socket;
  /** The connection for requests of metrics. */
  #asking: Http2Client | undefined;

  private constructor(keelson: Keelson, directory: string, meter: net.Socket) {
    this.keelson = keelson;
    this.directory = directory;
    this.port = Number(new URL(keelson.url).port);
    this.ca = has(directory, "pki/ca.crt") ? read(directory, "pki/ca.crt") : "";
    this.#meter = meter;
  }

  /** Starts a server on a directory that does not exist yet. */
  static async start(directory: string, { args = [], env = {}, ...options }: TargetOptions = {}): Promise<Target> {
    mkdirSync(directory, { mode: 0o700 });
    writeFileSync(join(directory, "admin.token"), TOKEN, { mode: 0o600 });
    const path = `${directory}-meter`;
    const preload = `${env["NODE_OPTIONS"] ?? ""} --import ${METER}`.trim();
    const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", ...args], {
      ...options,
      env: { ...env, NODE_OPTIONS: preload, METER: path },
    });
    const meter = net.connect(path);
    const target = new Target(keelson, directory, meter);
    await target.memory();
    await target.turn();
    return target;
  }

  /** The longest turn of the server's event loop since this was last asked, in ms of CPU. */
  async turn(): Promise<number> {
    return ((await this.#ask("turn")) as { turn: number }).turn;
  }

  /** Collects the server's garbage and tells what is left. */
  async memory(): Promise<Memory> {
    return (await this.#ask("memory")) as Memory;
  }

  connect(headers?: Readonly<Record<string, string>>): Promise<Http2Client> {
    return Http2Client.connect(this.keelson, this.directory, headers);
  }

  /** A client that works beside the attack; it waits `pause` ms after every three requests. */
  async healthy(pause = 5, least = 0): Promise<Healthy> {
    return this.beside(await this.connect(), pause, least);
  }

  /** One that works over a connection of its own kind. */
  async beside(client: Client, pause: number, least = 0): Promise<Healthy> {
    await client.send("POST", "/api/v1/namespaces", { metadata: { name: HEALTHY } });
    return new Healthy(client, pause, least);
  }

  /** The sum of a figure of the server's own over all its labels; with labels, it is that one alone. */
  async metric(name: string): Promise<number> {
    if (this.#asking?.session.closed !== false) this.#asking = await this.connect();
    const { text } = await this.#asking.send("GET", "/metrics");
    const lines = text.split("\n").filter((line) => line.startsWith(name));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
  }

  async stop(): Promise<void> {
    this.#meter.destroy();
    this.#asking?.session.destroy();
    await this.keelson.stop("SIGKILL");
  }

  #ask(question: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let text = "";
      const gone = (): void => reject(new Error(`the server is gone: ${this.keelson.stderr}`));
      const take = (piece: Buffer): void => {
        text += piece.toString();
        if (!text.endsWith("\n")) return;
        this.#meter.off("data", take);
        this.#meter.off("close", gone);
        resolve(JSON.parse(text));
      };
      this.#meter.on("data", take);
      this.#meter.once("close", gone);
      this.#meter.write(question);
    });
  }
}
