/**
 * Good histories, made up: clients and watches that run side by side on a model of a server, one small step at a time,
 * so that every request is carried out at one moment between its call and its answer.
 *
 * @module
 */
import type { Random } from "../../../../src/util/clock.ts";
import {
  type Beginning,
  type Freshness,
  type History,
  type Operation,
  type Outcome,
  type Request,
  type Seen,
  isPut,
} from "../../history.ts";
import { SimulatedWatch } from "./simulate-watch.ts";

/** A change of the model. */
export interface Change {
  readonly revision: number;
  readonly before: Seen | undefined;
  readonly after: Seen | undefined;
}

const KEYS = ["configmaps/default/a", "configmaps/default/b", "configmaps/other/a", "secrets/default/a"];
const SCOPES = ["configmaps/", "configmaps/default/", "secrets/"];
const COLOURS = ["red", "blue"];

/** The model of the server, and the time. */
export class SimulatedServer {
  readonly random: Random;
  revision = 10;
  readonly objects = new Map<string, Seen>();
  readonly changes: Change[] = [];
  #now = 0;

  constructor(random: Random) {
    this.random = random;
  }

  /** A unique moment. */
  tick(): number {
    return ++this.#now;
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random.next() * values.length)]!;
  }

  chance(share: number): boolean {
    return this.random.next() < share;
  }

  /** What there was of a scope at a revision. */
  stateAt(revision: number, scope: string, colour: string | undefined): Seen[] {
    const state = new Map<string, Seen>();
    for (const { before, after, revision: at } of this.changes) {
      if (at > revision) break;
      if (after) state.set(after.key, after);
      else state.delete(before!.key);
    }
    const fits = ({ key, colour: has }: Seen): boolean =>
      key.startsWith(scope) && (colour === undefined || has === colour);
    return [...state.values()].filter(fits);
  }

  /** Carries a request out, now. */
  carryOut(request: Request): Outcome {
    if (request.verb === "list") return this.#list(request);
    if (request.verb === "get") return this.#get(request);
    const { key, verb, expected } = request;
    const before = this.objects.get(key);
    if (verb === "create" && before) return refused(409);
    if (verb !== "create" && verb !== "apply" && !before) return refused(404);
    if (expected !== undefined && before?.revision !== expected) return refused(409);
    if (verb === "delete") {
      if (request.uid !== undefined && request.uid !== before!.uid) return refused(409);
      this.#commit(before, undefined);
      return { is: "deleted", uid: before!.uid };
    }
    if (request.same) return { is: "object", status: 200, object: before! };
    const { id, colour } = request;
    const uid = before?.uid ?? this.random.uuid();
    const after: Seen = { key, uid, id, colour, revision: this.#next() };
    this.#commit(before, after);
    return { is: "object", status: before ? 200 : 201, object: after };
  }

  /** Others write other things: revisions are not without gaps. */
  #next(): number {
    this.revision += this.chance(0.2) ? 2 : 1;
    return this.revision;
  }

  #commit(before: Seen | undefined, after: Seen | undefined): void {
    const revision = after?.revision ?? this.#next();
    this.changes.push({ revision, before, after });
    if (after) this.objects.set(after.key, after);
    else this.objects.delete(before!.key);
  }

  #get({ key, fresh }: Extract<Request, { verb: "get" }>): Outcome {
    const state = fresh.is === "any" ? this.stateAt(this.#some(0), key, undefined) : [...this.objects.values()];
    const object = state.find((o) => o.key === key);
    return object ? { is: "object", status: 200, object } : refused(404);
  }

  #list({ scope, colour, fresh, limit }: Extract<Request, { verb: "list" }>): Outcome {
    const revision = fresh.is === "exact" ? fresh.at : fresh.is === "any" ? this.#some(10) : this.revision;
    const all = this.stateAt(revision, scope, colour);
    const size = limit ?? Math.max(1, all.length);
    const pages = [{ revision, objects: all.slice(0, size) }];
    for (let i = size; i < all.length; i += size) pages.push({ revision, objects: all.slice(i, i + size) });
    return { is: "list", pages };
  }

  #some(least: number): number {
    return this.changes.length === 0 ? this.revision : Math.max(least, this.pick(this.changes).revision);
  }
}

const refused = (code: number): Outcome => ({ is: "refused", code, reason: String(code) });

/** A client: calls, has its request carried out, is answered. */
class SimulatedClient {
  readonly name: string;
  readonly #server: SimulatedServer;
  readonly #known: Map<string, Seen>;
  readonly #limbo: Request[];
  #running: { readonly request: Request; readonly call: number; outcome: Outcome | undefined } | undefined;
  #count = 0;

  constructor(name: string, server: SimulatedServer, known: Map<string, Seen>, limbo: Request[]) {
    this.name = name;
    this.#server = server;
    this.#known = known;
    this.#limbo = limbo;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Goes a step further; returns an operation that has ended. */
  step(): Operation | undefined {
    const server = this.#server;
    const running = this.#running;
    if (!running) {
      this.#running = { request: this.#request(), call: server.tick(), outcome: undefined };
      return undefined;
    }
    if (!running.outcome) {
      running.outcome = this.#carryOut(running.request);
      server.tick();
      return undefined;
    }
    this.#running = undefined;
    const { request, call, outcome } = running;
    this.#learn(request, outcome);
    return { client: this.name, server: 0, call, return: server.tick(), request, outcome };
  }

  #carryOut(request: Request): Outcome {
    const server = this.#server;
    if (!server.chance(0.06)) return server.carryOut(request);
    // Sometimes it happens before the connection breaks, sometimes long after, sometimes never.
    if (server.chance(0.3)) server.carryOut(request);
    else if (server.chance(0.5)) this.#limbo.push(request);
    return { is: "unknown", why: "reset" };
  }

  #learn(request: Request, outcome: Outcome): void {
    if (outcome.is === "object" && !(request.verb === "get" && request.fresh.is === "any")) {
      this.#known.set(outcome.object.key, outcome.object);
    }
  }

  #request(): Request {
    const server = this.#server;
    const key = server.pick(KEYS);
    const colour = server.pick(COLOURS);
    const known = this.#known.get(key);
    const id = `${this.name}.${this.#count++}`;
    const condition = known && server.chance(0.6) ? { expected: known.revision } : {};
    const chance = server.random.next();
    if (chance < 0.15) return { verb: "create", key, id, colour };
    if (chance < 0.3) return { verb: "update", key, id, colour, ...condition };
    if (chance < 0.36) return { verb: "patch", key, id, colour, ...condition };
    if (chance < 0.42) return { verb: "apply", key, id, colour };
    if (chance < 0.47 && known) {
      return { verb: "update", key, id: known.id, colour: known.colour, expected: known.revision, same: true };
    }
    if (chance < 0.6) return { verb: "delete", key, ...(known && server.chance(0.3) ? { uid: known.uid } : condition) };
    if (chance < 0.8) return { verb: "get", key, fresh: { is: server.chance(0.8) ? "newest" : "any" } };
    const colours = server.chance(0.3) ? { colour } : {};
    const limits = server.chance(0.3) ? { limit: 2 } : {};
    return { verb: "list", scope: server.pick(SCOPES), fresh: this.#freshness(), ...colours, ...limits };
  }

  #freshness(): Freshness {
    const server = this.#server;
    const chance = server.random.next();
    if (chance < 0.6 || server.changes.length === 0) return { is: "newest" };
    if (chance < 0.7) return { is: "any" };
    const { revision } = server.pick(server.changes);
    return chance < 0.85 ? { is: "exact", at: revision } : { is: "notOlder", than: revision };
  }
}

/**
 * A history of so many steps that keeps every promise.
 *
 * @param complete whether some watch has seen every change; else something may be missing where one began anew
 */
export function simulate(random: Random, steps: number, complete: boolean): History {
  const server = new SimulatedServer(random);
  const known = new Map<string, Seen>();
  const limbo: Request[] = [];
  const clients = ["c0", "c1", "c2", "c3", "c4"].map((name) => new SimulatedClient(name, server, known, limbo));
  const watches = [
    new SimulatedWatch(server, "configmaps", "configmaps/", undefined, complete),
    new SimulatedWatch(server, "secrets", "secrets/", undefined, complete),
    new SimulatedWatch(server, "namespace", "configmaps/default/", undefined, false),
    new SimulatedWatch(server, "red", "configmaps/", "red", false),
    new SimulatedWatch(server, "all", "configmaps/", undefined, false),
  ];
  const operations: Operation[] = [];
  for (let i = 0; i < steps; i++) {
    const ended = server.pick(clients).step();
    if (ended) operations.push(ended);
    if (server.chance(0.6)) server.pick(watches).step();
    if (limbo.length > 0 && server.chance(0.05)) {
      const late = limbo.shift()!;
      if (isPut(late) || late.verb === "delete") server.carryOut(late);
    }
  }
  // What is under way ends, so that every change has an author in the record.
  for (const client of clients) {
    while (client.busy) {
      const ended = client.step();
      if (ended) operations.push(ended);
    }
  }
  const streams = watches.flatMap((watch) => watch.finish());
  const beginnings: Beginning[] = ["configmaps/", "secrets/"].map((scope) => ({ scope, revision: 10, objects: [] }));
  return { beginnings, operations, streams };
}
