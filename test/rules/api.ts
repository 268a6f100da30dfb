/**
 * A running server and a client of it that the tests of the numbered rules share.
 *
 *     const api = serve();                       // one server per file, in memory, on a free port
 *     const ns = fresh("ns");                    // a namespace of its own for each test
 *     const made = await api.post(paths.configmaps(ns), { metadata: { name: "a" }, data: { k: "v" } });
 *     expect(made.status).toBe(201);
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { type RawOptions, type RunningServer, resolveOptions, silentLog, startServer } from "../../src/app/index.ts";
import { Answer } from "./answer.ts";
import { Watch } from "./watch-stream.ts";

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** What a request has beside its path and body. */
export interface Extras {
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body: text and bytes go as they are, all else as JSON. */
export type Body = string | Uint8Array<ArrayBuffer> | object;

export const JSON_TYPE = "application/json";
export const MERGE = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const APPLY = "application/apply-patch+yaml";

let names = 0;

/** A name that no other test of the file uses. */
export const fresh = (stem: string): string => `${stem}-${(names++).toString(36)}`;

/** One server, over HTTP, as its admin. */
export class Api {
  #server: RunningServer | undefined;

  use(server: RunningServer | undefined): void {
    this.#server = server;
  }

  get server(): RunningServer {
    if (!this.#server) throw new Error("expected a running server: call serve() at the top of the file");
    return this.#server;
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
    const abort = new AbortController();
    const response = await fetch(this.#url(path, { watch: "true", ...query }), {
      signal: abort.signal,
      headers: { ...this.#authorization(), ...headers },
    });
    return new Watch(response, abort);
  }

  async send(method: string, path: string, body: Body | undefined, extras: Extras = {}): Promise<Answer> {
    const response = await fetch(this.#url(path, extras.query ?? {}), {
      method,
      headers: { ...this.#authorization(), ...extras.headers },
      ...(body === undefined ? {} : { body: encode(body) }),
    });
    return Answer.of(response);
  }

  /** Repeats a request until its answer is as wanted; answers the last one when that takes over `ms`. */
  async until(path: string, wanted: (answer: Answer) => boolean, ms = 10_000): Promise<Answer> {
    for (const end = Date.now() + ms; ;) {
      const answer = await this.get(path);
      if (wanted(answer) || Date.now() > end) return answer;
      await pause(25);
    }
  }

  #url(path: string, query: Query): string {
    const url = new URL(this.server.url + path);
    for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.append(key, value);
    return url.href;
  }

  #authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.server.pki.adminToken}` };
  }
}

const encode = (body: Body): string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);

/** A server for the tests of a file or of a `describe` block: started before them, closed after them. */
export function serve(options: RawOptions = {}): Api {
  const api = new Api();
  beforeAll(async () => {
    const all = { dev: "true", port: "0", "insecure-http": "true", dialect: "neutral", "shutdown-grace": "100ms" };
    api.use(await startServer(resolveOptions({ ...all, ...options }), { log: silentLog }));
  });
  afterAll(async () => {
    await api.server.close();
    api.use(undefined);
  });
  return api;
}
