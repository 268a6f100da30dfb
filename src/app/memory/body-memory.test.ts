import { expect, test } from "vitest";
import { bodyMemory, memoryOfProcess } from "./body-memory.ts";

const MIB = 1 << 20;

test.each([
  [48, 16],
  [512, 64],
  [2_048, 256],
  [65_536, 256],
])("of %i MiB of memory bodies may take %i", (memory, bodies) => {
  expect(bodyMemory(memory * MIB)).toBe(bodies * MIB);
});

test("a process has memory, and a bound of it", () => {
  expect(memoryOfProcess()).toBeGreaterThan(16 * MIB);
  expect(memoryOfProcess()).toBeLessThan(Infinity);
});
