/**
 * A client that reads and writes as a seed says, one request after the other, and has each taken down.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../../src/util/clock.ts";
import type { Answer } from "../serve/keelson.ts";
import { type Address, Connection, NotConnected } from "./connection.ts";
import { type Freshness, type List, type Outcome, type Page, type Request, isPut, resourceOf } from "./history.ts";
import { COLOURS, KEYS, SCOPES, type WireObject, pathOf, scopeOf, seenOf, valueOf } from "./objects.ts";
import type { Recorder } from "./recorder.ts";

/** The newest version of an object that a client has seen, and its body. */
interface Known {
  readonly revision: number;
  readonly uid: string;
  readonly id: string;
  readonly colour: string;
  readonly object: WireObject;
}

const TYPES: Readonly<Record<string, string>> = {
  patch: "application/merge-patch+json",
  apply: "application/apply-patch+yaml",
};
const METHODS: Readonly<Record<string, string>> = { create: "POST", update: "PUT", patch: "PATCH", apply: "PATCH" };

/** How long most requests wait for their answer, and how long the impatient ones do. */
const PATIENT_MILLIS = 4000;
const IMPATIENT_MILLIS = 150;

/** See the head of this file. */
export class Client {
  readonly #name: string;
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #connections: readonly Connection[];
  readonly #home: number;
  readonly #known = new Map<string, Known>();
  /** Keys of which it knows only that they are not what it thought. */
  readonly #surprising = new Set<string>();
  #lastList = 0;
  #count = 0;

  constructor(
    name: string,
    index: number,
    servers: readonly (() => Address | undefined)[],
    random: Random,
    recorder: Recorder,
  ) {
    this.#name = name;
    this.#random = random;
    this.#recorder = recorder;
    this.#home = index % servers.length;
    this.#connections = servers.map((address) => new Connection(address));
  }

  /** Runs until it is stopped. */
  async run(signal: AbortSignal, thinkMillis: number): Promise<void> {
    while (!signal.aborted) {
      await this.#one();
      await wait(this.#random.next() * thinkMillis);
    }
    for (const connection of this.#connections) connection.close();
  }

  /** Reads everything from one server, and has it taken down. */
  async readAll(server: number): Promise<void> {
    for (const scope of SCOPES) await this.#do({ verb: "list", scope, fresh: { is: "newest" } }, server, 10_000);
    for (const key of KEYS) await this.#do({ verb: "get", key, fresh: { is: "newest" } }, server, 10_000);
  }

  /** Writes one value, whatever is there; whether that was acknowledged. */
  async mark(server: number, key: string): Promise<boolean> {
    const id = this.#id();
    return (await this.#do({ verb: "apply", key, id, colour: "red" }, server, 10_000))?.is === "object";
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  async #one(): Promise<void> {
    const random = this.#random;
    const elsewhere = random.next() < 0.15;
    const server = elsewhere ? Math.floor(random.next() * this.#connections.length) : this.#home;
    const millis = random.next() < 0.03 ? IMPATIENT_MILLIS * random.next() : PATIENT_MILLIS;
    const request = this.#request();
    const outcome = await this.#do(request, server, millis);
    if (outcome === undefined) await wait(20 + random.next() * 100);
  }

  /** Sends a request and takes down what became of it; nothing when it was not sent. */
  async #do(request: Request, server: number, millis: number): Promise<Outcome | undefined> {
    const connection = this.#connections[server]!;
    // A body is made before the clock starts.
    const send = this.#prepare(connection, request, millis);
    const call = this.#recorder.now();
    let outcome: Outcome;
    try {
      outcome = await send();
    } catch (error) {
      if (error instanceof NotConnected) return undefined;
      outcome = { is: "unknown", why: String(error) };
    }
    const isRead = request.verb === "get" || request.verb === "list";
    if (!(isRead && outcome.is === "unknown")) {
      const end = this.#recorder.now();
      this.#recorder.operations.push({ client: this.#name, server, call, return: end, request, outcome });
    }
    return outcome;
  }

  #prepare(connection: Connection, request: Request, millis: number): () => Promise<Outcome> {
    if (request.verb === "list") return () => this.#list(connection, request, millis);
    const { key, verb } = request;
    if (verb === "get") {
      const query = freshness(request.fresh);
      const path = pathOf(key) + (query === "" ? "" : `?${query}`);
      return async () => this.#answer(request, await connection.send("GET", path, undefined, millis));
    }
    if (verb === "delete") {
      const { uid, expected } = request;
      const preconditions = { uid, resourceVersion: expected === undefined ? undefined : String(expected) };
      const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions };
      return async () => this.#answer(request, await connection.send("DELETE", pathOf(key), body, millis));
    }
    const { id, colour, expected, same } = request;
    const body = same ? this.#known.get(key)!.object : valueOf(key, id, colour, this.#random, expected);
    const at = verb === "create" ? pathOf(scopeOf(key)) : pathOf(key);
    const path = verb === "apply" ? `${at}?fieldManager=history&force=true` : at;
    const type = { "content-type": TYPES[verb] ?? "application/json" };
    return async () => this.#answer(request, await connection.send(METHODS[verb]!, path, body, millis, type));
  }

  #answer(request: Exclude<Request, List>, { status, json }: Answer): Outcome {
    if (status >= 500 || status === 408) return { is: "unknown", why: `${status} ${json?.message}` };
    if (status >= 400) {
      this.#known.delete(request.key);
      if (status === 409) this.#surprising.add(request.key);
      return { is: "refused", code: status, reason: String(json?.reason) };
    }
    if (request.verb === "delete") {
      this.#known.delete(request.key);
      return { is: "deleted", uid: String(json?.details?.uid) };
    }
    const body = json as WireObject;
    const object = seenOf(resourceOf(request.key), body);
    const { revision, uid, id, colour } = object;
    if (isPut(request) || request.fresh.is === "newest")
      this.#known.set(request.key, { revision, uid, id, colour, object: body });
    return { is: "object", status, object };
  }

  async #list(connection: Connection, list: List, millis: number): Promise<Outcome> {
    const pages: Page[] = [];
    let next = "";
    do {
      const query = [
        list.colour === undefined ? "" : `labelSelector=colour%3D${list.colour}`,
        list.limit === undefined ? "" : `limit=${list.limit}`,
        next === "" ? freshness(list.fresh) : `continue=${encodeURIComponent(next)}`,
      ];
      const path = `${pathOf(list.scope)}?${query.filter((part) => part !== "").join("&")}`;
      const { status, json } = await connection.send("GET", path, undefined, millis);
      if (status >= 500 || status === 408) return { is: "unknown", why: `${status} ${json?.message}` };
      if (status >= 400) return { is: "refused", code: status, reason: String(json?.reason) };
      const { metadata, items } = json as {
        metadata: { resourceVersion: string; continue?: string };
        items: WireObject[];
      };
      const resource = resourceOf(list.scope);
      pages.push({ revision: Number(metadata.resourceVersion), objects: items.map((item) => seenOf(resource, item)) });
      next = metadata.continue ?? "";
    } while (next !== "");
    if (list.fresh.is === "newest") this.#lastList = pages[0]!.revision;
    return { is: "list", pages };
  }

  #id(): string {
    return `${this.#name}.${this.#count++}`;
  }

  #request(): Request {
    const random = this.#random;
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random.next() * values.length)]!;
    const key = pick(KEYS);
    const colour = pick(COLOURS);
    const known = this.#known.get(key);
    const chance = random.next();
    const isConditioned = random.next() < 0.6;
    const condition = known && isConditioned ? { expected: known.revision } : {};
    if (this.#surprising.delete(key)) return { verb: "get", key, fresh: { is: "newest" } };
    if (chance < 0.25) return { verb: "get", key, fresh: this.#getFreshness(random.next()) };
    if (chance < 0.35) return this.#listRequest(pick(SCOPES), colour);
    if (!known && chance < 0.8) return { verb: "create", key, id: this.#id(), colour };
    if (known && chance < 0.4) {
      return { verb: "update", key, id: known.id, colour: known.colour, expected: known.revision, same: true };
    }
    if (chance < 0.65) return { verb: "update", key, id: this.#id(), colour, ...condition };
    if (chance < 0.78) return { verb: "patch", key, id: this.#id(), colour, ...condition };
    if (chance < 0.85) return { verb: "apply", key, id: this.#id(), colour };
    if (chance < 0.88) return { verb: "create", key, id: this.#id(), colour };
    return { verb: "delete", key, ...(known && chance > 0.97 ? { uid: known.uid } : condition) };
  }

  #getFreshness(chance: number): Freshness {
    if (chance < 0.8 || this.#lastList === 0) return { is: "newest" };
    return chance < 0.9 ? { is: "any" } : { is: "notOlder", than: this.#lastList };
  }

  #listRequest(scope: string, colour: string): List {
    const random = this.#random;
    const chance = random.next();
    const last = this.#lastList;
    const fresh: Freshness =
      chance < 0.6 || last === 0
        ? { is: "newest" }
        : chance < 0.7
          ? { is: "any" }
          : chance < 0.85
            ? { is: "notOlder", than: last }
            : { is: "exact", at: last };
    const selects = random.next() < 0.25 ? { colour } : {};
    const pages = fresh.is === "newest" && random.next() < 0.3 ? { limit: 2 } : {};
    return { verb: "list", scope, fresh, ...selects, ...pages };
  }
}

function freshness(fresh: Freshness): string {
  switch (fresh.is) {
    case "newest":
      return "";
    case "any":
      return "resourceVersion=0";
    case "notOlder":
      return `resourceVersion=${fresh.than}`;
    case "exact":
      return `resourceVersion=${fresh.at}&resourceVersionMatch=Exact`;
  }
}
