import { WireReader } from "../../encoding/wire-reader.ts";

/** The fields of a message by their numbers, each as bytes; the message has no numbers of its own. */
export function fields(bytes: Uint8Array, start = 0): ReadonlyMap<number, readonly Buffer[]> {
  const reader = new WireReader(bytes, { start });
  const found = new Map<number, Buffer[]>();
  while (reader.more) {
    const number = reader.field();
    found.set(number, [...(found.get(number) ?? []), reader.bytes()]);
  }
  return found;
}

/** The field at the end of a path of numbers, the first one at each step. */
export function field(bytes: Uint8Array, ...path: readonly number[]): Buffer {
  const [number, ...rest] = path;
  if (number === undefined) return Buffer.from(bytes);
  const found = fields(bytes).get(number)?.[0];
  if (!found) throw new Error(`Expected field ${number} to be there`);
  return field(found, ...rest);
}
