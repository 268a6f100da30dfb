/**
 * Holds a store against what the process that wrote to it was told before its end.
 *
 * Throws (an assertion of `node:assert`) when an acknowledged write is missing, when something is there that nobody
 * tried, was refused or is not whole, when a transaction is there in part, when the order or the links of changes are
 * wrong, or when a revision could be given out twice.
 *
 * @module
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Store, StoreEvent } from "../../src/storage/contract.ts";
import { idOf } from "./plan.ts";
import type { Line } from "./plan.ts";

/** What is known of a store from its writers so far. */
export class Known {
  revision = 0;
  readonly live = new Map<string, { id: string; revision: number }>();

  apply({ type, key, value, revision }: StoreEvent): void {
    if (type === "delete") this.live.delete(key);
    else this.live.set(key, { id: idOf(value), revision });
    this.revision = revision;
  }
}

/** The lines of a writer's log; the last one may be cut off. */
export function linesOf(logFile: string): Line[] {
  const lines = readFileSync(logFile, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Line);
}

/** Every change after a revision; a killed store goes on with a gap, so their number does not tell when that is all. */
function eventsAfter(store: Store, after: number): Promise<StoreEvent[]> {
  const events: StoreEvent[] = [];
  if (store.revision === after) return Promise.resolve(events);
  return new Promise((resolve, reject) => {
    store.watch("", after, {
      events: (batch) => void events.push(...batch),
      progress: (revision) => revision >= store.revision && resolve(events),
      ended: reject,
    });
  });
}

/** Compares the content of a store with the results of its last writer, and adds it to what is known; returns acknowledged writes. */
export async function check(store: Store, lines: readonly Line[], known: Known): Promise<number> {
  const tries = new Map(lines.flatMap((line) => (line.is === "try" ? [[line.id, line]] : [])));
  const refused = new Set(lines.flatMap((line) => (line.is === "refused" && line.code !== "unknown" ? [line.id] : [])));
  const acknowledged = new Map(lines.flatMap((line) => (line.is === "ok" ? [[line.revision, line.id]] : [])));
  const before = known.revision;
  const told: Told = { tries, refused, acknowledged };
  const ended = lines.some(({ is }) => is === "closed" || is === "failed");
  const opened = lines.find((line) => line.is === "open");
  if (opened) assert.equal(opened.revision, before, "the writer has opened what was there");
  const newest = Math.max(before, ...acknowledged.keys());
  assert.ok(store.revision >= newest, `revision ${store.revision} after ${newest} was acknowledged`);

  // A full disk makes the store give up its history.
  const { compactedRevision } = await store.stats();
  if (compactedRevision <= before) checkEvents(await eventsAfter(store, before), told, known);
  else
    assert.ok(
      lines.some(({ is }) => is === "fault"),
      "the history is gone, and nothing had failed",
    );

  // Writes without an answer may have revisions that the store does not have any more: they are not used again. A store
  // that has failed knows that it has given out none.
  const pending = [...tries.keys()].filter((id) => !refused.has(id)).length - acknowledged.size;
  assert.ok(
    store.revision >= newest + (ended ? 0 : pending),
    `revision ${store.revision} after ${newest} and ${pending} writes without an answer`,
  );
  known.revision = store.revision;
  const { records } = await store.range("");
  const found = new Map(records.map(({ key, value, revision }) => [key, { id: idOf(value), revision }]));
  if (compactedRevision > before) checkState(found, told, known);
  assert.deepEqual(found, known.live);
  return acknowledged.size;
}

/** The writes of a writer, and their results. */
interface Told {
  readonly tries: ReadonlyMap<string, Line & { is: "try" }>;
  readonly refused: ReadonlySet<string>;
  /** Ids by revision. */
  readonly acknowledged: ReadonlyMap<number, string>;
}

/** Compares every change since the last check with the results of writes. */
function checkEvents(events: readonly StoreEvent[], { tries, refused, acknowledged }: Told, known: Known): void {
  const seen = new Map<string, number>();
  let expected = known.revision;
  for (const event of events) {
    const id = idOf(event.value);
    const tried = tries.get(id);
    expected += 1;
    assert.equal(event.revision, expected, "no revision is left out while a process runs");
    assert.ok(tried, `nobody tried ${id}`);
    assert.deepEqual([event.key, event.previousRevision], [tried.key, tried.expected]);
    assert.equal(event.type, tried.type === "delete" ? "delete" : "put");
    assert.equal(event.previousRevision, known.live.get(event.key)?.revision ?? 0);
    assert.ok(!refused.has(id), `${id} was refused and is there`);
    assert.ok(!seen.has(id), `${id} is there twice`);
    assert.equal(acknowledged.get(event.revision) ?? id, id, `revision ${event.revision} was that of another write`);
    seen.set(id, event.revision);
    known.apply(event);
  }
  for (const id of acknowledged.values()) assert.ok(seen.has(id), `the acknowledged write ${id} is lost`);
  for (const [of, parts] of Map.groupBy(tries.values(), ({ of: first, id }) => first ?? id)) {
    const revisions = parts.map(({ id }) => seen.get(id));
    const isWhole = revisions.every((revision, i) => revision === revisions[0]! + i);
    assert.ok(
      isWhole || revisions.every((revision) => revision === undefined),
      `${of} is there in part: ${revisions.join(", ")}`,
    );
  }
}

/** The same without the changes: each key has what was acknowledged last, or what a later write without an answer made. */
function checkState(found: Known["live"], { tries, refused, acknowledged }: Told, known: Known): void {
  for (const [revision, id] of [...acknowledged].toSorted(([a], [b]) => a - b)) {
    const { key, type } = tries.get(id)!;
    if (type === "delete") known.live.delete(key);
    else known.live.set(key, { id, revision });
  }
  const answered = new Set([...acknowledged.values(), ...refused]);
  for (const { id, key, type, expected } of tries.values()) {
    if (answered.has(id) || (known.live.get(key)?.revision ?? 0) !== expected) continue;
    const now = found.get(key);
    if (type === "delete" ? now === undefined : now?.id === id) {
      if (now) known.live.set(key, now);
      else known.live.delete(key);
    }
  }
}
