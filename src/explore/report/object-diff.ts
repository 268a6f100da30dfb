/**
 * The difference of two states of an object: lines of YAML, and the paths of the members.
 *
 * @module
 */
import { diffLines, type DiffLine, hunksOf } from "../../util/line-diff.ts";
import { equal, isObject, type Value } from "../../value/value.ts";
import { encodeYaml } from "../../value/yaml-encode.ts";
import type { StoredObject } from "../contract/state.ts";

/** Members that differ in any two runs. */
const VOLATILE = new Set(["managedFields", "uid", "resourceVersion", "creationTimestamp", "selfLink", "generation"]);
const MAX_LINES = 60;

/** Returns the object without what differs in any two runs. */
export function comparable({ metadata, ...rest }: StoredObject): Value {
  const kept = Object.entries(metadata).filter(([name]) => !VOLATILE.has(name));
  return { ...rest, metadata: Object.fromEntries(kept) } as Value;
}

export const yamlLines = (value: Value): string[] => encodeYaml(value).trimEnd().split("\n");

/** Lines of a comparison; `gap` replaces lines that are equal and omitted, or that are too many. */
export type ShownLine = DiffLine | { readonly sign: "gap"; readonly count: number };

/** Compares two texts by lines, with some lines around each difference. */
export function shownDiff(before: readonly string[], after: readonly string[]): readonly ShownLine[] {
  let line = 1;
  const shown = hunksOf(diffLines(before, after)).flatMap(({ from, lines }): ShownLine[] => {
    const gap = from - line;
    line = from + lines.filter(({ sign }) => sign !== "+").length;
    return gap > 0 ? [{ sign: "gap", count: gap }, ...lines] : [...lines];
  });
  if (shown.length <= MAX_LINES) return shown;
  return [...shown.slice(0, MAX_LINES), { sign: "gap", count: shown.length - MAX_LINES }];
}

/** Returns the paths of the members that differ, down to the smallest ones. */
export function differingPaths(
  a: Value | undefined,
  b: Value | undefined,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (a === undefined || b === undefined) {
    const [there, empty] = a === undefined ? [b, isObject(b) ? {} : []] : [a, isObject(a) ? {} : []];
    // Each member of an added or removed container.
    const hasMembers = typeof there === "object" && there !== null && Object.keys(there).length > 0;
    return there === undefined ? [] : hasMembers ? differingPaths(there, empty, path) : [path];
  }
  if (equal(a, b)) return [];
  if (isObject(a) && isObject(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return names.flatMap((name) => differingPaths(own(a, name), own(b, name), [...path, name]));
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return [path];
  const length = Math.max(a.length, b.length);
  return Array.from({ length }, (_, i) => differingPaths(a[i], b[i], [...path, i])).flat();
}

const own = (object: { readonly [name: string]: Value }, name: string): Value | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** `.spec.items[0].name`. */
export const pathText = (path: readonly (string | number)[]): string =>
  path
    .map((step) =>
      typeof step === "number" ? `[${step}]` : /^[A-Za-z_][\w-]*$/.test(step) ? `.${step}` : `['${step}']`,
    )
    .join("");
