import { expect, test } from "vitest";
import { type GoExports, goCodeOf, globalsOf } from "./module.ts";
import { wasm } from "./webassembly.ts";

/** A module with a mutable global of 5, a function `next` that adds one to it and returns it, and two segments of data. */
const COUNTER = Buffer.from(
  [
    "0061736d01000000",
    "0105016000017f",
    "03020100",
    "0503010001",
    "0606017f0141050b",
    "070801046e6578740000",
    "0a0d010b00230041016a240023000b",
    "0b11020041080b02070800418090030b0109",
  ].join(""),
  "hex",
);

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
