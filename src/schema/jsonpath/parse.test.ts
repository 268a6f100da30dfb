import { describe, expect, test } from "vitest";
import { expectLinear } from "../../util/testing/linear.ts";
import { findFirst } from "./find.ts";
import { JsonPathError, parseJsonPath } from "./parse.ts";

const VALUE = { list: [{ n: 1 }, { n: 2.5 }, { n: -30 }], m: { "a.b": "x" } };

test.each([
  [".list[0].n", 1],
  [".list[-1].n", -30],
  [".m['a\\.b']", "x"],
  [".list[?(@.n==2.5)].n", 2.5],
  [".list[?(@.n==+1.)].n", 1],
  [".list[?(@.n==.25e1)].n", 2.5],
  [".list[?(@.n<-1)].n", -30],
  [".list[?(@.n>1e0)].n", 2.5],
  [".list[?(@.n==3)].n", undefined],
])("CRD-33: %s finds %s", (path, found) => {
  expect(findFirst(VALUE, parseJsonPath(path), { left: 1000 })).toEqual(found);
});

test.each([
  ".list[?(@.n==.)]",
  ".list[?(@.n==1..2)]",
  ".list[?(@.n==1e)]",
  ".list[?(@.n==0x1)]",
  ".list[?(@.n==x)]",
  ".list[",
])("CRD-33: %s is no path", (path) => {
  expect(() => parseJsonPath(path)).toThrow(JsonPathError);
});

describe("a hostile path costs a time that grows with it", () => {
  const tried = (path: string): unknown => {
    try {
      return parseJsonPath(path);
    } catch (error) {
      return error;
    }
  };
  test.each(["0", "1.", ".a", "[", "['", "[0]", "(", "'", "\\", "==", " ", ",a", "[?(@.a==1)]"])(
    "%s again and again",
    async (part) => {
      const text = (size: number): string => part.repeat(size / part.length);
      await expectLinear((size) => `.a[?(@.b==${text(size)}x)]`, tried);
      await expectLinear((size) => `.a${text(size)}`, tried);
      await expectLinear((size) => `.a[${text(size)}]`, tried);
    },
  );
});
