import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonSchema, structOf } from "../apply/schema/schema.ts";
import { JsonNumber, type Value, type ValueObject } from "../value/value.ts";
import { PatchError } from "./patch-error.ts";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";
import { atOnce } from "../util/steps.ts";
import { cpuMillis } from "../util/testing/cpu-time.ts";
import { expectNotLong } from "../util/testing/slices.ts";

const text: JsonSchema = { type: "string" };
const texts: JsonSchema = { type: "array", items: text };
const map: JsonSchema = { type: "object", additionalProperties: text };
const owner: JsonSchema = {
  type: "object",
  properties: { uid: text, name: text, tags: map, controller: { type: "boolean" } },
};
const TYPE = structOf({
  type: "object",
  properties: {
    kind: text,
    count: { type: "integer" },
    data: map,
    meta: {
      type: "object",
      properties: {
        labels: map,
        finalizers: { ...texts, "x-kubernetes-patch-strategy": "merge" },
        owners: {
          type: "array",
          items: owner,
          "x-kubernetes-patch-strategy": "merge",
          "x-kubernetes-patch-merge-key": "uid",
        },
      },
    },
    options: texts,
    whole: { type: "object", properties: { a: text, b: text }, "x-kubernetes-patch-strategy": "replace" },
    strategy: { type: "object", properties: { type: text, rolling: map }, "x-kubernetes-patch-strategy": "retainKeys" },
    free: {},
  },
});

const OBJECT: ValueObject = {
  kind: "K",
  data: { k: "v", l: "w" },
  meta: {
    labels: { a: "1", b: "2" },
    finalizers: ["hold", "second"],
    owners: [
      { uid: "1", name: "o1" },
      { uid: "2", name: "o2" },
    ],
  },
  options: ["x", "y"],
  whole: { a: "1", b: "2" },
  strategy: { type: "rolling", rolling: { max: "1" } },
};

const patched = (patch: unknown, object: ValueObject = OBJECT): ValueObject =>
  atOnce(applyStrategicMergePatch(object, patch as ValueObject, TYPE));
const meta = (patch: unknown): ValueObject => patched({ meta: patch })["meta"] as ValueObject;

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

describe("maps", () => {
  test.each<[unknown, unknown]>([
    [
      { k: "x", l: null, m: "v" },
      { k: "x", m: "v" },
    ],
    [{}, { k: "v", l: "w" }],
    [{ none: null }, { k: "v", l: "w" }],
    [null, undefined],
    [{ $patch: "replace", m: "w" }, { m: "w" }],
    [{ $patch: "delete" }, {}],
    [{ $patch: "delete", m: "w" }, {}],
    [
      { $retainKeys: ["k", "m"], m: "x" },
      { k: "v", m: "x" },
    ],
    [["text"], ["text"]],
  ])("data patched by %j is %j", (patch, data) => {
    expect(patched({ data: patch })["data"]).toEqual(data);
  });

  test("a map whose strategy is replace is replaced", () => {
    expect(patched({ whole: { b: "3" } })["whole"]).toEqual({ b: "3" });
  });

  test("retainKeys drops the members of a former union", () => {
    expect(patched({ strategy: { $retainKeys: ["type"], type: "recreate", rolling: null } })["strategy"]).toEqual({
      type: "recreate",
    });
  });

  test("new maps come without nulls, and not at all when they hold a $patch", () => {
    const { data: _, ...object } = OBJECT;
    expect(patched({ data: { k: "v", l: null } }, object)["data"]).toEqual({ k: "v" });
    expect(patched({ data: { $patch: "delete" } }, object)).not.toHaveProperty("data");
    expect(patched({ free: { list: [{ $patch: "delete", x: 1 }, { y: null }, null] } })["free"]).toEqual({
      list: [{}, null],
    });
  });

  test("values without a type have granular maps and atomic lists", () => {
    const object = { free: { a: { x: 1, l: [1] } } };
    expect(patched({ free: { a: { y: 2, l: [2] } } }, object)["free"]).toEqual({ a: { x: 1, y: 2, l: [2] } });
  });

  test("members that the type does not have are taken as they are", () => {
    expect(meta({ "$unknown/finalizers": ["hold"], other: { x: 1 } })).toMatchObject({
      "$unknown/finalizers": ["hold"],
      other: { x: 1 },
    });
  });
});

describe("lists of scalars", () => {
  test.each<[unknown, unknown]>([
    [{ finalizers: ["z"] }, ["z", "hold", "second"]],
    [{ finalizers: ["hold"] }, ["hold", "second"]],
    [{ finalizers: ["second", "z"] }, ["hold", "second", "z"]],
    [{ finalizers: ["z", "second"] }, ["z", "hold", "second"]],
    [{ finalizers: ["z", "z"] }, ["z", "hold", "second"]],
    [{ finalizers: [] }, ["hold", "second"]],
    [{ finalizers: null }, undefined],
    [{ "$deleteFromPrimitiveList/finalizers": ["hold"] }, ["second"]],
    [{ "$deleteFromPrimitiveList/finalizers": ["none"] }, ["hold", "second"]],
    [{ "$deleteFromPrimitiveList/finalizers": "hold" }, ["hold", "second"]],
    [{ "$deleteFromPrimitiveList/finalizers": ["hold"], finalizers: ["z"] }, ["z", "second"]],
    [{ "$setElementOrder/finalizers": ["second", "hold"] }, ["second", "hold"]],
    [{ "$setElementOrder/finalizers": ["z", "second", "hold"], finalizers: ["z"] }, ["z", "second", "hold"]],
    [{ "$setElementOrder/finalizers": ["hold", "z"], finalizers: ["z"] }, ["hold", "z", "second"]],
    [{ "$setElementOrder/finalizers": ["second", "z"], finalizers: ["z"] }, ["hold", "second", "z"]],
    [{ "$setElementOrder/finalizers": [] }, ["hold", "second"]],
    [{ "$deleteFromPrimitiveList/labels": ["a"] }, ["hold", "second"]],
  ])("%j gives %j", (patch, finalizers) => {
    expect(meta(patch)["finalizers"]).toEqual(finalizers);
  });

  test("lists are replaced when the type says nothing of merging", () => {
    expect(patched({ options: ["z"] })["options"]).toEqual(["z"]);
    expect(patched({ options: [] })["options"]).toEqual([]);
    expect(patched({ "$deleteFromPrimitiveList/options": ["x"] })["options"]).toEqual(["y"]);
  });
});

describe("MARK-14: lists with a merge key", () => {
  const o1 = { uid: "1", name: "o1" };
  const o2 = { uid: "2", name: "o2" };
  const o3 = { uid: "3", name: "o3" };
  test.each<[string, unknown, unknown]>([
    ["a new element goes in front", { owners: [o3] }, [o3, o1, o2]],
    [
      "an element is merged where it stands",
      { owners: [{ uid: "1", controller: true }] },
      [{ ...o1, controller: true }, o2],
    ],
    ["a new element after a known one stays behind it", { owners: [{ uid: "2" }, o3] }, [o1, o2, o3]],
    ["an element is deleted", { owners: [{ uid: "1", $patch: "delete" }] }, [o2]],
    ["an element that is not there is deleted", { owners: [{ uid: "3", $patch: "delete" }] }, [o1, o2]],
    ["the list is replaced", { owners: [{ $patch: "replace" }, o3] }, [o3]],
    ["the list is replaced by nothing", { owners: [{ $patch: "replace" }] }, []],
    [
      "the list is replaced, whatever else the element says",
      { owners: [{ $patch: "replace", uid: "2", controller: true }, o3] },
      [o3],
    ],
    [
      "members are changed and removed",
      { owners: [{ uid: "2", name: "x", controller: null }] },
      [o1, { uid: "2", name: "x" }],
    ],
    ["nothing", { owners: [] }, [o1, o2]],
    ["null", { owners: null }, undefined],
    [
      "one element twice",
      {
        owners: [
          { uid: "3", name: "a" },
          { uid: "3", controller: true },
        ],
      },
      [{ uid: "3", name: "a", controller: true }, o1, o2],
    ],
    [
      "an order with a new element",
      { "$setElementOrder/owners": [{ uid: "3" }, { uid: "2" }, { uid: "1" }], owners: [o3] },
      [o3, o2, o1],
    ],
    ["an order alone", { "$setElementOrder/owners": [{ uid: "2" }, { uid: "1" }] }, [o2, o1]],
    [
      "an order and a deletion",
      { "$setElementOrder/owners": [{ uid: "2" }], owners: [{ uid: "1", $patch: "delete" }] },
      [o2],
    ],
  ])("%s", (_, patch, owners) => {
    expect(meta(patch)["owners"]).toEqual(owners);
  });

  test("where there was no list, an element with a $patch of null is a new one", () => {
    const patch = {
      owners: [
        { $patch: null, ...o1 },
        { $patch: "delete", ...o2 },
      ],
    };
    expect(patched({ meta: patch }, { meta: {} })).toEqual({ meta: { owners: [o1] } });
  });

  test("an order for a list that is not there puts the new elements into it", () => {
    const patch = { meta: { "$setElementOrder/owners": [{ uid: "2" }, { uid: "1" }], owners: [o2, o1] } };
    expect(patched(patch, { meta: {} })).toEqual({ meta: { owners: [o2, o1] } });
    expect(patched({ meta: { "$setElementOrder/owners": [] } }, { meta: {} })).toEqual({ meta: {} });
  });

  test("a missing merge key matters only where something is merged", () => {
    expect(failure(() => meta({ owners: [{ name: "o1" }] })).code).toBe("invalid");
    expect(failure(() => meta({ owners: [{ $patch: "replace" }, { name: "o1" }] })).message).toContain(
      "does not contain declared merge key: uid",
    );
    expect(patched({ meta: { owners: [{ name: "o1" }] } }, { meta: {} })).toEqual({
      meta: { owners: [{ name: "o1" }] },
    });
  });
});

describe("numbers", () => {
  const written = (literal: string): Value => new JsonNumber(literal) as unknown as Value;

  test("whole numbers written as floats are integers in this kind of patch", () => {
    expect(patched({ count: written("19.0"), free: [written("2e1")] })).toMatchObject({ count: 19, free: [20] });
    expect(patched({ count: written("2e1") }, { count: 5 })).toEqual({ count: 20 });
  });

  test("what no double holds stays what it is", () => {
    expect(patched({ count: written("9007199254740993") })["count"]).toEqual(written("9007199254740993"));
  });
});

describe("patches that are refused", () => {
  test.each<unknown>([
    { meta: { owners: [{ $patch: "delete" }] } },
    { meta: { finalizers: [{ $patch: "replace" }, "z"] } },
    { meta: { finalizers: [["hold"]] } },
    { meta: { finalizers: [null] } },
    { meta: { finalizers: [1] } },
    { meta: { "$setElementOrder/finalizers": "x" } },
    { meta: { "$setElementOrder/finalizers": ["second"], finalizers: ["z"] } },
    { meta: { "$setElementOrder/finalizers": ["a", "b"], finalizers: ["b", "a"] } },
    { meta: { "$setElementOrder/owners": [{ uid: "1" }], owners: [{ uid: "3" }] } },
    { meta: { "$setElementOrder/owners": [{ name: "x" }] } },
    { meta: { "$setElementOrder/labels": [] } },
    { meta: { "$setElementOrder/none": ["a"] } },
  ])("%j cannot be followed", (patch) => {
    expect(failure(() => patched(patch)).code).toBe("invalid");
  });

  test.each<unknown>([
    { data: { $patch: "grow" } },
    { data: { $patch: 5 } },
    { data: { $patch: "merge" } },
    { meta: { owners: [{ $patch: "merge", uid: "1" }] } },
    { data: { $retainKeys: "k" } },
    { data: { $retainKeys: ["k"], l: "w" } },
    { meta: { $setElementOrder: [] } },
    { meta: { "$deleteFromPrimitiveList-finalizers": [] } },
  ])("%j is malformed", (patch) => {
    expect(failure(() => patched(patch)).code).toBe("malformed");
  });
});

test("neither argument is modified, and nothing else than PatchError is thrown", () => {
  const name = fc.constantFrom(
    "meta",
    "data",
    "owners",
    "finalizers",
    "options",
    "free",
    "whole",
    "$patch",
    "$retainKeys",
    "$setElementOrder/owners",
    "$deleteFromPrimitiveList/finalizers",
    "uid",
    "k",
    "__proto__",
    "toString",
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<Value>(null, "hold", "1", "replace", "delete", 1, true),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(name, tie("value"), { maxKeys: 5, noNullPrototype: true }),
    ),
  }));
  const object = fc.dictionary(name, value, { noNullPrototype: true }) as fc.Arbitrary<ValueObject>;
  fc.assert(
    fc.property(
      fc.oneof(object, fc.constant(OBJECT)),
      fc.oneof(
        object,
        object.map((x) => ({ meta: x }) as ValueObject),
      ),
      (target, patch) => {
        const before = JSON.stringify([target, patch]);
        expect(outcome(() => patched(patch, target))).toMatch(/^(value|refusal)$/);
        expect(JSON.stringify([target, patch])).toBe(before);
      },
    ),
    { numRuns: 5000 },
  );
});

test("keys of the prototype are members", () => {
  const patch = JSON.parse(
    '{"data":{"__proto__":{"x":"1"},"constructor":"c","toString":"t","then":"v","length":"1"}}',
  ) as ValueObject;
  const result = patched(patch);
  expect(Object.keys(result["data"] as object)).toEqual([
    "k",
    "l",
    "__proto__",
    "constructor",
    "toString",
    "then",
    "length",
  ]);
  expect(Object.keys(patched(patch, {})["data"] as object)).toEqual([
    "__proto__",
    "constructor",
    "toString",
    "then",
    "length",
  ]);
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

test("large lists are merged in no time", () => {
  const many = (from: number): Value[] => Array.from({ length: 30_000 }, (_, i) => `f${from + i}`);
  const owners = (from: number): Value[] => Array.from({ length: 20_000 }, (_, i) => ({ uid: `${from + i}` }));
  const object = { meta: { finalizers: many(0), owners: owners(0) } };
  const patch = {
    meta: { finalizers: many(15_000), owners: owners(10_000), "$setElementOrder/finalizers": many(15_000) },
  };
  const times = [1, 2, 3].map(() => {
    const start = cpuMillis();
    patched(patch, object);
    return cpuMillis() - start;
  });
  // Comparing each pair would take minutes.
  expectNotLong(Math.min(...times), 1500);
});

test("an element that a patch changes again and again grows in a step each", () => {
  const owners = Array.from({ length: 100 }, (_, i) => ({ uid: "u", [`x${i}`]: 1 }));
  const steps = applyStrategicMergePatch({ meta: { owners: [{ uid: "u" }] } }, { meta: { owners } }, TYPE);
  let count = 0;
  while (steps.next().done !== true) count++;
  expect(count).toBe(100);
});
