/**
 * What is different between two versions of an object, for people to read.
 *
 * @module
 */
import type { ReportedChange } from "../meta/history-report.ts";
import { formatPointer } from "../value/pointer.ts";
import { type Value, isObject } from "../value/value.ts";

/** Members that change with every write, and say nothing about what was meant. */
const SILENT: ReadonlySet<string> = new Set(["/metadata/managedFields", "/metadata/resourceVersion"]);

/** The differences in the order of the objects. Lists are compared item by item, in their order. */
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
  const pointer = formatPointer(path);
  if (SILENT.has(pointer)) return;
  if (before === undefined) into.push({ op: "add", pointer, after: after! });
  else if (after === undefined) into.push({ op: "remove", pointer, before });
  else if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const has = (value: typeof before): Value | undefined => (Object.hasOwn(value, name) ? value[name] : undefined);
      compare(has(before), has(after), [...path, name], into);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i++) compare(before[i], after[i], [...path, i], into);
  } else if (before !== after) into.push({ op: "replace", pointer, before, after });
}
