/**
 * The owners of the members of an object, by its `managedFields`.
 *
 * @module
 */
import { equal, isObject, memberOf, textIn, type Value } from "../../value/value.ts";
import type { StoredObject } from "../contract/state.ts";

/** A manager of a member. */
export interface Owner {
  readonly manager: string;
  /** `Apply` or `Update`, with the subresource: `Update status`. */
  readonly operation: string;
  readonly time?: string;
}

/** Returns the managers of a member, or of the list or object that is owned as a whole and contains it. */
export function ownersOf(object: StoredObject, path: readonly (string | number)[]): readonly Owner[] {
  const entries = object.metadata["managedFields"];
  if (!Array.isArray(entries)) return [];
  return (entries as Value[]).flatMap((entry) => {
    if (!owns(memberOf(entry, "fieldsV1"), object as unknown as Value, path)) return [];
    const [manager, subresource, time] = [
      textIn(entry, "manager"),
      textIn(entry, "subresource"),
      textIn(entry, "time"),
    ];
    const operation = `${textIn(entry, "operation")}${subresource === "" ? "" : ` ${subresource}`}`;
    return [{ manager, operation, ...(time !== "" && { time }) }];
  });
}

function owns(fields: Value | undefined, value: Value | undefined, path: readonly (string | number)[]): boolean {
  if (!isObject(fields)) return false;
  // A field set without members owns the value as a whole.
  if (Object.keys(fields).length === 0) return true;
  const [step, ...rest] = path;
  if (step === undefined) return Object.hasOwn(fields, ".");
  const below = Array.isArray(value) ? value[Number(step)] : memberOf(value, String(step));
  const name = Array.isArray(value) ? itemKey(fields, below, step) : `f:${step}`;
  return name !== undefined && owns(memberOf(fields, name), below, rest);
}

/** The key of a list's item in a field set: by its keys, its value or its index. */
function itemKey(fields: Value, item: Value | undefined, index: string | number): string | undefined {
  if (!isObject(fields) || item === undefined) return undefined;
  return Object.keys(fields).find((name) => {
    if (name === `i:${index}`) return true;
    const wanted = name.startsWith("k:") || name.startsWith("v:") ? parsed(name.slice(2)) : undefined;
    if (wanted === undefined) return false;
    if (name.startsWith("v:")) return equal(wanted, item);
    return isObject(wanted) && Object.entries(wanted).every(([key, value]) => equal(memberOf(item, key), value));
  });
}

function parsed(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}
