/**
 * Copies of the memory of a program: of the pages that are not empty.
 *
 * @module
 */
import type { WasmMemory } from "./webassembly.ts";

/** A copy, which is never changed. */
export interface KeptMemory {
  /** The length of the memory in bytes. */
  readonly length: number;
  /** Bytes at offsets; all else is zero. */
  readonly parts: readonly { readonly offset: number; readonly bytes: Uint8Array }[];
}

const PAGE_BYTES = 65_536;

/** Copies a memory. */
export function keepMemory({ buffer }: WasmMemory): KeptMemory {
  const { byteLength: length } = buffer;
  const parts: KeptMemory["parts"][number][] = [];
  let start: number | undefined;
  for (let offset = 0; offset <= length; offset += PAGE_BYTES) {
    const isEmpty = offset === length || isZero(buffer, offset);
    if (!isEmpty) start ??= offset;
    else if (start !== undefined) {
      parts.push({ offset: start, bytes: new Uint8Array(buffer.slice(start, offset)) });
      start = undefined;
    }
  }
  return { length, parts };
}

/** Makes a new memory, which is all zero, as the copied one was. */
export function restoreMemory(memory: WasmMemory, { length, parts }: KeptMemory): void {
  const missing = (length - memory.buffer.byteLength) / PAGE_BYTES;
  if (missing > 0) memory.grow(missing);
  for (const { offset, bytes } of parts) new Uint8Array(memory.buffer, offset, bytes.length).set(bytes);
}

function isZero(buffer: ArrayBuffer, offset: number): boolean {
  for (const word of new BigUint64Array(buffer, offset, PAGE_BYTES / 8)) if (word !== 0n) return false;
  return true;
}
