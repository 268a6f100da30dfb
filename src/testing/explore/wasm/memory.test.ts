import { expect, test } from "vitest";
import { keepMemory, restoreMemory } from "./memory.ts";
import type { WasmMemory } from "./webassembly.ts";

const PAGE = 65_536;

/** A memory of so many pages. */
function memoryOf(pages: number): WasmMemory {
  const memory = {
    buffer: new ArrayBuffer(pages * PAGE),
    grow: (more: number) => (memory.buffer = new ArrayBuffer(memory.buffer.byteLength + more * PAGE)).byteLength,
  };
  return memory;
}

test("a copy has the pages that are not empty, and makes a new memory the same", () => {
  const memory = memoryOf(5);
  const bytes = new Uint8Array(memory.buffer);
  [bytes[1], bytes[PAGE + 7], bytes[5 * PAGE - 1]] = [1, 2, 3];
  const kept = keepMemory(memory);
  expect(kept.parts.map(({ offset, bytes: { length } }) => [offset / PAGE, length / PAGE])).toEqual([
    [0, 2],
    [4, 1],
  ]);
  const other = memoryOf(2);
  restoreMemory(other, kept);
  expect(Buffer.from(other.buffer).equals(Buffer.from(memory.buffer))).toBe(true);
  bytes[1] = 9;
  expect(kept.parts[0]!.bytes[1]).toBe(1);
});
