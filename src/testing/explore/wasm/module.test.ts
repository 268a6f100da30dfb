import { expect, test } from "vitest";
import { type GoExports, exportGlobals, globalsOf } from "./module.ts";
import { wasm } from "./webassembly.ts";

/** A module with a mutable global of 5, and a function `next` that adds one to it and returns it. */
const COUNTER = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7f],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x05, 0x0b],
  ...[0x07, 0x08, 0x01, 0x04, 0x6e, 0x65, 0x78, 0x74, 0x00, 0x00],
  ...[0x0a, 0x0d, 0x01, 0x0b, 0x00, 0x23, 0x00, 0x41, 0x01, 0x6a, 0x24, 0x00, 0x23, 0x00, 0x0b],
]);

test("a copy of the globals continues where the instance was", async () => {
  const module = await wasm.compile(exportGlobals(COUNTER));
  const [first, second] = [new wasm.Instance(module, {}), new wasm.Instance(module, {})];
  const next = ({ exports }: typeof first): unknown => (exports as unknown as { next: () => number }).next();
  expect([next(first), next(first)]).toEqual([6, 7]);
  const globals = globalsOf(first);
  expect(globals).toHaveLength(1);
  globalsOf(second)[0]!.value = globals[0]!.value;
  expect([next(second), next(first)]).toEqual([8, 8]);
});

test("exports stay", async () => {
  const module = await wasm.compile(exportGlobals(COUNTER));
  const { exports } = new wasm.Instance(module, {});
  expect(Object.keys(exports as unknown as GoExports)).toEqual(["next", "global 0"]);
});

test.for([
  { name: "text", bytes: Buffer.from("#!/bin/sh"), message: /expected a module of WebAssembly/ },
  { name: "a module without globals", bytes: COUNTER.subarray(0, 8), message: /without globals or exports/ },
  { name: "a module that ends early", bytes: COUNTER.subarray(0, 9), message: /end early/ },
])("$name is refused", ({ bytes, message }) => {
  expect(() => exportGlobals(bytes)).toThrow(message);
});
