import { expect, test } from "vitest";
import { lastOf, partsOf, readFlags } from "./go-flags.ts";

const read = (...args: string[]): Record<string, readonly string[]> => Object.fromEntries(readFlags(args));

test("a value follows an equals sign or is the next word", () => {
  expect(read("--port=1", "--dir", "/a b", "-v=4", "--empty=", "--eq=a=b")).toEqual({
    port: ["1"],
    dir: ["/a b"],
    v: ["4"],
    empty: [""],
    eq: ["a=b"],
  });
});

test("a flag without a value is true", () => {
  expect(read("--on", "--other", "--last")).toEqual({ on: ["true"], other: ["true"], last: ["true"] });
  expect(read("--on", "false")).toEqual({ on: ["false"] });
});

test("a flag may be repeated, and a value may have parts", () => {
  const flags = readFlags(["--a=x, y", "--a=z,", "--a", "w"]);
  expect(flags.get("a")).toEqual(["x, y", "z,", "w"]);
  expect(partsOf(flags, "a")).toEqual(["x", "y", "z", "w"]);
  expect(lastOf(flags, "a")).toBe("w");
  expect(partsOf(flags, "b")).toEqual([]);
});

test("an empty value is ignored", () => {
  expect(lastOf(readFlags(["--a=x", "--a="]), "a")).toBeUndefined();
});

test.each(["word", "-", "--", "--=x"])("%j is refused", (arg) => {
  expect(() => readFlags([arg])).toThrow(`expected a flag such as --name=value, got "${arg}"`);
});
