/**
 * What is different between two versions of an object, for people to read.
 *
 * @module
 */
import { formatPointer } from "../value/pointer.ts";
import { type Value, equal, isObject } from "../value/value.ts";
import type { ReportedChange } from "./history-report.ts";

/** Members of metadata that change with every write, and say nothing about what was meant. */
export const SILENT_METADATA: readonly string[] = ["managedFields", "resourceVersion"];

const SILENT: ReadonlySet<string> = new Set(SILENT_METADATA.map((name) => `/metadata/${name}`));

/**
 * The differences in the order of the objects, without {@link SILENT_METADATA}. Lists are compared item by item: what
 * stands at their beginning or their end in both counts as the same, the rest by its place.
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
  // The deepest place that is silent is two steps down.
  if (path.length === 2 && SILENT.has(formatPointer(path))) return;
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

/** `pointer` names the place in the list as it is after, for what was removed the place that it had. */
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
