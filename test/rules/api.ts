/**
 * A cluster in the test's own process, and a client of it, which the tests of the numbered rules share. No port, no
 * certificate: requests are handed to the server, and pass all that requests from the network pass.
 *
 *     const api = serve();                       // one cluster per file, in memory, with a clock that stands still
 *     const ns = fresh("ns");                    // a namespace of its own for each test
 *     const made = await api.post(paths.configmaps(ns), { metadata: { name: "a" }, data: { k: "v" } });
 *     expect(made.status).toBe(201);
 *     await api.pass(3_600_000);                 // an hour later
 *
 * @module
 */
import { afterAll, beforeAll } from "vitest";
import { type RawOptions, resolveOptions } from "../../src/app/options/options.ts";
import { ADMIN } from "../../src/auth/admin.ts";
import type { Identity } from "../../src/auth/contract.ts";
import { tokenSigner } from "../../src/auth/service-account-tokens.ts";
import { tokenKeys } from "../../src/auth/token-keys.ts";
import { type Cluster, type ClusterParts, createCluster } from "../../src/cluster/index.ts";
import { builtInControllers, chooseControllers, lifecycleControllers } from "../../src/controllers/index.ts";
import { neutral } from "../../src/meta/dialect.ts";
import { gatesOf } from "../../src/meta/gates.ts";
import { createPki } from "../../src/pki/index.ts";
import type { InjectResponse } from "../../src/server/http/inject.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { Activity } from "../../src/util/activity.ts";
import { ManualClock, seededRandom } from "../../src/util/clock.ts";
import { EventLoop } from "../../src/util/loop.ts";
import { nextPass } from "../../src/util/testing/pass.ts";
import { metered } from "../../src/util/testing/slices.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";
import { Answer, headersOf } from "./answer.ts";
import { Watch } from "./watch-stream.ts";

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** What a request has beside its path and body. */
export interface Extras {
  readonly query?: Query;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The admin by default; null for the user of the headers. */
  readonly identity?: Identity | null;
}

/** A body: text and bytes go as they are, all else as JSON. */
export type Body = string | Uint8Array | object;

export const JSON_TYPE = "application/json";
export const MERGE = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const APPLY = "application/apply-patch+yaml";

let names = 0;

/** A name that no other test of the file uses. */
export const fresh = (stem: string): string => `${stem}-${(names++).toString(36)}`;

/** A cluster, and what a test moves and waits for. */
export interface World {
  readonly cluster: Cluster;
  readonly clock: ManualClock;
  readonly activity: Activity;
}

/** One cluster, as its admin. */
export class Api {
  #world: World | undefined;

  use(world: World | undefined): void {
    this.#world = world;
  }

  get world(): World {
    if (!this.#world) throw new Error("expected a cluster: call serve() at the top of the file");
    return this.#world;
  }

  get(path: string, query: Query = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send("GET", path, undefined, { query, headers });
  }

  post(path: string, body: Body, query: Query = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send("POST", path, body, { query, headers: { "content-type": JSON_TYPE, ...headers } });
  }

  put(path: string, body: Body, query: Query = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send("PUT", path, body, { query, headers: { "content-type": JSON_TYPE, ...headers } });
  }

  delete(path: string, query: Query = {}, options?: Body): Promise<Answer> {
    const headers = options === undefined ? {} : { "content-type": JSON_TYPE };
    return this.send("DELETE", path, options, { query, headers });
  }

  patch(
    path: string,
    type: string,
    body: Body,
    query: Query = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.send("PATCH", path, body, { query, headers: { "content-type": type, ...headers } });
  }

  merge(path: string, body: Body, query: Query = {}): Promise<Answer> {
    return this.patch(path, MERGE, body, query);
  }

  strategic(path: string, body: Body, query: Query = {}): Promise<Answer> {
    return this.patch(path, STRATEGIC, body, query);
  }

  jsonPatch(path: string, operations: Body, query: Query = {}): Promise<Answer> {
    return this.patch(path, JSON_PATCH, operations, query);
  }

  /** Applies as a manager; `query` may add `force` and others. */
  apply(path: string, manager: string, body: Body, query: Query = {}): Promise<Answer> {
    return this.patch(path, APPLY, body, { fieldManager: manager, ...query });
  }

  /** Opens a watch on a collection. */
  async watch(path: string, query: Query = {}, headers: Readonly<Record<string, string>> = {}): Promise<Watch> {
    const answer = await this.raw("GET", path, undefined, { query: { watch: "true", ...query }, headers });
    return new Watch(answer, () => this.settled());
  }

  send(method: string, path: string, body?: Body, extras: Extras = {}): Promise<Answer> {
    const inject = this.#inject(method, path, body, extras);
    return metered(`${method} ${path}`, async () => {
      const answer = await inject();
      return new Answer(answer.code, headersOf(answer.headers), await answer.text());
    });
  }

  /** The answer as it comes. */
  raw(method: string, path: string, body?: Body, extras: Extras = {}): Promise<InjectResponse> {
    return metered(`${method} ${path}`, this.#inject(method, path, body, extras));
  }

  #inject(method: string, path: string, body: Body | undefined, extras: Extras): () => Promise<InjectResponse> {
    const { query = {}, headers = {}, identity = ADMIN } = extras;
    const request = {
      method,
      url: urlOf(path, query),
      headers: { "user-agent": "node", accept: "*/*", ...headers },
      ...(body === undefined ? {} : { body: encode(body) }),
      ...(identity ? { identity } : {}),
    };
    return () => this.world.cluster.server.inject(request);
  }

  /** Resolves when nothing is under way: no request, no event on its way to a watch. */
  settled(): Promise<void> {
    return this.world.activity.idle();
  }

  /** Lets time pass, from timer to timer. */
  async pass(ms: number): Promise<void> {
    await this.world.clock.advanceSettled(ms, () => this.settled());
  }

  /** What comes of a request that waits for time to pass. */
  async later<T>(ms: number, request: Promise<T>): Promise<T> {
    await nextPass();
    this.world.clock.advance(ms);
    return request;
  }

  /** Lets time pass until an answer is as wanted; answers the last one when that takes over `ms`. */
  async until(path: string, wanted: (answer: Answer) => boolean, ms = 10_000): Promise<Answer> {
    const { clock } = this.world;
    for (const end = clock.now() + ms; ;) {
      await this.settled();
      const answer = await this.get(path);
      if (wanted(answer)) return answer;
      if (!(await clock.nextSettled(() => this.settled(), end - clock.now()))) return answer;
    }
  }
}

/** Path and query as a client writes them. */
function urlOf(path: string, query: Query): string {
  const url = new URL(`http://localhost${path}`);
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.append(key, value);
  return url.pathname + url.search;
}

const encode = (body: Body): string | Uint8Array =>
  typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);

/** Slices end by the time of the machine, as in a server; requests of the test run when they come, however long others took. */
class SlicingLoop extends EventLoop {
  override admitInternal(): undefined {}
}

/** A cluster with the options of `keelson serve`, and parts of a test's own. */
export async function worldOf(options: RawOptions = {}, parts: Partial<ClusterParts> = {}): Promise<World> {
  const { dialect = neutral, featureGates, eventTtlMillis, controllers, plugins } = resolveOptions(options);
  const clock = new ManualClock(undefined, 0, new SlicingLoop());
  const random = seededRandom(1);
  const activity = new Activity(clock);
  const issuer = `https://${dialect.labelDomain}`;
  const keys = tokenKeys(createPki({ hosts: [], clock }).tokenKeys[0]!, []);
  const issuance = { issuer, audiences: [issuer], extendsExpiration: true };
  const signer = tokenSigner(() => keys, issuance, { dialect, clock, random });
  const cluster = await createCluster({
    store: await openMemoryStore({ activity }),
    dialect,
    gates: gatesOf(dialect, featureGates),
    plugins: kitPlugins(plugins),
    clock,
    random,
    signer: () => signer,
    ...parts,
    server: { activity, ...parts.server },
  });
  const settings = { dialect, eventTtlMillis, caCertificate: "" };
  // The behaviour of the API is tested without controllers, unless a test requests them.
  const chosen = options.controllers
    ? chooseControllers(builtInControllers(settings), controllers)
    : lifecycleControllers(settings);
  await cluster.start(chosen);
  return { cluster, clock, activity };
}

/** A cluster for the tests of a file or of a `describe` block: made before them, closed after them. */
export function serve(options: RawOptions = {}, parts: Partial<ClusterParts> = {}): Api {
  const api = new Api();
  beforeAll(async () => api.use(await worldOf(options, parts)));
  afterAll(async () => {
    const { cluster } = api.world;
    await cluster.close(0);
    await cluster.store.close();
    api.use(undefined);
  });
  return api;
}
