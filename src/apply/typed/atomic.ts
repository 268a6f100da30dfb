/**
 * Finds the atomic parts of an intent: they are replaced as a whole.
 *
 * @module
 */
import { type Value, isObject } from "../../value/value.ts";
import { type Path, fieldElement, indexElement, pathToString } from "../fieldpath/index.ts";
import type { Type } from "../schema/schema.ts";
import { fieldOf } from "./items.ts";

/** The paths of all atomic lists, maps and structs in a value, in its order. */
export function atomicPaths(type: Type, value: Value): readonly string[] {
  const found: string[] = [];
  collect(type, value, [], found);
  return found;
}

function collect(type: Type, value: Value, path: Path, found: string[]): void {
  if (isObject(value) && (type.kind === "struct" || type.kind === "map")) {
    if (type.atomic) found.push(pathToString(path));
    for (const name of Object.keys(value)) {
      const field = fieldOf(type, name);
      if (field) collect(field.type, value[name]!, [...path, fieldElement(name)], found);
    }
  }
  if (!Array.isArray(value) || type.kind !== "list") return;
  if (type.merge === "atomic") found.push(pathToString(path));
  for (const [i, item] of value.entries()) collect(type.item, item, [...path, indexElement(i)], found);
}
