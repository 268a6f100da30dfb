import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPointer } from "../value/pointer.ts";
import { clone, equal, isObject, type Value } from "../value/value.ts";
import { atOnce } from "../util/steps.ts";
import { followJsonPatch, parseJsonPatch } from "./json-patch.ts";
import { PatchError } from "./patch-error.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";
import { expectNotLong } from "../util/testing/slices.ts";

const applyJsonPatch = (document: Value, patch: Value): Value =>
  atOnce(followJsonPatch(document, parseJsonPatch(patch).operations));

/** Runs a function and accepts a value or a PatchError; throws any other error again. */
function outcome(run: () => unknown): "value" | "refusal" {
  try {
    run();
    return "value";
  } catch (error) {
    if (error instanceof PatchError) return "refusal";
    throw error;
  }
}

function failure(run: () => unknown): PatchError {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error("Expected a PatchError, got none");
}

const OBJECT: Value = { metadata: { finalizers: ["hold", "second"] }, data: { k: "v", l: "w" } };
const at = (result: Value, ...keys: string[]): unknown =>
  keys.reduce((v, key) => (v as Record<string, Value>)[key]!, result);

describe("operations (RFC 6902, and what the real server adds)", () => {
  test.each<[string, Value[], unknown]>([
    ["add sets a member", [{ op: "add", path: "/data/m", value: "x" }], { k: "v", l: "w", m: "x" }],
    ["add replaces a member", [{ op: "add", path: "/data/k", value: "x" }], { k: "x", l: "w" }],
    ["replace", [{ op: "replace", path: "/data/k", value: "y" }], { k: "y", l: "w" }],
    [
      "replace of a missing member adds it",
      [{ op: "replace", path: "/data/m", value: "y" }],
      { k: "v", l: "w", m: "y" },
    ],
    ["remove", [{ op: "remove", path: "/data/l" }], { k: "v" }],
    ["copy", [{ op: "copy", path: "/data/n", from: "/data/k" }], { k: "v", l: "w", n: "v" }],
    [
      "copy of a missing member gives null",
      [{ op: "copy", path: "/data/n", from: "/data/none" }],
      { k: "v", l: "w", n: null },
    ],
    ["move", [{ op: "move", path: "/data/n", from: "/data/k" }], { l: "w", n: "v" }],
    ["move to where it is", [{ op: "move", path: "/data/k", from: "/data/k" }], { k: "v", l: "w" }],
    [
      "test and go on",
      [
        { op: "test", path: "/data/k", value: "v" },
        { op: "remove", path: "/data/k" },
      ],
      { l: "w" },
    ],
    ["test of a missing member against null", [{ op: "test", path: "/data/none", value: null }], { k: "v", l: "w" }],
    ["test of a missing member against nothing", [{ op: "test", path: "/data/none" }], { k: "v", l: "w" }],
    ["test of an object", [{ op: "test", path: "/data", value: { l: "w", k: "v" } }], { k: "v", l: "w" }],
    [
      "test of a text with <, > and &",
      [
        { op: "add", path: "/data/k", value: "<&>" },
        { op: "test", path: "/data/k", value: "<&>" },
      ],
      { k: "<&>", l: "w" },
    ],
    ["add without a value", [{ op: "add", path: "/data/m" }], { k: "v", l: "w", m: null }],
    ["the first segment does not matter", [{ op: "add", path: "x/data/m", value: "v" }], { k: "v", l: "w", m: "v" }],
    ["escapes", [{ op: "add", path: "/data/a~1b~0c", value: "v" }], { k: "v", l: "w", "a/b~c": "v" }],
  ])("%s", (_, patch, data) => {
    expect(at(applyJsonPatch(OBJECT, patch), "data")).toEqual(data);
  });

  test("a path without a slash is refused, one with a slash at the end of it names a member of the root", () => {
    expect(failure(() => applyJsonPatch(OBJECT, [{ op: "add", path: "m", value: "v" }])).code).toBe("invalid");
    expect(at(applyJsonPatch(OBJECT, [{ op: "add", path: "data/m", value: "v" }]), "m")).toBe("v");
  });

  test("only replace and test take the whole document", () => {
    expect(applyJsonPatch(OBJECT, [{ op: "replace", path: "", value: { a: [1] } }])).toEqual({ a: [1] });
    expect(applyJsonPatch(OBJECT, [{ op: "test", path: "", value: clone(OBJECT) }])).toBe(OBJECT);
    const replacement = { a: {} };
    const patch: Value = [
      { op: "replace", path: "", value: replacement },
      { op: "add", path: "/a/b", value: 1 },
    ];
    expect(applyJsonPatch(OBJECT, patch)).toEqual({ a: { b: 1 } });
    expect(replacement).toEqual({ a: {} });
    for (const operation of [
      { op: "replace", path: "", value: 5 },
      { op: "replace", path: "" },
      { op: "test", path: "", value: {} },
      { op: "add", path: "", value: {} },
      { op: "remove", path: "" },
      { op: "copy", from: "", path: "/a" },
      { op: "move", from: "/data", path: "" },
    ]) {
      expect(failure(() => applyJsonPatch(OBJECT, [operation])).code).toBe("invalid");
    }
  });

  const F = "/metadata/finalizers";
  test.each<[Value, string[]]>([
    [{ op: "add", path: `${F}/-`, value: "z" }, ["hold", "second", "z"]],
    [{ op: "add", path: `${F}/0`, value: "z" }, ["z", "hold", "second"]],
    [{ op: "add", path: `${F}/2`, value: "z" }, ["hold", "second", "z"]],
    [{ op: "add", path: `${F}/-1`, value: "z" }, ["hold", "second", "z"]],
    [{ op: "add", path: `${F}/01`, value: "z" }, ["hold", "z", "second"]],
    [{ op: "remove", path: `${F}/0` }, ["second"]],
    [{ op: "remove", path: `${F}/-1` }, ["hold"]],
    [{ op: "replace", path: `${F}/1`, value: "z" }, ["hold", "z"]],
    [{ op: "replace", path: `${F}/-2`, value: "z" }, ["z", "second"]],
    [{ op: "test", path: F, value: ["hold", "second"] }, ["hold", "second"]],
    [{ op: "test", path: `${F}/-1`, value: "second" }, ["hold", "second"]],
    [{ op: "move", path: `${F}/0`, from: `${F}/1` }, ["second", "hold"]],
    [{ op: "copy", path: `${F}/-`, from: `${F}/0` }, ["hold", "second", "hold"]],
  ])("lists: %j", (operation, list) => {
    expect(at(applyJsonPatch(OBJECT, [operation]), "metadata", "finalizers")).toEqual(list);
  });

  test.each<Value>([
    { op: "add", path: `${F}/3`, value: "z" },
    { op: "add", path: `${F}/-4`, value: "z" },
    { op: "add", path: `${F}/x`, value: "z" },
    { op: "add", path: `${F}/1e0`, value: "z" },
    { op: "add", path: `${F}/`, value: "z" },
    { op: "add", path: "/none/k", value: "z" },
    { op: "add", path: "/data/k/x", value: "z" },
    { op: "add", path: "/toString/x", value: "z" },
    { op: "remove", path: `${F}/2` },
    { op: "remove", path: `${F}/-` },
    { op: "remove", path: "/data/none" },
    { op: "remove", path: "/data/toString" },
    { op: "replace", path: `${F}/2`, value: "z" },
    { op: "replace", path: `${F}/-`, value: "z" },
    { op: "test", path: "/data/k", value: "w" },
    { op: "test", path: "/data/k", value: null },
    { op: "test", path: "/data/k" },
    { op: "test", path: "/data", value: {} },
    { op: "test", path: F, value: ["second", "hold"] },
    { op: "test", path: "/none/none", value: "v" },
    { op: "move", path: "/data/k/x", from: "/data" },
    { op: "move", path: "/data/m", from: "/data/none" },
    { op: "copy", path: "/data/m", from: "/none/none" },
    { op: "grow", path: "/data/m" },
    { path: "/data/m" },
    { op: "add", value: 1 },
    { op: "move", path: "/data/m" },
    {},
  ])("%j does not fit", (operation) => {
    expect(failure(() => applyJsonPatch(OBJECT, [operation])).code).toBe("invalid");
  });

  test("what fails changes nothing", () => {
    const document = clone(OBJECT);
    failure(() =>
      applyJsonPatch(document, [
        { op: "add", path: "/data/m", value: 1 },
        { op: "test", path: "/data/k", value: "w" },
      ]),
    );
    expect(document).toEqual(OBJECT);
  });

  test("a failed test names the place, but neither what is stored nor what was expected", () => {
    const { message } = failure(() => applyJsonPatch(OBJECT, [{ op: "test", path: "/data/k", value: "secret" }]));
    expect(message).toContain('"/data/k"');
    expect(message).not.toMatch(/"v"|secret/);
  });
});

describe("patch documents", () => {
  test("null is a patch without operations", () => {
    expect(applyJsonPatch(OBJECT, null)).toBe(OBJECT);
  });

  test.each<Value>([
    {},
    "text",
    5,
    [[]],
    ["x"],
    [{ op: 5, path: "/a" }],
    [{ op: "add", path: ["a"] }],
    [{ op: "move", path: "/a", from: {} }],
  ])("%j is no patch", (patch) => {
    expect(failure(() => applyJsonPatch(OBJECT, patch)).code).toBe("malformed");
  });

  test.each<Value>([
    { op: 5, path: "/a" },
    { op: "add", path: 5 },
    { op: "move", path: "/a", from: {} },
  ])("%j is read without looking at types, and does not fit", (operation) => {
    const { operations } = parseJsonPatch([operation], { typed: false });
    expect(failure(() => atOnce(followJsonPatch(OBJECT, operations))).code).toBe("invalid");
  });

  test("an operation of null has no members, and is refused when it is applied", () => {
    const { operations } = parseJsonPatch([{ op: "test", path: "/data/k", value: "w" }, null]);
    expect(failure(() => atOnce(followJsonPatch(OBJECT, operations))).message).toContain("/data/k");
    expect(failure(() => applyJsonPatch(OBJECT, [null])).code).toBe("invalid");
  });

  test("what is no patch comes before what has too many operations", () => {
    const many: Value = [...Array<Value>(10_001).fill({ op: "test", path: "/a" }), 1];
    expect(failure(() => parseJsonPatch(many)).code).toBe("malformed");
  });

  test("DEC-24: unknown members of operations are reported", () => {
    expect(
      parseJsonPatch([
        { op: "test", path: "/a", value: { x: 1 } },
        { op: "add", Path: "/a", extra: 1 },
      ]).unknown,
    ).toEqual(["[1].Path", "[1].extra"]);
  });
});

describe("values that stand in two places are not written to in both", () => {
  test("after a copy", () => {
    const patch: Value = [
      { op: "add", path: "/a", value: { x: { y: [1] } } },
      { op: "add", path: "/a/x/z", value: 1 },
      { op: "copy", from: "/a", path: "/b" },
      { op: "add", path: "/a/x/y/-", value: 2 },
      { op: "add", path: "/b/x/y/-", value: 3 },
      { op: "copy", from: "/a", path: "/a/c" },
      { op: "remove", path: "/a/x" },
    ];
    expect(applyJsonPatch({}, patch)).toEqual({ a: { c: { x: { y: [1, 2], z: 1 } } }, b: { x: { y: [1, 3], z: 1 } } });
  });

  test("by a decoder that changes the result in place", () => {
    const result = applyJsonPatch({ a: { x: [{ y: 1 }] } }, [{ op: "copy", from: "/a", path: "/b" }]);
    delete (result as { b: { x: { y?: number }[] } }).b.x[0]!.y;
    expect(result).toEqual({ a: { x: [{ y: 1 }] }, b: { x: [{}] } });
  });

  test("neither argument is modified, whatever the operations", () => {
    const pointer = fc
      .array(fc.constantFrom("a", "b", "0", "1", "-", "-1"), { minLength: 1, maxLength: 3 })
      .map((tokens) => formatPointer(tokens));
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
      path: pointer,
      from: pointer,
      value: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(operation), (given, operations) => {
        const document = { a: [given, { b: [1] }], b: { a: given } } as Value;
        const before = JSON.stringify([document, operations]);
        expect(outcome(() => applyJsonPatch(document, operations as Value))).toMatch(/^(value|refusal)$/);
        expect(JSON.stringify([document, operations])).toBe(before);
      }),
      { numRuns: 2000 },
    );
  });

  test("operations one by one give what they give together", () => {
    const pointer = fc.constantFrom("/a", "/b", "/a/x", "/b/x", "/a/l/0", "/a/l/-", "/b/l/0", "/a/x/y");
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy"),
      path: pointer,
      from: pointer,
      value: fc.constantFrom<Value>(1, { l: [1] }, { x: { y: 1 } }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 12 }), (operations) => {
        const fits: Value[] = [];
        let expected: Value = { a: { l: [1, 2], x: {} }, b: {} };
        const start = expected;
        for (const each of operations) {
          try {
            expected = clone(applyJsonPatch(clone(expected), [each]));
            fits.push(each);
          } catch {
            // does not fit here: leave it out
          }
        }
        expect(applyJsonPatch(start, fits)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Returns operations that change `source` to `target`. */
function diff(source: Value, target: Value, path: (string | number)[]): Value[] {
  if (equal(source, target)) return [];
  if (!isObject(source) || !isObject(target)) return [{ op: "replace", path: formatPointer(path), value: target }];
  const gone = Object.keys(source).filter((key) => !Object.hasOwn(target, key));
  return [
    ...gone.map((key) => ({ op: "remove", path: formatPointer([...path, key]) })),
    ...Object.keys(target).flatMap((key) => {
      const inner = [...path, key];
      return Object.hasOwn(source, key)
        ? diff(source[key]!, target[key]!, inner)
        : [{ op: "add", path: formatPointer(inner), value: target[key]! }];
    }),
  ];
}

test("a generated difference leads from any object to any other", () => {
  const object = fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom("a", "__proto__", "constructor", "length")),
    fc.jsonValue(),
  ) as fc.Arbitrary<Value>;
  fc.assert(
    fc.property(object, object, (source, target) => {
      expect(equal(applyJsonPatch(source, diff(source, target, [])), target)).toBe(true);
    }),
  );
});

describe("prototype pollution", () => {
  test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length", "then", "toJSON"])(
    "%s is a member like any other",
    (key) => {
      const added = applyJsonPatch({ data: {} }, [
        { op: "add", path: `/data/${key}`, value: {} },
        { op: "add", path: `/data/${key}/x`, value: 1 },
        { op: "test", path: `/data/${key}/x`, value: 1 },
      ]);
      expect(Object.keys((added as { data: object }).data)).toEqual([key]);
      expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
      expect(applyJsonPatch(added, [{ op: "remove", path: `/data/${key}` }])).toEqual({ data: {} });
    },
  );

  test.each(["/__proto__/x", "/constructor/prototype/x", "/data/__proto__/x"])("%s leads nowhere", (path) => {
    expect(failure(() => applyJsonPatch({ data: {} }, [{ op: "add", path, value: 1 }])).code).toBe("invalid");
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("CVE-2019-1002100: no patch takes long", () => {
  const many = (operation: Value, count = 10_000): Value => Array.from({ length: count }, () => operation);

  test("more than 10000 operations are refused", () => {
    expect(failure(() => applyJsonPatch({}, many({ op: "test", path: "/a", value: null }, 10_001))).code).toBe(
      "tooManyOperations",
    );
    expect(applyJsonPatch({}, many({ op: "test", path: "/a", value: null }))).toEqual({});
  });

  test("copies of more than 3 MiB are refused", () => {
    const doubling: Value = [
      { op: "add", path: "/a", value: [] },
      ...(many({ op: "copy", from: "/a", path: "/a/-" }, 100) as Value[]),
    ];
    expect(failure(() => applyJsonPatch({}, doubling)).code).toBe("invalid");
    expect(
      failure(() => applyJsonPatch({ a: "x".repeat(1 << 20) }, many({ op: "copy", from: "/a", path: "/b" }, 4))).code,
    ).toBe("invalid");
  });

  test("a value that is nested as deep as a body may be is added", () => {
    const value = JSON.parse("[".repeat(1000) + "]".repeat(1000)) as Value;
    expect(applyJsonPatch({}, [{ op: "add", path: "/extra", value }])).toEqual({ extra: value });
  });

  test("values are not nested without end", () => {
    const deeper: Value[] = Array.from({ length: 3000 }, () => [
      { op: "add", path: "/y", value: {} },
      { op: "move", from: "/x", path: "/y/a" },
      { op: "move", from: "/y", path: "/x" },
    ]).flat();
    expect(failure(() => applyJsonPatch({ x: {} }, deeper)).code).toBe("tooManyOperations");
  });

  const list = Array.from({ length: 500_000 }, (_, i) => i % 10);
  const map = Object.fromEntries(list.slice(0, 60_000).map((x, i) => [`key${i}`, x]));
  test.each<[string, Value, Value]>([
    ["inserting into a list of a mebibyte", { a: list }, many({ op: "add", path: "/a/0", value: 1 })],
    ["removing from it", { a: list }, many({ op: "remove", path: "/a/0" })],
    ["moving inside it", { a: list }, many({ op: "move", from: "/a/0", path: "/a/-" })],
    ["comparing it", { a: list }, many({ op: "test", path: "/a", value: [1] })],
    [
      "moving a large map",
      { a: map },
      Array.from({ length: 5000 }, () => [
        { op: "move", from: "/a", path: "/b" },
        { op: "move", from: "/b", path: "/a" },
      ]).flat(),
    ],
    [
      "comparing a large map with itself",
      { a: map },
      Array.from({ length: 9_999 }, () => ({ op: "test", path: "/a", value: map })),
    ],
    [
      "comparing a large map with a small one",
      { a: map },
      Array.from({ length: 9_999 }, () => ({ op: "test", path: "/a", value: { key1: 1 } })),
    ],
    [
      "writing to many members",
      { a: map },
      Array.from({ length: 10_000 }, (_, i) => ({ op: "add", path: `/a/key${i}`, value: 1 })),
    ],
    [
      "removing many members",
      { a: map },
      Array.from({ length: 10_000 }, (_, i) => ({ op: "remove", path: `/a/key${i}` })),
    ],
    ["long paths", { a: 1 }, many({ op: "test", path: "/a".repeat(150), value: 1 })],
  ])("%s", (_, document, patch) => {
    const times = [1, 2, 3].map(() => {
      const start = cpuMillis();
      expect(outcome(() => applyJsonPatch(document, patch))).toMatch(/^(value|refusal)$/);
      return cpuMillis() - start;
    });
    expectNotLong(Math.min(...times), 200); // below 100 ms on a machine that does nothing else
  });
});

test("#40218: arbitrary patches give a value or a PatchError", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.oneof(
        fc.jsonValue(),
        fc.array(
          fc.record(
            {
              op: fc.constantFrom("add", "copy", "test", "remove"),
              path: fc.string(),
              from: fc.string(),
              value: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        ),
      ),
      (document, patch) => {
        expect(outcome(() => applyJsonPatch(document as Value, patch as Value))).toMatch(/^(value|refusal)$/);
      },
    ),
    { numRuns: 3000 },
  );
});
