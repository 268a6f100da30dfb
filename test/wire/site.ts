/**
 * A server that scripts are played against, and what must hold of it whatever they were.
 *
 * @module
 */
import { MAX_SLICE_MS, isLongSlice } from "../../src/util/testing/slices.ts";
import { type Client, type Healthy, TOKEN, Target } from "../attacks/target.ts";
import type { Scratch } from "../serve/keelson.ts";
import { CREATED, LARGE_MAP, MAPS, NAMESPACE } from "./catalog.ts";
import type { Place } from "./line.ts";

/** What scripts create is gone from the past of objects soon. */
const ARGS = ["--history", "10s"];
const PAUSE_MS = 50;
const MOST_MORE_BYTES = 24 << 20;

/** See the head of this file. */
export class Site {
  readonly place: Place;
  readonly #target: Target;
  readonly #healthy: Healthy;
  /** Bytes in use, each time that all was cleared. */
  readonly #used: number[] = [];

  private constructor(target: Target, healthy: Healthy) {
    this.#target = target;
    this.#healthy = healthy;
    this.place = { port: target.port, ...(target.ca === "" ? {} : { ca: target.ca }) };
  }

  /** Starts a server with something to be read, and a client beside. */
  static async start(scratch: Scratch, args: readonly string[]): Promise<Site> {
    const target = await Target.start(scratch.fresh(), { args: [...ARGS, ...args] });
    const client = await clientOf(target);
    await client.send("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    await client.send("POST", MAPS, LARGE_MAP);
    client.close();
    const healthy = await target.beside(await clientOf(target), PAUSE_MS);
    await target.turn();
    return new Site(target, healthy);
  }

  /** Removes what scripts have created. */
  async clear(): Promise<void> {
    await this.#ask("DELETE", CREATED);
    this.#used.push((await this.#target.memory()).used);
  }

  /** What is wrong with the server; empty where nothing is. */
  async troubles(): Promise<string[]> {
    const text = await this.#ask("GET", "/metrics");
    const failures = text.split("\n").filter((line) => /^keelson_uncaught_total\{.*\} [^0]/.test(line));
    const logged = this.#target.keelson.stderr.split("\n").filter((line) => /^\S+ ERROR |^\s+at .*:\d+/.test(line));
    const turn = await this.#target.turn();
    return [
      ...this.#healthy.troubles.map((trouble) => `the client beside: ${trouble}`),
      ...logged.map((line) => `logged: ${line}`),
      ...failures,
      ...(text.includes("keelson_uncaught_total{") ? [] : ["no metrics"]),
      ...(isLongSlice(turn, 2 * MAX_SLICE_MS) ? [`a turn of ${turn} ms`] : []),
      ...this.#growth(),
    ];
  }

  async #ask(method: string, path: string): Promise<string> {
    const client = await clientOf(this.#target);
    const { text } = await client.send(method, path);
    client.close();
    return text;
  }

  /** What is kept on purpose is bounded, and fills up in the first half. */
  #growth(): string[] {
    const used = this.#used;
    const more = used.length < 4 ? 0 : used.at(-1)! - used[used.length >> 1]!;
    return more > MOST_MORE_BYTES ? [`memory grew by ${more} bytes in the second half`] : [];
  }

  async stop(): Promise<void> {
    await this.#healthy.stop();
    await this.#target.stop();
  }
}

const clientOf = (target: Target): Client | Promise<Client> =>
  target.ca === "" ? new PlainClient(target.keelson.url) : target.connect();

/** A client of plain HTTP. */
class PlainClient implements Client {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${this.#url}${path}`, { method, headers, ...sent });
    return { status: response.status, text: await response.text() };
  }

  close(): void {}
}
