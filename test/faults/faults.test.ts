import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreError, type Store } from "../../src/storage/contract.ts";
import { type CheckReport, checkStore } from "../../src/storage/sqlite/check.ts";
import { repairStore } from "../../src/storage/sqlite/repair.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { seededRandom, systemClock } from "../../src/util/clock.ts";
import { DAMAGES } from "./damage.ts";
import { type Version, type WrittenStore, stateAt, writeStore } from "./history.ts";
import { amount } from "../../src/util/testing/amount.ts";

/** Every seed is one store with one damage; each kind of damage has its turn. */
const FAULTS = amount("FAULTS", 12, 40);
const SEED = Number(process.env["SEED"]);
const NAMES = Object.keys(DAMAGES);

let path: string;
const written: WrittenStore[] = [];
beforeAll(async () => {
  console.log(`damage of stores: SEED=${SEED} FAULTS=${FAULTS}`);
  path = mkdtempSync(join(tmpdir(), "keelson-faults-"));
  written.push(await writeStore(join(path, "closed"), seededRandom(SEED), false));
  written.push(await writeStore(join(path, "killed"), seededRandom(SEED + 1), true));
});
afterAll(() => rmSync(path, { recursive: true, force: true }));

const open = (directory: string): Promise<Store> => openSqliteStore({ directory, clock: systemClock });

/** A fresh copy of a store, damaged; undefined where that kind of damage finds nothing to damage. */
function damagedCopy(of: WrittenStore, name: string, seed: number): string | undefined {
  const directory = join(path, `copy-${seed}`);
  cpSync(of.directory, directory, { recursive: true });
  const random = seededRandom(seed);
  return DAMAGES[name]!({ directory, earlier: of.earlier, random }) ? directory : undefined;
}

interface Served {
  readonly refused: StoreError | undefined;
  readonly revision: number;
  readonly records: Map<string, Buffer>;
  /** Keys that were refused. */
  readonly corrupt: Set<string>;
}

/** What a store serves, key by key. Any failure that is not an answer of the store fails the test. */
async function serve(directory: string, keys: Iterable<string>): Promise<Served> {
  const records = new Map<string, Buffer>();
  const corrupt = new Set<string>();
  let store: Store;
  try {
    store = await open(directory);
  } catch (error) {
    if (error instanceof StoreError) return { refused: error, revision: 0, records, corrupt };
    throw error;
  }
  for (const key of keys) {
    try {
      const record = await store.get(key);
      if (record !== undefined) records.set(key, Buffer.from(record.value));
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "corrupt") throw error;
      corrupt.add(key);
    }
  }
  const { revision } = store;
  await store.close().catch(() => {});
  return { refused: undefined, revision, records, corrupt };
}

/** What is wrong with a store that serves: all that was acknowledged must be there, but for the keys it refused. */
function wrongInServed(of: WrittenStore, served: Served, checked: CheckReport): string[] {
  const { refused, records, corrupt, revision } = served;
  const wrong: string[] = [];
  if (refused !== undefined) {
    if (refused.code !== "corrupt") wrong.push(`refused as ${refused.code}`);
    if (!/keelson check .*keelson restore .*keelson repair/s.test(refused.message)) wrong.push(refused.message);
    if (checked.findings.length === 0) wrong.push("refused, but check finds nothing");
    return wrong;
  }
  if (revision < of.revision) wrong.push(`revision ${revision} after ${of.revision}`);
  const state = stateAt(of, of.revision);
  for (const [key, { value }] of state) {
    if (corrupt.has(key)) continue;
    if (records.get(key)?.equals(value!) !== true) wrong.push(`${key} is not what was acknowledged`);
  }
  for (const key of records.keys()) if (!state.has(key)) wrong.push(`${key} was deleted`);
  if (corrupt.size > 0 && !checked.findings.some((f) => f.what === "record")) wrong.push("check finds no bad record");
  for (const key of corrupt) {
    if (!checked.findings.some((f) => f.key === key)) wrong.push(`check does not name ${key}`);
  }
  return wrong;
}

/** What is wrong with a store that repair made: nothing may be lost without being named, nothing made up. */
async function wrongInRepaired(
  of: WrittenStore,
  report: ReturnType<typeof repairStore>,
  again: Served,
  directory: string,
  whole: boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  if (again.refused !== undefined) wrong.push(`refused: ${again.refused.message}`);
  for (const key of again.corrupt) wrong.push(`${key} is corrupt`);
  if (again.revision <= of.revision + 900_000) wrong.push(`revision ${again.revision} after ${of.revision}`);
  wrong.push(...(await checkStore(directory)).findings.map((f) => `finding: ${JSON.stringify(f)}`));

  const state: Map<string, Version> = stateAt(of, of.revision);
  const lost = new Set(report.lost.map(({ key }) => key));
  const sure = whole && report.warnings.length === 0;
  for (const [key, { value }] of state) {
    const found = again.records.get(key);
    if (found === undefined && !lost.has(key) && report.warnings.length === 0) wrong.push(`${key} lost, not named`);
    if (found === undefined || found.equals(value!)) continue;
    // An older value, and only where the report says that changes may be missing.
    if (sure) wrong.push(`${key} has an older value`);
    if (!of.keys.get(key)!.some((v) => v.value?.equals(found))) wrong.push(`${key} has a value nobody wrote`);
  }
  if (sure) for (const key of again.records.keys()) if (!state.has(key)) wrong.push(`${key} was deleted`);
  return wrong;
}

describe("whatever happens to the files, what is served is right and the rest is refused", () => {
  const rounds = Array.from({ length: FAULTS }, (_, i) => ({ i, name: NAMES[i % NAMES.length]!, seed: SEED + i }));
  test.for(rounds)("$i: $name (seed $seed)", { timeout: 120_000 }, async ({ i, name, seed }, { skip }) => {
    // Every second round of all names takes the other store; the log exists in that of the killed process only.
    const killed = name.includes("log") || Math.floor(i / NAMES.length) % 2 === 1;
    const of = written[killed ? 1 : 0]!;
    const directory = damagedCopy(of, name, seed);
    if (directory === undefined) return skip("nothing to damage");

    const checked = await checkStore(directory);
    const repaired = `${directory}-repaired`;
    const report = tryRepair(directory, repaired);
    expect(wrongInServed(of, await serve(directory, of.keys.keys()), checked)).toEqual([]);

    // Only where the database itself is gone there is nothing to salvage.
    expect(report !== undefined || /removed|cut off/.test(name)).toBe(true);
    const whole = !name.includes("log") && !name.includes("older");
    const wrong = report && (await wrongInRepaired(of, report, await serve(repaired, of.keys.keys()), repaired, whole));
    expect(wrong ?? []).toEqual([]);
    rmSync(directory, { recursive: true, force: true });
    rmSync(repaired, { recursive: true, force: true });
  });
});

/** Undefined when there is no database at all. */
function tryRepair(from: string, to: string): ReturnType<typeof repairStore> | undefined {
  try {
    return repairStore(from, to);
  } catch (error) {
    if (error instanceof StoreError && error.code === "failed") return undefined;
    throw error;
  }
}

test("a store that is whole has no findings, whether it was closed or killed", async () => {
  for (const { directory, revision } of written) {
    const report = await checkStore(directory);
    expect(report).toMatchObject({ findings: [], revision, format: 1 });
    expect(report.records).toBe(
      stateAt(
        written.find((w) => w.directory === directory)!,
        revision,
      ).size,
    );
  }
});
