/**
 * Duplicate elements of sets and keyed lists (MARK-3, MARK-4).
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { canonicalJson } from "../../value/canonical.ts";
import { type Value, isObject } from "../../value/value.ts";
import { type Structural, anywhere, partsOf } from "./schema.ts";

/** An invalid element. */
interface Misplaced {
  readonly field: string;
  readonly value: Value;
  /** Undefined for a duplicate. */
  readonly why?: string;
}

/** Whether the schema or one below it is a set or a keyed list. */
const hasMarks = anywhere(({ "x-kubernetes-list-type": type }) => type === "set" || type === "map");

/** Reports duplicates; on an update only where there were none before (CRD-46). */
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
  if (type === "set") yield* duplicatesIn(list, path, (item) => item);
  if (type !== "map") return;
  const unexpected = list.findIndex((item) => item !== null && !isObject(item));
  if (unexpected >= 0) {
    yield {
      field: `${path}[${unexpected}]`,
      value: list[unexpected]!,
      why: "expected an object, because the list has keys",
    };
    return;
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  yield* duplicatesIn(list, path, (item) =>
    Object.fromEntries(
      keys
        .filter((key) => isObject(item) && Object.hasOwn(item, key))
        .map((key) => [key, (item as { [k: string]: Value })[key]!]),
    ),
  );
}

/** The second element of each key; later ones are not reported. */
function* duplicatesIn(list: readonly Value[], path: string, keyOf: (item: Value) => Value): Generator<Misplaced> {
  const counts = new Map<string, number>();
  for (const [i, item] of list.entries()) {
    const key = keyOf(item);
    const text = canonicalJson(key);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count === 2) yield { field: `${path}[${i}]`, value: key };
  }
}
