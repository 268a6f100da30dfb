import { parsePointer } from "../pointer.ts";
import { type Value, getMember, isObject } from "../value.ts";

/** Returns the value at a pointer, undefined where there is none. Indices are decimal without leading zeros. */
export function evaluatePointer(document: Value, pointer: string): Value | undefined {
  let value: Value | undefined = document;
  for (const token of parsePointer(pointer)) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
    else value = isObject(value) ? getMember(value, token) : undefined;
  }
  return value;
}
