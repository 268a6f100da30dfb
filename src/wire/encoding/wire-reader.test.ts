import { expect, test } from "vitest";
import { WireReader } from "./wire-reader.ts";

const reader = (...bytes: number[]) => new WireReader(Uint8Array.from(bytes));

test("a number has at most ten bytes", () => {
  expect(reader(...Array<number>(9).fill(0xff), 0x01).int64()).toBe(-1);
  expect(() => reader(...Array<number>(10).fill(0xff), 0x01).int64()).toThrow("at most ten bytes");
});
