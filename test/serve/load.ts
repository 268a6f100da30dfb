/**
 * The writes of the crash test over HTTP, their results, and what the server must return afterwards.
 *
 * Every write carries an id of its own in its data, so that an event shows which write it is of; the padding beside it
 * shows whether the value is whole.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Random } from "../../src/util/clock.ts";
import { CONFIG_MAPS, type Http2Client, type WatchReader, configMap } from "./keelson.ts";

const WRITERS = 24;
const NAMES = 40;

/** A write that was sent. */
interface Try {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  readonly name: string;
  readonly id: string;
  /** The version that the write was conditioned on; empty for none. */
  readonly expected: string;
  /** What became of it; nothing when the connection broke before the answer. */
  outcome?: { readonly status: number; readonly version: string };
}

/** What one event tells. */
export interface Seen {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly version: string;
}

interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly id: string; readonly pad: string };
}

const dataOf = (id: string, random: Random): { id: string; pad: string } => ({
  id,
  pad: `${id} `.repeat(Math.floor(random.next() ** 4 * 500)),
});

/** The name, id and version of an object; throws when its value is not whole. */
export function seenOf(type: string, object: Stored): Seen {
  const { id = "", pad = "" } = object.data ?? {};
  if (pad !== `${id} `.repeat(pad.length / (id.length + 1))) throw new Error(`expected the whole value of ${id}`);
  return { type, name: object.metadata.name, id, version: object.metadata.resourceVersion };
}

/** What events a watch has told; bookmarks left out. */
export const seenBy = ({ events }: WatchReader): Seen[] =>
  events.filter(({ type }) => type !== "BOOKMARK").map(({ type, object }) => seenOf(type, object as Stored));

/** Writes from many sides until the connections break. */
export class Load {
  readonly tries: Try[] = [];
  readonly #random: Random;
  readonly #round: number;
  /** The version of each object, as far as the writers know. */
  readonly #versions = new Map<string, string>();

  constructor(round: number, random: Random) {
    this.#round = round;
    this.#random = random;
  }

  /** Runs until every connection is broken. */
  async run(clients: readonly Http2Client[]): Promise<void> {
    await Promise.all(Array.from({ length: WRITERS }, (_, i) => this.#write(clients[i % clients.length]!)));
  }

  async #write(client: Http2Client): Promise<void> {
    while (!client.session.destroyed) {
      try {
        await this.#one(client);
      } catch {
        // The connection broke: what was sent last may or may not have happened.
        return;
      }
    }
  }

  async #one(client: Http2Client): Promise<void> {
    const random = this.#random;
    const name = `n${Math.floor(random.next() * NAMES)}`;
    const expected = this.#versions.get(name) ?? "";
    const verb = this.#verb(expected !== "");
    const conditioned = verb === "update" || verb === "delete";
    const id = `${this.#round}.${this.tries.length}`;
    const written: Try = { verb, name, id, expected: conditioned ? expected : "" };
    this.tries.push(written);
    const { status, json } = await send(client, written, dataOf(id, random));
    const version = verb === "delete" ? "" : ((json as Stored).metadata.resourceVersion ?? "");
    written.outcome = { status, version };
    if (status < 300 && version) this.#versions.set(name, version);
    else this.#versions.delete(name);
    if (status === 409) await this.#look(client, name);
  }

  /** Learns the version of an object that another client has written. */
  async #look(client: Http2Client, name: string): Promise<void> {
    const { status, json } = await client.send("GET", `${CONFIG_MAPS}/${name}`);
    if (status === 200) this.#versions.set(name, (json as Stored).metadata.resourceVersion);
  }

  #verb(exists: boolean): Try["verb"] {
    const chance = this.#random.next();
    if (!exists) return chance < 0.7 ? "create" : "apply";
    if (chance < 0.5) return "update";
    if (chance < 0.7) return "patch";
    return chance < 0.85 ? "apply" : "delete";
  }
}

function send(client: Http2Client, { verb, name, expected }: Try, data: { id: string; pad: string }) {
  const path = `${CONFIG_MAPS}/${name}`;
  const object = configMap(name, data);
  const metadata = { name, resourceVersion: expected };
  if (verb === "create") return client.send("POST", CONFIG_MAPS, object);
  if (verb === "update") return client.send("PUT", path, { ...object, metadata });
  if (verb === "patch") return client.send("PATCH", path, { data }, { "content-type": "application/merge-patch+json" });
  if (verb === "delete") return client.send("DELETE", path, { preconditions: { resourceVersion: expected } });
  const type = { "content-type": "application/apply-patch+yaml" };
  return client.send("PATCH", `${path}?fieldManager=crash&force=true`, object, type);
}

/** What is known of the objects from the rounds so far. */
export class Known {
  /** The version up to which everything is known. */
  version = "0";
  readonly live = new Map<string, Seen>();
  acknowledged = 0;

  /**
   * Compares the history that the server tells after a crash with what its clients sent and were told, and adds it to
   * what is known.
   *
   * @param events every change since {@link Known.version}, in order
   * @param watched the events of a watch before the crash
   */
  check(events: readonly Seen[], watched: readonly Seen[], tries: readonly Try[]): void {
    const byId = new Map(tries.map((written) => [written.id, written]));
    const happened = new Set<string>();
    const deleted = new Set<string>();
    for (const event of events) {
      const before = this.live.get(event.name);
      assert(Number(event.version) > Number(this.version), `expected versions to grow, got ${event.version}`);
      if (event.type === "DELETED") {
        // The last value is that of the write before; the delete is found by the version that it was conditioned on.
        assert.equal(event.id, before?.id);
        const wanted = tries.some(
          (t) => t.verb === "delete" && t.name === event.name && t.expected === before?.version,
        );
        assert(wanted, `expected somebody to have deleted ${event.name} at ${before?.version}`);
        deleted.add(`${event.name} ${before?.version}`);
        this.live.delete(event.name);
      } else {
        const written = byId.get(event.id);
        assert.equal(written?.name, event.name);
        assert((written.outcome?.status ?? 200) < 300, `${event.id} was refused, and is there`);
        assert.equal(event.type, before ? "MODIFIED" : "ADDED");
        if (written.expected) assert.equal(before?.version, written.expected);
        if (written.verb === "create") assert.equal(before, undefined);
        assert(!happened.has(event.id), `${event.id} happened twice`);
        if (written.outcome) assert.equal(event.version, written.outcome.version);
        happened.add(event.id);
        this.live.set(event.name, event);
      }
      this.version = event.version;
    }
    for (const { verb, name, id, expected, outcome } of tries) {
      if (outcome === undefined || outcome.status >= 300) continue;
      this.acknowledged++;
      const there = verb === "delete" ? deleted.has(`${name} ${expected}`) : happened.has(id);
      assert(there, `the acknowledged ${verb} ${id} of ${name} is lost`);
    }
    // A write is visible only once it is on disk: the events of a watch are a prefix of the changes on disk.
    assert.deepEqual(events.slice(0, watched.length), watched);
  }
}
