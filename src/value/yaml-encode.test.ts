import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { JsonNumber, type Value } from "./value.ts";
import { encodeYaml } from "./yaml-encode.ts";
import { decodeYaml } from "./yaml.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";
import { expectNotLong } from "../util/testing/slices.ts";

describe("YAML responses", () => {
  test("members are sorted, lists begin in the column of their key, long lines are broken", () => {
    const value: Value = {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {
        name: "c",
        labels: {},
        finalizers: [],
        ownerReferences: [{ uid: "u", name: "n", deep: [[1, [2]], { a: { b: null } }] }],
      },
      data: {
        a10: "x",
        a2: "yes",
        text: "one\ntwo\n",
        long: "word ".repeat(40).trim(),
        quoted: "it's: so",
        time: "2026-01-01T00:00:00Z",
        bell: "\u0007",
      },
    };
    expect(encodeYaml(value)).toBe(`apiVersion: v1
data:
  a2: "yes"
  a10: x
  bell: "\\a"
  long: ${"word ".repeat(14)}word
    ${"word ".repeat(15)}word
    ${"word ".repeat(8)}word
  quoted: 'it''s: so'
  text: |
    one
    two
  time: "2026-01-01T00:00:00Z"
kind: ConfigMap
metadata:
  finalizers: []
  labels: {}
  name: c
  ownerReferences:
  - deep:
    - - 1
      - - 2
    - a:
        b: null
    name: "n"
    uid: u
`);
  });

  test.each<[Value, string]>([
    ["text", "text\n"],
    ["", '""\n'],
    [null, "null\n"],
    [[], "[]\n"],
    [{}, "{}\n"],
    [1.5, "1.5\n"],
    [new JsonNumber("9007199254740993") as unknown as Value, "9007199254740993\n"],
    [["a", "- b"], "- a\n- '- b'\n"],
  ])("%j", (value, text) => {
    expect(encodeYaml(value)).toBe(text);
  });

  test.each([
    "yes",
    "y",
    "NO",
    "on",
    "off",
    "true",
    "null",
    "~",
    "1",
    "0644",
    "0x1f",
    "1_000",
    "1e3",
    ".5",
    ".inf",
    "NaN",
    "12:30:45",
    "<<",
    "=",
    "2026-01-01",
    "- a",
    "a: b",
    "a #b",
    "#",
    "@a",
    "`a",
    "&a",
    "*a",
    "!a",
    "%a",
    "|",
    ">",
    "{",
    "[a",
    "'a",
    '"a',
    "a:",
    " a",
    "a ",
    "\ta",
    "a\n b",
    "\n",
    "a\n\n",
    "\na",
    "a\n\n b\n",
    "---",
    "...",
    "a\r\nb",
    "a\u0085b",
    "\u2028",
    "\ufeff",
    "é😀",
  ])("%j is the same text for every decoder", (text) => {
    for (const value of [text, [text], { [text]: text }, [[{ a: text, b: 1 }]]]) {
      const yaml = encodeYaml(value);
      expect(decodeYaml(yaml).value).toEqual(value);
      expect(parse(yaml, { version: "1.1" })).toEqual(value);
      expect(parse(yaml)).toEqual(value);
      expect(parse(yaml, { version: "1.1" })).toEqual(value);
    }
  });

  test("texts of all kinds are equal after encoding and decoding, as values and as keys", () => {
    const unit = fc.constantFrom(
      "a",
      "b",
      " ",
      "\n",
      "\t",
      ":",
      "#",
      "-",
      "'",
      '"',
      "\\",
      "1",
      ".",
      "é",
      "\u0085",
      "\u0000",
      "?",
      ",",
      "{",
      "\r",
    );
    fc.assert(
      fc.property(fc.string({ unit }), fc.string({ unit }), (key, text) => {
        const value = { [key]: [text, { x: text }] };
        expect(decodeYaml(encodeYaml(value)).value).toEqual(value);
        expect(parse(encodeYaml(value))).toEqual(value);
      }),
      { numRuns: 3000 },
    );
  });

  test("a long text with many separators is encoded quickly", () => {
    const start = cpuMillis();
    encodeYaml({ a: `${"a ".repeat(500_000)}\u0000`, b: `${"a".repeat(1_000_000)}!` });
    expectNotLong(cpuMillis() - start, 200);
  });
});

test("a text of many lines is encoded completely", () => {
  const text = "a line\n".repeat(300_000);
  expect(encodeYaml({ text })).toHaveLength(text.length + "  ".length * 300_000 + "text: |\n".length);
});
