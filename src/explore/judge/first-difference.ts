/**
 * Where a run begins to differ from a clean one, and what the program knew at that moment. For reports.
 *
 * @module
 */
import type { ChangeEntry, ObjectRef, RequestEntry, Trace } from "../contract/trace.ts";
import { flatten, flatText, type Flat } from "./flat.ts";
import { RunNames } from "./names.ts";
import { realKey, Sight } from "./seen.ts";

/** A write of a program that was stored. */
interface Write {
  readonly seq: number;
  /** Its place among all writes of programs. */
  readonly rank: number;
  readonly change: ChangeEntry["change"];
  readonly flat: Flat;
}

/** The writes of each program to each object with a normal name. */
function writesOf(trace: Trace): ReadonlyMap<string, readonly Write[]> {
  const names = new RunNames({ trace, states: [] });
  const writes = new Map<string, Write[]>();
  let rank = 0;
  for (const entry of trace) {
    if (entry.type !== "change" || entry.actor === "user") continue;
    const key = `${entry.actor}|${names.identity(entry.object).key}`;
    const flat = flatten(entry.after, { names, isStored: () => true });
    writes.set(key, [...(writes.get(key) ?? []), { seq: entry.seq, rank: rank++, change: entry.change, flat }]);
  }
  return writes;
}

/** The paths in which the same writes of several clean runs differ. */
function unstablePaths(key: string, runs: readonly ReadonlyMap<string, readonly Write[]>[]): ReadonlySet<string> {
  const paths = new Set<string>();
  const [first, ...others] = runs.map((run) => run.get(key) ?? []);
  for (const other of others)
    for (const [i, { flat }] of first!.entries()) {
      const beside = other[i]?.flat;
      if (!beside) continue;
      for (const path of new Set([...flat.keys(), ...beside.keys()]))
        if (flat.get(path) !== beside.get(path)) paths.add(path);
    }
  return paths;
}

/**
 * Returns the first stored write that differs: only `clean` where the run lacks it, only `run` where it is extra, both where the content
 * is another one. Writes are compared object by object, so that an order that differs between independent objects is none.
 *
 * @param otherClean other clean runs: members that differ between clean runs are not compared
 * @returns the `seq` of changes; undefined where all writes are alike
 */
export function firstDifference(
  clean: Trace,
  run: Trace,
  otherClean: readonly Trace[] = [],
): { clean?: number; run?: number } | undefined {
  const expected = writesOf(clean);
  const found = writesOf(run);
  const cleanRuns = [expected, ...otherClean.map(writesOf)];
  let first: { rank: number; clean?: number; run?: number } | undefined;
  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const unstable = unstablePaths(key, cleanRuns);
    const text = ({ change, flat }: Write): string => `${change}\n${flatText(flat, (path) => !unstable.has(path))}`;
    const [a, b] = [expected.get(key) ?? [], found.get(key) ?? []];
    let i = 0;
    while (i < a.length && i < b.length && text(a[i]!) === text(b[i]!)) i++;
    const [one, other] = [a[i], b[i]];
    if (!one && !other) continue;
    const rank = Math.min(one?.rank ?? Infinity, other?.rank ?? Infinity);
    if (first && first.rank <= rank) continue;
    first = { rank, ...(one && { clean: one.seq }), ...(other && { run: other.seq }) };
  }
  if (!first) return undefined;
  const { rank: _, ...difference } = first;
  return difference;
}

/** The knowledge of a program about an object. */
export interface Known {
  readonly object: ObjectRef & { readonly name: string };
  /** The last revision of it that the program had seen in this life. */
  readonly seen?: number;
  /** Its last revision at that moment, and the event of it. */
  readonly current?: number;
  readonly currentChange?: "created" | "updated" | "deleted";
}

/**
 * Returns what the program of an entry had seen at that moment, of each object of a kind that it reads or writes: outdated ones first.
 *
 * @param seq an entry of a program: a request, a change, a delivery or a life
 */
export function knowledge(trace: Trace, seq: number): readonly Known[] {
  const entry = trace[seq];
  if (!entry || !("actor" in entry)) return [];
  const sight = new Sight(trace);
  const life = { actor: entry.actor, life: "life" in entry ? entry.life : sight.lifeAt(entry.actor, seq) };
  const kinds = new Set(
    trace
      .filter((it): it is RequestEntry => it.type === "request" && it.actor === entry.actor)
      .map(({ object }) => `${object.group}|${object.kind}`),
  );
  for (const it of trace)
    if (it.type === "delivery" && it.actor === entry.actor) kinds.add(`${it.object.group}|${it.object.kind}`);
  const known: Known[] = [];
  for (const changes of sight.changes.values()) {
    const { object } = changes[0]!;
    const current = changes.findLast((change) => change.seq < seq || change === entry);
    if (!current || !kinds.has(`${object.group}|${object.kind}`)) continue;
    const seen = sight.lastSeen(life, object, seq);
    if (seen === undefined && current.change === "deleted") continue;
    known.push({
      object,
      ...(seen !== undefined && { seen }),
      current: current.revision,
      currentChange: current.change,
    });
  }
  const isBehind = (it: Known): number => (it.seen !== it.current ? 0 : 1);
  return known.sort((a, b) => isBehind(a) - isBehind(b) || compare(realKey(a.object), realKey(b.object)));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
