import { expect, test } from "vitest";
import { bodyMemory, memoryOfProcess } from "./body-memory.ts";

const MIB = 1 << 20;

test.each([
  [48, 16],
  [512, 64],
  [2_048, 256],
  [65_536, 256],
])("with %i MiB of memory the budget for bodies is %i MiB", (memory, bodies) => {
  expect(bodyMemory(memory * MIB)).toBe(bodies * MIB);
});

test("a process has a memory limit", () => {
  expect(memoryOfProcess()).toBeGreaterThan(16 * MIB);
  expect(memoryOfProcess()).toBeLessThan(Infinity);
});
