/**
 * A server that scripts are played against, and what must hold of it whatever they were.
 *
 * @module
 */
import { type Healthy, Target } from "../attacks/target.ts";
import type { Scratch } from "../serve/keelson.ts";
import { LARGE_MAP, NAMESPACE } from "./catalog.ts";
import type { Place } from "./line.ts";

/** What scripts create is gone from the past of objects soon. */
const ARGS = ["--history", "10s"];

/** See the head of this file. */
export class Site {
  readonly place: Place;
  readonly #target: Target;
  readonly #healthy: Healthy;

  private constructor(target: Target, healthy: Healthy) {
    this.#target = target;
    this.#healthy = healthy;
    const isPlain = target.keelson.url.startsWith("http:");
    this.place = { port: target.port, ...(isPlain ? {} : { ca: target.ca }) };
  }

  /** Starts a server with something to be read, and a client beside. */
  static async start(scratch: Scratch, args: readonly string[]): Promise<Site> {
    const target = await Target.start(scratch.fresh(), { args: [...ARGS, ...args] });
    const client = await target.connect();
    await client.send("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    await client.send("POST", `/api/v1/namespaces/${NAMESPACE}/configmaps`, LARGE_MAP);
    client.session.destroy();
    return new Site(target, await target.healthy(50));
  }

  /** What is wrong with the server; empty where nothing is. */
  async troubles(): Promise<string[]> {
    const { keelson } = this.#target;
    const failures = await this.#target.metric("keelson_uncaught_total");
    const logged = keelson.stderr.split("\n").filter((line) => /^\S+ ERROR |^\s+at .*:\d+/.test(line));
    return [
      ...this.#healthy.troubles.map((trouble) => `the client beside: ${trouble}`),
      ...logged.map((line) => `logged: ${line}`),
      ...(failures === 0 ? [] : [`keelson_uncaught_total is ${failures}`]),
    ];
  }

  async stop(): Promise<void> {
    await this.#healthy.stop();
    await this.#target.stop();
  }
}
