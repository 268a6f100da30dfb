import { expect, test } from "vitest";
import { MAX_SAMPLES, parseExposition } from "./exposition.ts";

const plain = (text: string, ...names: string[]): unknown =>
  Object.fromEntries(
    [...parseExposition(text, new Set(names)).samples].map(([name, samples]) => [
      name,
      samples.map(({ labels, value }) => [Object.fromEntries(labels), value]),
    ]),
  );

test("lines of wanted names are read, comments and other names are not", () => {
  const text = [
    "# HELP a Something.",
    "# TYPE a counter",
    'a{verb="list",code="200"} 3',
    "a 4 1700000000000",
    "ab 5",
    "b{} 1e3",
    'c_bucket{le="+Inf"} +Inf',
  ].join("\n");
  expect(plain(text, "a", "b", "c_bucket")).toEqual({
    a: [
      [{ verb: "list", code: "200" }, 3],
      [{}, 4],
    ],
    b: [[{}, 1000]],
    c_bucket: [[{ le: "+Inf" }, Infinity]],
  });
});

test("escapes in labels are read, and a label may contain braces and commas", () => {
  expect(plain(String.raw`a{x="q\"},{\\\n",y="2",} 1`, "a")).toEqual({ a: [[{ x: 'q"},{\\\n', y: "2" }, 1]] });
});

test.each(["a{x=1} 1", 'a{x="1} 1', 'a{x="1"y="2"} 1', "a", "a x", "a NaN", 'a{x="1"'])(
  "the malformed line %s is skipped and the next one is read",
  (line) => {
    expect(plain(`${line}\na 7`, "a")).toEqual({ a: [[{}, 7]] });
  },
);

test("a label named __proto__ is data", () => {
  const { samples } = parseExposition('a{__proto__="x"} 1', new Set(["a"]));
  expect(samples.get("a")![0]!.labels.get("__proto__")).toBe("x");
});

test("no more samples than the bound are kept, and the result says so", () => {
  const text = "a 1\n".repeat(MAX_SAMPLES + 2);
  const { samples, isCut } = parseExposition(text, new Set(["a"]));
  expect([samples.get("a")!.length, isCut]).toEqual([MAX_SAMPLES, true]);
});

test("a sample with more labels than the bound is skipped", () => {
  const labels = Array.from({ length: 40 }, (_, i) => `l${i}="x"`).join(",");
  expect(plain(`a{${labels}} 1`, "a")).toEqual({});
});
