/**
 * Elements that stand twice in lists where each is there once: in sets, and in lists that are told apart by keys (MARK-3, MARK-4).
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { canonicalJson } from "../../value/canonical.ts";
import { type Value, isObject } from "../../value/value.ts";
import { type Structural, anywhere, partsOf } from "./schema.ts";

/** An element that may not be where it is. */
interface Misplaced {
  readonly field: string;
  readonly value: Value;
  /** Undefined for one that is there twice. */
  readonly why?: string;
}

/** Whether there is a list at this place or below whose elements are told apart. */
const hasMarks = anywhere(({ "x-kubernetes-list-type": type }) => type === "set" || type === "map");

/** Tells elements that are there twice; on an update only where there were none before (CRD-46). */
export function validateLists(schema: Structural, object: Value, old: Value | undefined, errors: FieldErrors): void {
  if (!hasMarks(schema)) return;
  const misplaced = [...listsBelow(schema, object, "")];
  if (misplaced.length === 0 || (old !== undefined && !listsBelow(schema, old, "").next().done)) return;
  for (const { field, value, why } of misplaced) {
    if (why === undefined) errors.duplicate(field, value);
    else errors.invalid(field, value, why);
  }
}

function* listsBelow(schema: Structural, value: Value, path: string): Generator<Misplaced> {
  if (!hasMarks(schema)) return;
  if (Array.isArray(value)) yield* misplacedIn(schema, value, path);
  for (const part of partsOf(schema, value, path)) yield* listsBelow(part.schema, part.value, part.path);
}

function* misplacedIn(schema: Structural, list: readonly Value[], path: string): Generator<Misplaced> {
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") yield* doubled(list, path, (item) => item);
  if (type !== "map") return;
  const stranger = list.findIndex((item) => item !== null && !isObject(item));
  if (stranger >= 0) {
    yield {
      field: `${path}[${stranger}]`,
      value: list[stranger]!,
      why: "expected an object, the list is told apart by keys",
    };
    return;
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  yield* doubled(list, path, (item) =>
    Object.fromEntries(
      keys
        .filter((key) => isObject(item) && Object.hasOwn(item, key))
        .map((key) => [key, (item as { [k: string]: Value })[key]!]),
    ),
  );
}

/** The second of each pair of elements with one key; those that follow are not told. */
function* doubled(list: readonly Value[], path: string, keyOf: (item: Value) => Value): Generator<Misplaced> {
  const counts = new Map<string, number>();
  for (const [i, item] of list.entries()) {
    const key = keyOf(item);
    const text = canonicalJson(key);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count === 2) yield { field: `${path}[${i}]`, value: key };
  }
}
