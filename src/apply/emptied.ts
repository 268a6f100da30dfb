import { isObject, setMember } from "../value/value.ts";
import type { Value, ValueObject } from "../value/value.ts";
import { elementType } from "./typed/index.ts";
import type { Type } from "./schema/schema.ts";

/**
 * The object without the nulls that pruning leaves where a container lost its last entry.
 *
 * It drops members that are a container in the live object, null now and not null in the intent.
 */
export function dropEmptied(type: Type, live: Value, object: Value, intent: Value | undefined): Value {
  if (live === object || !isObject(object) || !isObject(live)) return object;
  const left: ValueObject = {};
  for (const key in object) {
    const was = Object.hasOwn(live, key) ? live[key]! : null;
    const sent = isObject(intent) && Object.hasOwn(intent, key) ? intent[key]! : undefined;
    const now = object[key]!;
    if (now === null && typeof was === "object" && was !== null && sent !== null) continue;
    setMember(left, key, dropEmptied(elementType(type, "f:" + key), was, now, sent));
  }
  return left;
}
