/**
 * Stores with a known content for the tests of damage: what was written, and what the files looked like in the end.
 *
 * @module
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Write } from "../../src/storage/contract.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { type Random, systemClock } from "../../src/util/clock.ts";

/** What a key had after some revision; undefined: it was not there. */
export interface Version {
  readonly revision: number;
  readonly value: Buffer | undefined;
}

/** Files of a store and all that was acknowledged to its writers. */
export interface WrittenStore {
  readonly directory: string;
  /** The same store some writes earlier. */
  readonly earlier: string;
  readonly revision: number;
  /** Versions of each key, oldest first. */
  readonly keys: ReadonlyMap<string, readonly Version[]>;
}

const KEYS = 60;
const WRITES = 400;

/**
 * Writes a store.
 *
 * @param killed whether the files are those of a process that was killed, or of one that ended in order
 */
export async function writeStore(path: string, random: Random, killed: boolean): Promise<WrittenStore> {
  const running = join(path, "running");
  const directory = join(path, "store");
  const earlier = join(path, "earlier");
  const store = await openSqliteStore({ directory: running, clock: systemClock });
  const keys = new Map<string, Version[]>();
  for (let i = 0; i < WRITES; i++) {
    const write = nextWrite(keys, random, i);
    const revision = await store.write(write);
    const versions = keys.get(write.key) ?? [];
    versions.push({ revision, value: write.type === "delete" ? undefined : Buffer.from(write.value) });
    keys.set(write.key, versions);
    if (i === WRITES / 2) await store.compact(Math.floor(revision / 2));
    if (i === Math.floor(WRITES * 0.9)) cpSync(running, earlier, { recursive: true });
  }
  const { revision } = store;
  if (killed) cpSync(running, directory, { recursive: true });
  await store.close();
  if (!killed) cpSync(running, directory, { recursive: true });
  return { directory, earlier, revision, keys };
}

function nextWrite(keys: ReadonlyMap<string, readonly Version[]>, random: Random, i: number): Write {
  const key = `/core/configmaps/default/c${Math.floor(random.next() * KEYS)}`;
  const last = keys.get(key)?.at(-1);
  const length = Math.floor(random.next() ** 4 * 12_000);
  const value = Buffer.concat([Buffer.from(`${i} `), Buffer.alloc(length, `value ${i} of ${key}`)]);
  if (last?.value === undefined) return { type: "create", key, value };
  if (random.next() < 0.15) return { type: "delete", key, value: last.value, expected: last.revision };
  return { type: "update", key, value, expected: last.revision };
}

/** What each key had as of a revision. */
export function stateAt({ keys }: WrittenStore, revision: number): Map<string, Version> {
  const state = new Map<string, Version>();
  for (const [key, versions] of keys) {
    const version = versions.findLast((v) => v.revision <= revision);
    if (version?.value !== undefined) state.set(key, version);
  }
  return state;
}
