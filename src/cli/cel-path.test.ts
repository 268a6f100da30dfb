import fc from "fast-check";
import { expect, test } from "vitest";
import { expectLinear } from "../util/testing/linear.ts";
import { parsePath } from "./cel-path.ts";

test.each([
  ["", []],
  ["spec.ports[0]", ["spec", "ports", 0]],
  [".metadata.labels['a.b']", ["metadata", "labels", "a.b"]],
  [`a["b]"]['c"']`, ["a", "b]", 'c"']],
  ["a['']", ["a", ""]],
  ["[0][12]", [0, 12]],
  ["a-b_c", ["a-b_c"]],
  ["a[1]b", ["a", 1, "b"]],
])("%j is the path %j", (text, path) => {
  expect(parsePath(text)).toEqual(path);
});

test.each(["a..b", "a.", "a[", "a[]", "a[b]", "a['b", "a['b'", "a['b]", "a['b'c]", `a['b"]`, "a b", "a[-1]"])(
  "%j is none",
  (text) => {
    expect(() => parsePath(text)).toThrow("expected --at to be a path such as spec.ports[0]");
  },
);

test("paths are parsed like a sticky expression", () => {
  const step = /\.?([\w-]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]/y;
  const slowly = (text: string): unknown => {
    const path: unknown[] = [];
    for (step.lastIndex = 0; step.lastIndex < text.length;) {
      const match = step.exec(text);
      if (!match) return undefined;
      path.push(match[2] === undefined ? (match[1] ?? match[3] ?? match[4]) : Number(match[2]));
    }
    return path;
  };
  const texts = fc.string({ unit: fc.constantFrom("a", "1", ".", "[", "]", "'", '"', " "), maxLength: 12 });
  fc.assert(
    fc.property(texts, (text) => {
      expect(tried(text)).toEqual(slowly(text));
    }),
    { numRuns: 5000 },
  );
});

test.each(["a", ".a", "[0]", "['a']", "['", "[", "[1"])(
  "%s again and again costs a time that grows with it",
  async (part) => {
    await expectLinear((size) => part.repeat(size / part.length), tried);
  },
);

function tried(text: string): unknown {
  try {
    return parsePath(text);
  } catch {
    return undefined;
  }
}
