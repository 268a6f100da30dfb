/**
 * The differences between two versions of an object, for people to read.
 *
 * @module
 */
import { formatPointer } from "../value/pointer.ts";
import { type Value, equal, isObject } from "../value/value.ts";
import type { ReportedChange } from "./history-report.ts";

/** Members of metadata that change with every write and are not reported. */
export const UNREPORTED_METADATA: readonly string[] = ["managedFields", "resourceVersion"];

const UNREPORTED: ReadonlySet<string | number> = new Set(UNREPORTED_METADATA);

/**
 * The differences in the order of the objects, without {@link UNREPORTED_METADATA}. Lists are compared item by item: equal
 * items at the beginning and the end of both are skipped, the others are compared by position.
 */
export function changesBetween(before: Value, after: Value): ReportedChange[] {
  const changes: ReportedChange[] = [];
  compare(before, after, [], changes);
  return changes;
}

function compare(
  before: Value | undefined,
  after: Value | undefined,
  path: (string | number)[],
  into: ReportedChange[],
): void {
  if (before === undefined && after === undefined) return;
  // Unreported members are at depth two.
  if (path.length === 2 && path[0] === "metadata" && UNREPORTED.has(path[1]!)) return;
  if (before === undefined) into.push({ op: "add", pointer: formatPointer(path), after: after! });
  else if (after === undefined) into.push({ op: "remove", pointer: formatPointer(path), before });
  else if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const member = (value: typeof before): Value | undefined =>
        Object.hasOwn(value, name) ? value[name] : undefined;
      compare(member(before), member(after), [...path, name], into);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, into);
  else if (before !== after) into.push({ op: "replace", pointer: formatPointer(path), before, after });
}

/** `pointer` has the position in the list after the change; of a removed item, the one before. */
function compareLists(
  before: readonly Value[],
  after: readonly Value[],
  path: (string | number)[],
  into: ReportedChange[],
): void {
  const shorter = Math.min(before.length, after.length);
  let [head, tail] = [0, 0];
  if (before.length !== after.length) {
    while (head < shorter && equal(before[head], after[head])) head++;
    while (tail < shorter - head && equal(before[before.length - 1 - tail]!, after[after.length - 1 - tail]!)) tail++;
  }
  const ends = [before.length - tail, after.length - tail] as const;
  for (let i = head; i < Math.max(...ends); i++) {
    compare(i < ends[0] ? before[i] : undefined, i < ends[1] ? after[i] : undefined, [...path, i], into);
  }
}
