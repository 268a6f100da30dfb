import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DecodeError, DEFAULT_DEPTH } from "./decode-error.ts";
import { decodeExactly } from "./json-exact.ts";
import { decodeJson, type JsonOptions, parseOwnJson } from "./json.ts";
import { JsonNumber } from "./value.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";
import { expectNotLong } from "../util/testing/slices.ts";

const decode = (text: string, options?: JsonOptions): ReturnType<typeof decodeJson> =>
  decodeJson(Buffer.from(text), options);

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

/** The value as JSON, with all numbers rounded to doubles. */
const plain = (value: unknown): string => JSON.stringify(JSON.parse(JSON.stringify(value)));

/** JSON values with unusual keys that a ConfigMap allows. */
const key = fc.oneof(
  fc.string(),
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "length", "then", "toJSON", "1", "-0"),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.string({ unit: "binary" }),
    fc.array(tie("value")),
    fc.dictionary(key, tie("value"), { noNullPrototype: true }),
  ),
}));

describe("the result of JSON.parse", () => {
  test("is returned for every text without duplicate members", () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const { value: decoded, duplicates } = decode(text);
        expect(duplicates).toEqual([]);
        expect(plain(decoded)).toBe(plain(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });

  test("is returned by the exact decoder, too", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = JSON.stringify(value);
        expect(plain(decodeExactly(text, {}).value)).toBe(plain(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });

  test("the exact decoder refuses the same texts as JSON.parse", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"',
      "\\",
      "1",
      "-",
      "0",
      ".",
      "e",
      "true",
      "nul",
      " ",
      "\n",
      "\\u00e4",
      "\u0001",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(outcome(() => decodeExactly(text, {}))).toBe(valid ? "value" : "refusal");
      }),
      { numRuns: 20_000 },
    );
  });
});

describe("numbers", () => {
  test.each([
    "9007199254740993",
    "-9223372036854775808",
    "99999999999999999999",
    "1e400",
    "19.0",
    "2e1",
    "1E2",
    "-0.0",
    "1e-400",
  ])("%s keeps its literal", (literal) => {
    expect(decode(`{"a":[${literal}]}`).value).toEqual({ a: [new JsonNumber(literal)] });
  });

  test.each([0, -1, 15.5, 9007199254740991, 0.1, 1.25e-7, 123456789012345])("%d is a plain number", (number) => {
    expect(decode(`[${number}]`).value).toEqual([number]);
  });

  test.each(["015", "+15", "0x1f", "1_000", "NaN", ".5", "5.", "1e", "--1", "Infinity"])(
    "%s is no number",
    (literal) => {
      expect(failure(() => decode(`{"a":${literal}}`)).code).toBe("malformed");
    },
  );
});

describe("DEC-24: duplicate members", () => {
  test.each<[string, string, unknown, string[]]>([
    [
      "the last scalar wins, the path is told once",
      '{"data":{"k":"one","k":"two","k":"three"}}',
      { data: { k: "three" } },
      ["data.k"],
    ],
    [
      "a second object is merged with the first",
      '{"data":{"k":"one"},"data":{"l":"two"}}',
      { data: { k: "one", l: "two" } },
      ["data"],
    ],
    ["null ends a merge", '{"data":{"k":"one"},"data":null,"data":{"l":"two"}}', { data: { l: "two" } }, ["data"]],
    ["lists are replaced", '{"a":[1,2],"a":[3]}', { a: [3] }, ["a"]],
    [
      "merged objects tell theirs",
      '{"d":{"k":1,"x":{"y":1}},"d":{"k":2,"x":{"z":2}}}',
      { d: { k: 2, x: { y: 1, z: 2 } } },
      ["d", "d.k", "d.x"],
    ],
    [
      "an index is part of the path",
      '{"spec":{"containers":[{},{"name":1,"name":2}]}}',
      { spec: { containers: [{}, { name: 2 }] } },
      ["spec.containers[1].name"],
    ],
    ["at the top of a list", '[{"op":"add","op":"test"}]', [{ op: "test" }], ["[0].op"]],
    ["an escape is the same key", '{"a":1,"\\u0061":2}', { a: 2 }, ["a"]],
    [
      "one key in two objects is not twice",
      '{"a":{"k":1},"b":{"k":1},"c":[{"k":1},{"k":1}]}',
      { a: { k: 1 }, b: { k: 1 }, c: [{ k: 1 }, { k: 1 }] },
      [],
    ],
  ])("%s", (_, text, value, duplicates) => {
    const found = decode(text);
    expect({ value: found.value, duplicates: found.duplicates }).toEqual({ value, duplicates });
  });

  test("are reported for a key __proto__, which changes no prototype", () => {
    const { value, duplicates } = decode('{"__proto__":{"x":1},"__proto__":{"y":2}}');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1,"y":2}}');
    expect(duplicates).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("are found at any path", () => {
    const entries = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "dd", "ee"), fc.integer()), { minLength: 1 });
    fc.assert(
      fc.property(entries, (members) => {
        const text = `{${members.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(",")}}`;
        const repeated = members.map(([k]) => k).filter((k, i, all) => all.indexOf(k) < i);
        expect(new Set(decode(text).duplicates)).toEqual(new Set(repeated));
        expect(decode(text).value).toEqual(Object.fromEntries(members));
      }),
    );
  });

  test("are reported at most a hundred times", () => {
    const text = `{${Array.from({ length: 300 }, (_, i) => `"k${i}":1,"k${i}":2`).join(",")}}`;
    expect(decode(text).duplicates).toHaveLength(100);
  });
});

describe("malformed text", () => {
  test.each([
    "",
    " ",
    "{",
    '{"a":1,}',
    "{'a':1}",
    "metadata: {name: c}",
    '{"k":"v}}',
    "// c\n{}",
    '\ufeff{"a":1}',
    '{"a":1}}',
    "{} trailing",
    "{}{}",
    "{}\u0000",
    "---\n{}",
    '"a\u0001"',
    "nul",
    "[1 2]",
    '{"a" 1}',
    '"\\x"',
  ])("%j is refused", (text) => {
    expect(failure(() => decode(text)).code).toBe("malformed");
  });

  test.each(["null", "[]", '"text"', "5", ' \n\t\r {"a":1}\n\n '])("%j is a value", (text) => {
    expect(decode(text).value).toEqual(JSON.parse(text));
  });

  test("the message has the position and the character there", () => {
    expect(failure(() => decode('{\n  "a": }')).message).toBe(
      'Expected a value at line 2, column 8 of the JSON text, found "}"',
    );
    expect(failure(() => decode('{"a":1')).message).toBe(
      "Expected ',' or '}' at line 1, column 7 of the JSON text, found the end",
    );
  });
});

describe("CM-4: invalid Unicode", () => {
  const bad = Buffer.from([...Buffer.from('{"data":{"k":"'), 0xff, 0xfe, ...Buffer.from('"}}')]);

  test("is refused, or each byte replaced", () => {
    expect(failure(() => decodeJson(bad)).code).toBe("invalidUtf8");
    expect(decodeJson(bad, { replaceInvalidUtf8: true }).value).toEqual({ data: { k: "\ufffd\ufffd" } });
  });

  test.each([
    String.raw`"\ud800"`,
    String.raw`"\udc00"`,
    String.raw`"\ud83dx"`,
    String.raw`"\uD83D\u0041"`,
    String.raw`{"\ud800":1}`,
  ])("a lone surrogate in %s is refused, or replaced", (text) => {
    expect(failure(() => decode(text)).code).toBe("invalidUtf8");
    expect(JSON.stringify(decode(text, { replaceInvalidUtf8: true }).value)).toContain("\ufffd");
  });

  test("a surrogate pair is a character", () => {
    expect(decode(String.raw`"\ud83d\ude00\\ud800"`).value).toBe("😀\\ud800");
  });

  test("two keys that become equal are reported", () => {
    const text = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x2c, 0x22, 0xfe, 0x22, 0x3a, 0x32, 0x7d]);
    expect(decodeJson(text, { replaceInvalidUtf8: true })).toMatchObject({
      value: { "\ufffd": 2 },
      duplicates: ["\ufffd"],
    });
  });
});

describe("limits", () => {
  const nest = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

  test("values may be nested up to the limit", () => {
    expect(decode(nest(DEFAULT_DEPTH)).duplicates).toEqual([]);
    expect(failure(() => decode(nest(DEFAULT_DEPTH + 1))).code).toBe("tooDeep");
    expect(decode(`{"a":1,"a":${nest(9999)}}`, { depth: 10_000 }).duplicates).toEqual(["a"]);
    expect(failure(() => decode(nest(10_001), { depth: 10_000 })).code).toBe("tooDeep");
  });

  const list = (item: string, count: number): string => `[${`${item},`.repeat(count)}1]`;
  test.each<[string, string]>([
    ["3 MB of brackets", nest(1_500_000)],
    ["3 MB of empty lists", list("[]", 1_000_000)],
    ["3 MB of nested lists", list(nest(900), 1_650)],
    ["3 MB of floats", list("1.0", 750_000)],
    ["3 MB of one repeated member", `{${'"a":1,'.repeat(500_000)}"a":2}`],
    ["3 MB of different members", `{${Array.from({ length: 250_000 }, (_, i) => `"k${i}":1`).join(",")}}`],
    ["3 MB of backslashes", `"${"\\\\".repeat(1_500_000)}"`],
    ["3 MB of bad escapes", `"${"\\x".repeat(1_500_000)}"`],
    ["3 MB of half surrogates", `"${"\\ud800".repeat(500_000)}"`],
    ["an unfinished string of 3 MB", `"${"a".repeat(3_000_000)}`],
  ])("%s are decoded or refused quickly", (_, text) => {
    const body = Buffer.from(text);
    const times = [1, 2, 3].map(() => {
      const start = cpuMillis();
      expect(outcome(() => decodeJson(body))).toMatch(/^(value|refusal)$/);
      return cpuMillis() - start;
    });
    expectNotLong(Math.min(...times), 250); // some 100 ms on a machine that does nothing else
  });

  test("arbitrary bytes give a value or a DecodeError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.boolean(), (body, replaceInvalidUtf8) => {
        expect(outcome(() => decodeJson(body, { replaceInvalidUtf8 }))).toMatch(/^(value|refusal)$/);
      }),
      { numRuns: 5000 },
    );
  });
});

describe("texts of JSON.stringify", () => {
  test("a text is parsed as its bytes are decoded, or left to the decoder", () => {
    const small = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });
    fc.assert(
      fc.property(small, (value) => {
        const text = JSON.stringify(value);
        const parsed = parseOwnJson(text, 10);
        const decoded = decodeJson(Buffer.from(text));
        expect(parsed === undefined ? decoded : { value: parsed, duplicates: [] }).toEqual(decoded);
      }),
    );
  });

  test.each([
    ["an integer of 16 digits", 1e15],
    ["a fraction", 0.5],
    ["an exponent", 1e21],
    ["a lone surrogate", "\ud800"],
    ["a value that is too deep", [[[]]]],
    ["a long text", "x".repeat(70_000)],
  ])("%s is left to the decoder", (_what, value) => {
    expect(parseOwnJson(JSON.stringify({ value }), 3)).toBeUndefined();
  });

  test("a text that is no JSON is left to the decoder", () => {
    expect(parseOwnJson('{"a":', 3)).toBeUndefined();
  });

  test("usual objects are not", () => {
    const object = {
      metadata: { name: "ä😀", labels: { __proto__x: "1" } },
      spec: { replicas: -3, ports: [80, null, true] },
    };
    expect(parseOwnJson(JSON.stringify(object), 4)).toEqual(object);
  });

  test("a member called __proto__ is an own one", () => {
    const parsed = parseOwnJson('{"a":{"__proto__":{"b":1}}}', 4) as { a: object };
    expect(Object.keys(parsed.a)).toEqual(["__proto__"]);
  });
});
