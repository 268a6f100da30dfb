import { expect, test } from "vitest";
import { type GoExports, goCodeOf, globalsOf } from "./module.ts";
import { wasm } from "./webassembly.ts";

/** A module with a mutable global of 5, a function `next` that adds one to it and returns it, and two segments of data. */
const COUNTER = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7f],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x05, 0x03, 0x01, 0x00, 0x01],
  ...[0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x05, 0x0b],
  ...[0x07, 0x08, 0x01, 0x04, 0x6e, 0x65, 0x78, 0x74, 0x00, 0x00],
  ...[0x0a, 0x0d, 0x01, 0x0b, 0x00, 0x23, 0x00, 0x41, 0x01, 0x6a, 0x24, 0x00, 0x23, 0x00, 0x0b],
  ...[0x0b, 0x11, 0x02, 0x00, 0x41, 0x08, 0x0b, 0x02, 0x07, 0x08, 0x00, 0x41, 0x80, 0x90, 0x03, 0x0b, 0x01, 0x09],
]);

test("a copy of the globals continues where the instance was", async () => {
  const module = await wasm.compile(goCodeOf(COUNTER).bytes);
  const [first, second] = [new wasm.Instance(module, {}), new wasm.Instance(module, {})];
  const next = ({ exports }: typeof first): unknown => (exports as unknown as { next: () => number }).next();
  expect([next(first), next(first)]).toEqual([6, 7]);
  const globals = globalsOf(first);
  expect(globals).toHaveLength(1);
  globalsOf(second)[0]!.value = globals[0]!.value;
  expect([next(second), next(first)]).toEqual([8, 8]);
});

test("exports stay", async () => {
  const module = await wasm.compile(goCodeOf(COUNTER).bytes);
  const { exports } = new wasm.Instance(module, {});
  expect(Object.keys(exports as unknown as GoExports)).toEqual(["next", "global 0"]);
});

test("data stand beside the module", () => {
  expect(goCodeOf(COUNTER).data).toEqual([
    { offset: 8, bytes: Uint8Array.of(7, 8) },
    { offset: 51_200, bytes: Uint8Array.of(9) },
  ]);
});

test.for([
  { name: "text", bytes: Buffer.from("#!/bin/sh"), message: /expected a module of WebAssembly/ },
  { name: "a module without globals", bytes: COUNTER.subarray(0, 8), message: /without globals, exports or data/ },
  { name: "a module that ends early", bytes: COUNTER.subarray(0, 9), message: /end early/ },
])("$name is refused", ({ bytes, message }) => {
  expect(() => goCodeOf(bytes)).toThrow(message);
});
