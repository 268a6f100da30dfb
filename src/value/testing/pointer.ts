import { parsePointer } from "../pointer.ts";
import { type Value, getMember, isObject } from "../value.ts";

/** The value that a pointer leads to, undefined when nothing is there. Indices are decimal without leading zeros. */
export function evaluatePointer(document: Value, pointer: string): Value | undefined {
  let value: Value | undefined = document;
  for (const token of parsePointer(pointer)) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
    else value = isObject(value) ? getMember(value, token) : undefined;
  }
  return value;
}
