import { expect, test } from "vitest";
import { lastOf, partsOf, readFlags } from "./go-flags.ts";

const read = (...args: string[]): Record<string, readonly string[]> => Object.fromEntries(readFlags(args));

test("a value stands after an equals sign or is the next word", () => {
  expect(read("--port=1", "--dir", "/a b", "-v=4", "--empty=", "--eq=a=b")).toEqual({
    port: ["1"],
    dir: ["/a b"],
    v: ["4"],
    empty: [""],
    eq: ["a=b"],
  });
});

test("a flag without a value is a switch that is on", () => {
  expect(read("--on", "--other", "--last")).toEqual({ on: ["true"], other: ["true"], last: ["true"] });
  expect(read("--on", "false")).toEqual({ on: ["false"] });
});

test("a flag may be given several times, and a value may have parts", () => {
  const flags = readFlags(["--a=x, y", "--a=z,", "--a", "w"]);
  expect(flags.get("a")).toEqual(["x, y", "z,", "w"]);
  expect(partsOf(flags, "a")).toEqual(["x", "y", "z", "w"]);
  expect(lastOf(flags, "a")).toBe("w");
  expect(partsOf(flags, "b")).toEqual([]);
});

test("an empty value is as if the flag was not there", () => {
  expect(lastOf(readFlags(["--a=x", "--a="]), "a")).toBeUndefined();
});

test.each(["word", "-", "--", "--=x"])("%j is refused", (arg) => {
  expect(() => readFlags([arg])).toThrow(`expected a flag such as --name=value, got "${arg}"`);
});
