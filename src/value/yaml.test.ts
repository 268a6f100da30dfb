import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DecodeError, DEFAULT_DEPTH } from "./decode-error.ts";
import { equal, JsonNumber, type Value } from "./value.ts";
import { encodeYaml } from "./yaml-encode.ts";
import { atOnce, isSteps } from "../util/steps.ts";
import { decodeYaml, decodeYamlInline, YAML_INLINE_LIMIT, type YamlOptions } from "./yaml.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";
import { expectLinear } from "../util/testing/linear.ts";
import { expectNotLong } from "../util/testing/slices.ts";

const scalar = (text: string): unknown => (decodeYaml(`k: ${text}\n`).value as Record<string, unknown>)["k"];

/** Returns a value or a DecodeError; throws any other error. */
function outcome(run: () => unknown): "value" | "refusal" {
  try {
    run();
    return "value";
  } catch (error) {
    if (error instanceof DecodeError) return "refusal";
    throw error;
  }
}

function failure(run: () => unknown): DecodeError {
  try {
    run();
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
  throw new Error("Expected a DecodeError, got none");
}

describe("LIM-15, AMB-39: scalars are those of YAML 1.1 as Go decodes them", () => {
  test.each<[string, unknown]>([
    ["yes", true],
    ["y", true],
    ["On", true],
    ["TRUE", true],
    ["off", false],
    ["N", false],
    ["tRUE", "tRUE"],
    ["~", null],
    ["", null],
    ["Null", null],
    ["'null'", "null"],
    ['"yes"', "yes"],
    ["15", 15],
    ["+15", 15],
    ["-15", -15],
    ["0644", 420],
    ["0o644", 420],
    ["-0o17", -15],
    ["08", 8],
    ["0x1e", 30],
    ["0b11", 3],
    ["3_0", 30],
    ["1__000.5", 1000.5],
    ["_1", "_1"],
    ["3e1", 30],
    ["15.0", 15],
    ["1.5", 1.5],
    [".5", 0.5],
    [".5_0", ".5_0"],
    ["1e400", "1e400"],
    [".", "."],
    ["9007199254740993", new JsonNumber("9007199254740993")],
    ["18446744073709551615", new JsonNumber("18446744073709551615")],
    ["99999999999999999999", 1e20],
    ["2026-01-01", "2026-01-01"],
    ["2024-01-01T00:00:00.123456Z", "2024-01-01T00:00:00.123456Z"],
    ["12:30:45", "12:30:45"],
    ["several words # comment", "several words"],
    ["!!str 5", "5"],
    ["! 5", "5"],
    ["!mine 5", "5"],
    ['!!int "15"', 15],
    ["!!float 15", 15],
    ["!!bool 'yes'", true],
    ["!!null ''", null],
    ["!!timestamp 2026-01-01", "2026-01-01"],
    ["!!binary aGk=", "hi"],
    ["!<tag:yaml.org,2002:int> '7'", 7],
  ])("%s is %j", (text, value) => {
    expect(scalar(text)).toEqual(value);
  });

  test.each([".inf", "-.Inf", ".nan", "!!int x", "!!bool 5", "!!float yes", "!!null x", "!!binary a"])(
    "%s is refused",
    (text) => {
      expect(failure(() => scalar(text)).code).toBe("malformed");
    },
  );

  test("member names are made of scalars", () => {
    const { value } = decodeYaml("1: a\nyes: b\n1.50: c\n0x10: d\n.inf: e\n'5': f\n2026-01-01: g\n");
    expect(value).toEqual({ "1": "a", true: "b", "1.5": "c", "16": "d", ".inf": "e", "5": "f", "2026-01-01": "g" });
  });

  test.each(["? [a]\n: b", "? {a: 1}\n: b", "~: b", "null: b"])("%j names no member", (text) => {
    expect(failure(() => decodeYaml(text)).code).toBe("malformed");
  });
});

describe("documents", () => {
  test("comments, block scalars, anchors and merge keys", () => {
    const { value, duplicates } = decodeYaml(
      `# who wrote this\nmetadata:\n  labels: &common\n    app: web\n    'tier': "front"\n  annotations:\n    <<: *common\n    tier: back\n    note: 'it''s here: "quoted" # not a comment'\ndata:\n  folded: >-\n    one\n    two\n\n    three\n  literal: |\n    line 1\n      indented\n    # not a comment\n  kept: |+\n    text\n\n  continued: one\n    two\n  tabbed: "a\\tb\\x41\\u00e9"\n  aliased: &text shared\n  again: *text\n  ? explicit\n  : value\n`,
    );
    expect(value).toEqual({
      metadata: {
        labels: { app: "web", tier: "front" },
        annotations: { app: "web", tier: "back", note: 'it\'s here: "quoted" # not a comment' },
      },
      data: {
        folded: "one two\nthree",
        literal: "line 1\n  indented\n# not a comment\n",
        kept: "text\n\n",
        continued: "one two",
        tabbed: "a\tbA\u00e9",
        aliased: "shared",
        again: "shared",
        explicit: "value",
      },
    });
    expect(duplicates).toEqual(["metadata.annotations.tier"]);
  });

  test.each<[string, unknown]>([
    ["", null],
    ["\n", null],
    ["# only a comment\n", null],
    ["---\n", null],
    ["null", null],
    ["text", "text"],
    ["- a\n- 1\n", ["a", 1]],
    ["\ufeffa: 1\n", { a: 1 }],
    ["---\na: 1\n---\nb: 2\n", { a: 1 }],
    ["a: 1\n---\n\t: not even YAML", { a: 1 }],
    ["a: 1\n...\n\t: not even YAML", { a: 1 }],
    ["# c\n%YAML 1.1\n---\na: 1\n", { a: 1 }],
    ["--- {a: 1}\n--- 2\n", { a: 1 }],
    ["---\n---\na: 1\n", null],
    ["a: |\n  ---\n  x\nb: 1\n", { a: "---\nx\n", b: 1 }],
    ["a:\r\n- b\r\n---\r\nc", { a: ["b"] }],
  ])("%j is %j: the first document counts", (text, value) => {
    expect(decodeYaml(text).value).toEqual(value);
  });

  test.each([
    "a: b: c",
    "@at: x",
    "apiVersion: v1\n\tkind: ConfigMap\n",
    "apiVersion: v1\n kind: ConfigMap\n",
    'apiVersion: "v1\n',
    "a: *unknown\n",
    '{"apiVersion": "v1"',
    "metadata: {name: d}\ndata: {k: [}\n",
    "\u0000",
    "a: &a [*a]\n",
    "a:\n  <<: 5\n",
    "a:\n  <<: [{x: 1}, 2]\n",
  ])("%j is refused", (text) => {
    expect(failure(() => decodeYaml(text)).code).toBe("malformed");
  });

  test("merge keys: the first of several maps wins, later members win over them, and each duplicate is reported", () => {
    const { value, duplicates } = decodeYaml(
      "a: &a {p: 1, q: 1}\nb: &b {q: 2, r: 2}\nc:\n  <<: [*a, *b]\n  r: 3\n'<<': plain\n",
    );
    expect(value).toEqual({ a: { p: 1, q: 1 }, b: { q: 2, r: 2 }, c: { p: 1, q: 1, r: 3 }, "<<": "plain" });
    expect(duplicates).toEqual(["c.q", "c.r"]);
  });

  test("DEC-24: duplicate members are reported with their path each time, the last one wins, nothing is merged", () => {
    const { value, duplicates } = decodeYaml(
      "data: {k: 1, k: 2, k: 3}\nspec:\n- {}\n- name: a\n  name: b\ndata: {l: 1}\n",
    );
    expect(value).toEqual({ data: { l: 1 }, spec: [{}, { name: "b" }] });
    expect(duplicates).toEqual(["data.k", "data.k", "spec[1].name", "data"]);
  });

  test("an alias is a copy, so that a change affects one place", () => {
    const { value } = decodeYaml("a: &a {x: [1]}\nb: *a\n");
    const { a, b } = value as Record<string, { x: number[] }>;
    expect(b).toEqual(a);
    expect(b!.x).not.toBe(a!.x);
  });

  test("CM-4: invalid UTF-8 and lone surrogates are refused", () => {
    expect(failure(() => decodeYaml(Uint8Array.of(0x61, 0xff))).code).toBe("invalidUtf8");
    expect(failure(() => decodeYaml('a: "\ud800"')).code).toBe("invalidUtf8");
    expect(failure(() => decodeYaml('a: "\\ud800"')).message).toBe(
      "yaml: line 1, column 11: found invalid Unicode character escape code",
    );
  });
});

describe("results and messages of the decoder in Go", () => {
  test.each<[string, string, unknown]>([
    ["a bracket at its key", "a:\n  b: [\n    x\n  ]\n", { a: { b: ["x"] } }],
    ["a bracket left of its key", "a:\n  b: {\n    x: 1\n}\n", { a: { b: { x: 1 } } }],
    ["tabs inside of braces", "a: {\n\tb: 1\n}\n", { a: { b: 1 } }],
    ["a quoted text that goes on at its key", 'a:\n  b: "one\n  two"\nc: 1\n', { a: { b: "one two" }, c: 1 }],
    ["a quoted text that goes on left of its key", "a:\n  b: 'one\ntwo'\n", { a: { b: "one two" } }],
    ["a literal whose last line has no line break", "a: |\n  x\n  y", { a: "x\ny" }],
    ["line breaks of Unicode", "a: 'x\u0085  y'\u2028b: 'x\u2028y'\n", { a: "x y", b: "x\u2028y" }],
    ["an anchor whose name is taken inside", "- &a {b: &a x}\n- *a\n", [{ b: "x" }, "x"]],
    ["UTF-16", "\ufeffa: é", { a: "é" }],
  ])("%s", (what, text, value) => {
    expect(decodeYaml(what === "UTF-16" ? Buffer.from(text, "utf16le") : text).value).toEqual(value);
  });

  test.each<[string, string]>([
    ["a: b: c", "yaml: line 1, column 5: mapping values are not allowed in this context"],
    ["a:\n\t- b", "yaml: line 2, column 1: found character that cannot start any token"],
    ["a: [1\nb: 2", "yaml: line 2, column 2: did not find expected ',' or ']'"],
    ["a: *b", "yaml: line 1, column 4: unknown anchor referenced"],
    ["😀: 'x\n", "yaml: line 2, column 1: found unexpected end of stream"],
    ["'😀': @", "yaml: line 1, column 6: found character that cannot start any token"],
    ["a: \u0007", "yaml: line 1, column 4: control characters are not allowed"],
  ])("%j is refused with its position", (text, message) => {
    expect(failure(() => decodeYaml(text)).message).toBe(message);
  });

  test("DEC-24: duplicate keys are reported with their lines, as in Go", () => {
    const { unmarshalErrors } = decodeYaml(
      "a: 1\nb: &b {c: 1,\n  d: 1}\na: 2\n1: x\n1:\n  y\n<<: *b\nc: 3\nd:\n  d: 4\n",
    );
    expect(unmarshalErrors).toBe(
      `yaml: unmarshal errors:\n  line 4: key "a" already set in map\n  line 7: key 1 already set in map\n  line 9: key "c" already set in map\n  line 11: key "d" already set in map`,
    );
  });

  test("DEC-24: an alias repeats the duplicates of its anchor", () => {
    const { duplicates, unmarshalErrors } = decodeYaml("v: &a {b: [{c: 1, c: 2}]}\nw: *a\nx: [*a]\n");
    expect(duplicates).toEqual(["v.b[0].c", "w.b[0].c", "x[0].b[0].c"]);
    expect(unmarshalErrors?.split("\n").slice(1)).toEqual(Array(3).fill('  line 1: key "c" already set in map'));
  });

  test("DEC-24: the report of duplicates is bounded, at any depth and with any number of aliases", () => {
    const depth = 900;
    const repeated = "c: 1, ".repeat(101);
    const nested = [...Array(depth).keys()].map((i) => `&a${i} {k: `).join("");
    const aliases = "*a, 1, ".repeat(20_000);
    for (const text of [
      `x: ${nested}{${repeated}}${"}".repeat(depth)}\n`,
      `x: &a {c: 1, c: 1}\ny: ${"[".repeat(depth)}${aliases}${"]".repeat(depth)}\n`,
      `x: ${"[".repeat(depth)}{${"c: 1, ".repeat(100_000)}}${"]".repeat(depth)}\n`,
    ]) {
      const before = cpuMillis();
      const heap = process.memoryUsage().heapUsed;
      expect(decodeYaml(text).duplicates).toHaveLength(100);
      expect(cpuMillis() - before).toBeLessThan(1000);
      expect(process.memoryUsage().heapUsed - heap).toBeLessThan(200 << 20);
    }
  });
});

describe("JSON is YAML", () => {
  test.each<[string, unknown]>([
    ['{"a": [1, 1.5, "x", null, true, {"b": {}}]}', { a: [1, 1.5, "x", null, true, { b: {} }] }],
    ['\n {\n\t"a": 19.0, "b": 2e1}', { a: 19, b: 20 }],
    ["{a: yes, b: 0644}", { a: true, b: 420 }],
    ['{"a": 9007199254740993}', { a: new JsonNumber("9007199254740993") }],
  ])("%s", (text, value) => {
    expect(decodeYaml(text).value).toEqual(value);
  });

  test("DEC-24: duplicate members", () => {
    const text = '{"data":{"k":1},"data":{"l":2},"data":{"l":3}}';
    expect(decodeYaml(text)).toMatchObject({ value: { data: { l: 3 } }, duplicates: ["data", "data"] });
  });

  const asJson: YamlOptions = { jsonEscapes: true };
  test.each([
    String.raw`{"a":"\/"}`,
    String.raw`{"a":"\ud83d\ude00"}`,
    String.raw`a: "\/"`,
    String.raw`a: "x\\\/"`,
    String.raw`"\/": 1`,
  ])("AMB-39: %s is decoded as in JSON, or refused as in YAML", (text) => {
    expect(JSON.stringify(decodeYaml(text, asJson).value)).toMatch(/\/|😀/u);
    expect(failure(() => decodeYaml(text)).code).toBe("malformed");
  });

  test.each([
    String.raw`{"a":"\\/ \u00e4 \n \\ud83d"}`,
    String.raw`a: "\\/ \u00e4 \\ud83d"`,
    String.raw`a: '\/ \ud83d'`,
    "a: |\n  \\/ \\ud83d\n",
  ])("AMB-39: %s has no such escape", (text) => {
    expect(decodeYaml(text).value).toEqual(decodeYaml(text, asJson).value);
  });
});

describe("limits", () => {
  const bomb = (): string => {
    const names = "abcdefghi".split("");
    const levels = names.map((name, i) => `${name}: &${name} [${(i ? `*${names[i - 1]},` : '"lol",').repeat(9)}]`);
    return levels.join("\n");
  };

  test("CVE-2019-11253: aliases of too large values are refused quickly", () => {
    const start = cpuMillis();
    expect(failure(() => decodeYaml(bomb())).message).toMatch(/line 4, .*: document contains excessive aliasing$/);
    expectNotLong(cpuMillis() - start, 200);
  });

  test("CVE-2019-11253: many aliases of a large value are refused", () => {
    const text = `a: &a ${"x".repeat(60_000)}\nb:\n${"- *a\n".repeat(10_000)}`;
    expect(failure(() => decodeYaml(text)).code).toBe("tooLarge");
    expect(failure(() => decodeYaml("a: &a [1, 2, 3]\nb: *a\n", { aliasBytes: 10 })).code).toBe("tooLarge");
  });

  test("aliases do not hide depth", () => {
    const levels = Array.from({ length: 30 }, (_, i) => `- &a${i} ${i ? `[[[*a${i - 1}]]]` : "[]"}`);
    expect(failure(() => decodeYaml(levels.join("\n"), { depth: 60 })).code).toBe("tooDeep");
  });

  test.each([
    "[".repeat(DEFAULT_DEPTH + 1) + "]".repeat(DEFAULT_DEPTH + 1),
    `${"- ".repeat(DEFAULT_DEPTH + 1)}a`,
    `${"? ".repeat(DEFAULT_DEPTH + 1)}a`,
  ])("values that are nested too deep are refused", (text) => {
    expect(failure(() => decodeYaml(text)).code).toBe("tooDeep");
  });

  test("values that are nested up to the limit are decoded", () => {
    expect(JSON.stringify(decodeYaml("[".repeat(DEFAULT_DEPTH) + "]".repeat(DEFAULT_DEPTH)).value)).toHaveLength(
      2 * DEFAULT_DEPTH,
    );
    expect(JSON.stringify(decodeYaml(`${"- ".repeat(DEFAULT_DEPTH)}a`).value)).toHaveLength(2 * DEFAULT_DEPTH + 3);
  });

  test("documents beyond the inline limit need a worker, JSON and small ones do not", () => {
    const inline = (text: string) => atOnce(decodeYamlInline(Buffer.from(text)));
    expect(inline(`a: ${"x".repeat(YAML_INLINE_LIMIT)}`)).toBeUndefined();
    expect(inline(JSON.stringify({ a: "x".repeat(YAML_INLINE_LIMIT) }))?.duplicates).toEqual([]);
    expect(inline("a: 1")?.value).toEqual({ a: 1 });
    expect(failure(() => inline("[".repeat(2000))).code).toBe("tooDeep");
  });

  const fill = (piece: string): string => piece.repeat(Math.ceil((YAML_INLINE_LIMIT - 10) / piece.length));
  test.each<[string, string]>([
    ["a flat map", Array.from({ length: 7_000 }, (_, i) => `  key${i}: value${i}`).join("\n")],
    ["a flow list", `[${fill("a,")}]`],
    ["a flow map", `{${fill("a,")}}`],
    ["flow pairs", `[${fill("a: b,")}]`],
    ["nested flow lists", `[${fill(`${"[".repeat(900)}${"]".repeat(900)},`)}]`],
    ["one key again and again", fill("a:\n")],
    ["anchors", fill("- &a x\n")],
    ["aliases", `- &a x\n${fill("- *a\n")}`],
    ["tags", fill("- !!str x\n")],
    ["document markers", fill("---\n")],
    ["blank lines before a marker", `${fill("\n")}---\n`],
    ["a quoted scalar of many lines", `"${fill("a\n")}"`],
    ["an unfinished scalar", `"${fill("a\n")}`],
    ["backslashes", `"${fill("\\\\")}"`],
    ["numbers", fill("- 1_0\n")],
    ["digits", `a: ${fill("9")}`],
    ["a block of blanks", `a: |\n${fill("      \n")}`],
    ["merge keys", `a: &a {b: 1, c: 2}\nd:\n${fill("  <<: *a\n")}`],
  ])("CVE-2019-11254: %s of the inline limit is decoded or refused quickly", (_, text) => {
    const times = [1, 2, 3].map(() => {
      const start = cpuMillis();
      expect(outcome(() => decodeYaml(text))).toMatch(/^(value|refusal)$/);
      return cpuMillis() - start;
    });
    expectNotLong(Math.min(...times), 200); // below 100 ms on a machine that does nothing else
  });

  test.each([
    ["aliases", "b: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]"],
    ["a merged list", "b: {<<: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]}"],
    ["merge keys", `b:\n${"  <<: *a\n".repeat(10)}`],
  ])("copies of %s are made in many steps", (_, copies) => {
    const members = Array.from({ length: 5000 }, (__, i) => `k${i}: 1`);
    const steps = decodeYamlInline(Buffer.from(`a: &a {${members.join(", ")}}\n${copies}\n`));
    if (!isSteps(steps)) throw new Error("Expected steps, got a value");
    let count = 0;
    while (steps.next().done !== true) count++;
    // The document alone has 10 steps, and each of the ten copies of 5,000 members at least one.
    expect(count).toBeGreaterThanOrEqual(20);
  });

  test("arbitrary text gives a value or a DecodeError", () => {
    const piece = fc.constantFrom(
      "a",
      ": ",
      "- ",
      "\n",
      "  ",
      "{",
      "}",
      "[",
      "]",
      ",",
      "&a ",
      "*a",
      "!!",
      "!int ",
      '"',
      "'",
      "|",
      ">",
      "#",
      "? ",
      "<<",
      "---",
      "...",
      "%",
      "\t",
      "\\",
      "1",
      "0x",
      "\u0000",
      "~",
      "\r",
      "\u2028",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join("")),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          expect(outcome(() => decodeYaml(text))).toMatch(/^(value|refusal)$/);
        },
      ),
      { numRuns: 20_000 },
    );
  });
});

test("keys of the prototype are members, and merge keys change no prototype", () => {
  const { value } = decodeYaml(
    "a: &a {__proto__: {x: 1}, constructor: {prototype: {x: 1}}}\nb: {<<: *a, toString: 1, then: 2, toJSON: 3, length: 4}\n",
  );
  const { b } = value as Record<string, object>;
  expect(Object.keys(b!)).toEqual(["__proto__", "constructor", "toString", "then", "toJSON", "length"]);
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

test("a text of encodeYaml is decoded to the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as Value;
      expect(equal(JSON.parse(JSON.stringify(decodeYaml(encodeYaml(plain)).value)) as Value, plain)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

describe("searches in a text take linear time", () => {
  test.each(["\\\\", "\\n", "\\u0041", "\\/"])("AMB-39: the escape %s again and again", async (escape) => {
    await expectLinear(
      (size) => `{"a": "${escape.repeat(size / escape.length)}"}`,
      (text) => outcome(() => decodeYaml(text)),
    );
  });

  test.each(["\n", " \n", "# a\n", "%a\n", "\r\n", "\t\n", "---\n"])("lines of %j before a document", async (line) => {
    await expectLinear(
      (size) => `${line.repeat(size / line.length)}---\na: 1\n`,
      (text) => outcome(() => decodeYaml(text)),
    );
  });
});

describe("a document begins after its marker", () => {
  test.each([
    ["", true],
    ["\n  \n# a\n # b\n", true],
    ["%YAML 1.1\n", true],
    ["\r\n#a\r\n", true],
    ["a: 2\n", false],
    ["  a: 2\n", false],
    ["#\n\n[]\n", false],
  ])("where the text before it is %j: %s", (before, isOnly) => {
    expect(decodeYaml(`${before}---\na: 1\n`).value).toEqual(isOnly ? { a: 1 } : before.includes("[") ? [] : { a: 2 });
  });
});
