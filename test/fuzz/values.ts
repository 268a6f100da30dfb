/**
 * JSON values that are nearly right, and texts of them that JavaScript would not write.
 *
 * @module
 */
import type { Draw } from "../../src/util/testing/draw.ts";

/** Stands for a text of JSON that no value has: `raw("1e999")`. */
const RAW = "\u{e000}raw:";
const raw = (text: string): string => RAW + text;

const deep = (depth: number, leaf: unknown): unknown => (depth === 0 ? leaf : { a: deep(depth - 1, leaf) });
const keys = (count: number, value: unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

/** Values at the edges of what is taken. */
const HOT: readonly unknown[] = [
  null, true, false, 0, -1, 1, 2 ** 31, 2 ** 53, -(2 ** 63), 0.5, 1e21, "", " ", "a", "0", "-1", "null", "1Gi", "1e3", "0.1m",
  "9".repeat(40), "x".repeat(64), "x".repeat(254), "x".repeat(5000), "\0", "\ud800", "\u2028", "é̂́", "ａ", "a/b", "a.b/c", "../x",
  "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z", "9999-99-99T99:99:99Z", "AAAA", "A===", "IfNotPresent", "*", "{}",
  "__proto__", "constructor", "$patch", "$setElementOrder/a", [], {}, [null], [[]], [{}], { "": "" }, { a: null },
  { $patch: "replace" }, { $patch: "delete" }, { "f:metadata": { "f:labels": {} } }, deep(40, 1), deep(1100, 1), keys(300, "v"),
  Array.from({ length: 300 }, (_, i) => i), Array.from({ length: 300 }, (_, i) => ({ name: `n${i % 200}`, value: "v" })),
  raw("1e999"), raw("-0"), raw("00"), raw("1."), raw("NaN"), raw('"\\ud83d"'), raw('{"a":1,"a":2}'), raw("9007199254740993"), raw(""),
]; // prettier-ignore

const NAMES: readonly string[] = [
  "metadata", "spec", "status", "data", "name", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "uid", "generateName",
  "managedFields", "resourceVersion", "deletionTimestamp", "creationTimestamp", "kind", "apiVersion", "items", "type", "conditions",
  "__proto__", "constructor", "toString", "", "$patch", "$retainKeys", "$deleteFromPrimitiveList/finalizers", "$setElementOrder/ports", "f:a", ".", "x".repeat(300),
]; // prettier-ignore

/** A value that may stand anywhere. */
export const hotValue = (draw: Draw): unknown => draw.pick(HOT);

const MOST_CHANGES = 4;
const MOST_COPIES = 400;

/** Changes a value in a few places; most of it stays as it was. */
export function mutateValue(draw: Draw, value: unknown): unknown {
  let mutated = value;
  for (let i = draw.below(MOST_CHANGES + 1); i > 0; i--) mutated = mutateOnce(draw, mutated);
  return mutated;
}

/** Walks to some path, and changes the value there. */
function mutateOnce(draw: Draw, value: unknown): unknown {
  if (typeof value !== "object" || value === null || draw.chance(0.15)) return replaced(draw, value);
  if (Array.isArray(value)) return mutateList(draw, value);
  const entries = Object.entries(value);
  if (entries.length === 0 || draw.chance(0.2)) return mutateMembers(draw, entries);
  const at = draw.below(entries.length);
  return fromEntries(entries.map(([key, member], i) => [key, i === at ? mutateOnce(draw, member) : member]));
}

function mutateList(draw: Draw, list: readonly unknown[]): unknown {
  const at = draw.below(list.length);
  if (list.length > 0 && draw.chance(0.6)) return list.with(at, mutateOnce(draw, list[at]));
  return draw.one(
    () => list.toSpliced(at, 1),
    () => [...list, hotValue(draw)],
    () => [...list, ...list],
    () => draw.many(1 + draw.small(MOST_COPIES), () => list[at] ?? hotValue(draw)),
    () => list.toReversed(),
  );
}

function mutateMembers(draw: Draw, entries: readonly [string, unknown][]): unknown {
  const at = draw.below(entries.length);
  const [key = "a", member = 1] = entries[at] ?? [];
  const name = draw.pick(NAMES);
  return draw.one<unknown>(
    () => fromEntries(entries.toSpliced(at, 1)),
    () => fromEntries([...entries, [name, hotValue(draw)]]),
    () => fromEntries([...entries, [name, member]]),
    () => fromEntries(entries.toSpliced(at, 1, [name, member])),
    () =>
      fromEntries([
        ...entries,
        ...draw.many(draw.small(MOST_COPIES), (i): [string, unknown] => [`${key}-${i}`, member]),
      ]),
    () => fromEntries([...entries, [key.toUpperCase(), member]]),
  );
}

function replaced(draw: Draw, value: unknown): unknown {
  if (typeof value !== "string" || draw.chance(0.5)) return hotValue(draw);
  const at = draw.below(value.length + 1);
  const more = draw.pick([".", "/", "-", "\0", "\n", "%", "é", "\ud800", value, "x".repeat(300)]);
  return value.slice(0, at) + more + value.slice(draw.chance(0.5) ? at : at + 1);
}

/** With `__proto__` as a member like others. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

const RAW_TEXT = new RegExp(`"${RAW}((?:[^"\\\\]|\\\\.)*)"`, "gu");

/** The JSON text of a value, with the texts that only {@link HOT} has; an empty object for copies of copies that no text can hold. */
export function jsonOf(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? "").replaceAll(RAW_TEXT, (_, text: string) => JSON.parse(`"${text}"`) as string);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return "{}";
  }
}
