import { describe, expect, test } from "vitest";
import {
  compare,
  ensureFields,
  extractItems,
  hasKeyless,
  merge,
  reconcileSet,
  removeItems,
  toFieldSet,
  validate,
} from "./index.ts";
import { hasPaths } from "./field-set.ts";
import { EMPTY, parseFields, paths, pathToString } from "../fieldpath/index.ts";
import type { FieldSet } from "../fieldpath/index.ts";
import { typeOf } from "../schema/schema.ts";
import type { JsonSchema } from "../schema/schema.ts";
import type { Value } from "../../value/value.ts";

const text: JsonSchema = { type: "string" };
const set: JsonSchema = { type: "array", "x-kubernetes-list-type": "set", items: text };
const keyed: JsonSchema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: { type: "object", properties: { k: text, v: text, tags: set } },
};
const type = typeOf({
  type: "object",
  properties: {
    text,
    count: { type: "integer" },
    time: { type: "string", format: "date-time" },
    bytes: { type: "string", format: "byte" },
    either: { "x-kubernetes-int-or-string": true },
    set,
    keyed,
    atomic: { type: "array", "x-kubernetes-list-type": "atomic", items: text },
    map: { type: "object", additionalProperties: text },
    deep: { type: "object", properties: { a: { type: "object", properties: { b: text } }, set } },
    atomicMap: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: text },
    any: { "x-kubernetes-preserve-unknown-fields": true },
    json: { type: "object", "x-keelson-any-json": true },
  },
});

const shown = (found: FieldSet): string[] => paths(found).map(pathToString);

const difference = (a: Value, b: Value): Record<string, string[]> => {
  const { added, modified, removed } = compare(type, a, b);
  const all = { added: shown(added), modified: shown(modified), removed: shown(removed) };
  return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0));
};

describe("compare", () => {
  const cases: readonly [string, Value, Value, Record<string, string[]>][] = [
    ["a new container is added together with what is in it", {}, { map: { x: "1" } }, { added: [".map", ".map.x"] }],
    ["a container is removed with what was in it", { map: { x: "1" } }, {}, { removed: [".map", ".map.x"] }],
    [
      "duplicates in a new keyed list count as one path, entries without a key have no owner",
      {},
      { keyed: [{ k: "1", v: "a" }, { k: "1" }, { k: "2", v: "b" }, { v: "c" }] },
      { added: [".keyed", '.keyed[k="1"]', '.keyed[k="2"]', '.keyed[k="2"].k', '.keyed[k="2"].v'] },
    ],
    ["a new list without entries that have a key is a path", {}, { keyed: [{ v: "c" }] }, { added: [".keyed"] }],
    [
      "what is new and empty, null or atomic is a path with nothing below it",
      {},
      { atomic: ["a"], atomicMap: { x: "1" }, deep: { a: {}, set: [] }, json: { a: 1 }, map: {}, set: null },
      { added: [".atomic", ".atomicMap", ".deep", ".deep.a", ".deep.set", ".json", ".map", ".set"] },
    ],
    [
      "a new value without a schema is compared by its JSON type",
      {},
      { any: { a: [1], b: { c: null } } },
      { added: [".any", ".any.a", ".any.b", ".any.b.c"] },
    ],
    ["a value that changes is modified", { text: "a" }, { text: "b" }, { modified: [".text"] }],
    ["any JSON with one owner is one value", { json: { a: [1], b: 2 } }, { json: [1] }, { modified: [".json"] }],
    ["null and empty differ", { map: {} }, { map: null }, { modified: [".map"] }],
    [
      "a container that becomes null loses its members only",
      { map: { x: "1" } },
      { map: null },
      { removed: [".map.x"] },
    ],
    ["an atomic list changes as a whole", { atomic: ["a"] }, { atomic: ["a", "b"] }, { modified: [".atomic"] }],
    ["an atomic map changes as a whole", { atomicMap: { x: "1" } }, { atomicMap: {} }, { modified: [".atomicMap"] }],
    ["the order of a set means nothing", { set: ["a", "b"] }, { set: ["b", "a"] }, {}],
    ["set elements come and go", { set: ["a"] }, { set: ["b"] }, { added: ['.set[="b"]'], removed: ['.set[="a"]'] }],
    [
      "entries are identified by their key",
      { keyed: [{ k: "1", v: "a" }, { k: "2" }] },
      { keyed: [{ k: "3" }, { k: "1", v: "b" }] },
      {
        added: ['.keyed[k="3"]', '.keyed[k="3"].k'],
        modified: ['.keyed[k="1"].v'],
        removed: ['.keyed[k="2"]', '.keyed[k="2"].k'],
      },
    ],
    ["duplicates are one thing", { set: ["a", "a"] }, { set: ["a", "a", "a"] }, { modified: ['.set[="a"]'] }],
    [
      "a new duplicate is added, and the single entry is removed",
      { keyed: [{ k: "1", v: "a" }] },
      { keyed: [{ k: "1", v: "a" }, { k: "1" }] },
      {
        added: ['.keyed[k="1"]'],
        removed: ['.keyed[k="1"]', '.keyed[k="1"].k', '.keyed[k="1"].v'],
      },
    ],
    ["entries without a key have no owner", { keyed: [{ v: "a" }] }, { keyed: [{ v: "b" }, null] }, {}],
    [
      "free values have the type they show",
      { any: { x: 1 } },
      { any: [1] },
      { modified: [".any"], removed: [".any.x"] },
    ],
    ["free lists are atomic", { any: { l: [1, { x: 1 }] } }, { any: { l: [1, { x: 2 }] } }, { modified: [".any.l"] }],
    ["a free null is no object", { any: null }, { any: { x: 1 } }, { added: [".any.x"] }],
    ["an undeclared member has any type", { other: { x: 1 } }, { other: { x: 2 } }, { modified: [".other.x"] }],
  ];
  test.each(cases)("%s", (_, a, b, expected) => expect(difference(a, b)).toEqual(expected));
});

test("added paths and the paths of an intent are in the order of fieldsV1", () => {
  const value = { map: { b: "1", a: "2" }, keyed: [{ v: "x", k: "1" }] };
  for (const found of [compare(type, {}, value).added, toFieldSet(type, value)]) {
    expect(Object.keys(found["f:keyed"]!['k:{"k":"1"}']!)).toEqual([".", "f:k", "f:v"]);
    expect(Object.keys(found["f:map"]!).filter((name) => name !== ".")).toEqual(["f:a", "f:b"]);
  }
});

describe("merge", () => {
  const order = (live: string[], intent: string[]): Value =>
    (merge(type, { set: live }, { set: intent }) as { set: Value }).set;

  test("the order is that of the intent for its entries, the others stay behind what they followed", () => {
    expect(order(["a", "b", "c", "d"], ["c", "x", "a"])).toEqual(["b", "c", "d", "x", "a"]);
    expect(order(["a", "b"], ["c"])).toEqual(["a", "b", "c"]);
    expect(order(["a", "b", "c"], ["c", "b", "a"])).toEqual(["c", "b", "a"]);
    expect(order(["a", "b", "c"], ["x", "b"])).toEqual(["a", "x", "b", "c"]);
    expect(order(["a", "c"], ["a", "b", "c"])).toEqual(["a", "b", "c"]);
  });

  test("duplicates of the live list give way to the one entry of the intent, others stay", () => {
    expect(order(["a", "b", "a", "b"], ["a"])).toEqual(["a", "b", "b"]);
    const live = {
      keyed: [
        { k: "1", v: "a" },
        { k: "1", v: "b" },
      ],
    };
    expect(merge(type, live, { keyed: [{ k: "1" }] })).toEqual({ keyed: [{ k: "1" }] });
  });

  test("entries without a key stay where they are", () => {
    const live = { keyed: [{ v: "a" }, { k: "1" }, null] };
    expect(merge(type, live, { keyed: [{ k: "1", v: "x" }] })).toEqual({
      keyed: [{ v: "a" }, { k: "1", v: "x" }, null],
    });
  });

  test("null replaces scalars and atomic parts, and leaves what is in granular containers", () => {
    const live = { text: "a", atomic: ["a"], map: { x: "1" }, set: ["a"], any: { x: 1 } };
    const intent = { text: null, atomic: null, map: null, set: null, any: null };
    expect(merge(type, live, intent)).toEqual({ ...live, text: null, atomic: null });
  });

  test("what does not change is shared, up to the whole", () => {
    const live = { map: { x: "1" }, deep: { a: { b: "1" } } };
    expect(merge(type, live, { deep: { a: { b: "1" } } })).toBe(live);
    const merged = merge(type, live, { deep: { a: { b: "2" } } }) as typeof live;
    expect(merged.map).toBe(live.map);
  });
});

describe("field sets", () => {
  const fieldsOf = (value: Value): string[] => shown(toFieldSet(type, value));

  test("structs are no paths, containers are when they are empty, null or atomic", () => {
    expect(fieldsOf({ deep: { a: { b: "1" } }, map: { x: "1" } })).toEqual([".deep.a.b", ".map.x"]);
    expect(fieldsOf({ deep: { a: {} }, map: {}, text: null, atomic: [], atomicMap: { x: "1" } })).toEqual([
      ".atomic",
      ".atomicMap",
      ".deep.a",
      ".map",
      ".text",
    ]);
  });

  test("an empty list that is merged by entry has no path, a null one has", () => {
    expect(fieldsOf({ set: [], keyed: [], deep: { set: [] } })).toEqual([]);
    expect(fieldsOf({ set: null })).toEqual([".set"]);
  });

  test("an entry of a list is a path besides what is in it; duplicates have nothing below them", () => {
    expect(fieldsOf({ keyed: [{ k: "1", v: "a" }] })).toEqual(['.keyed[k="1"]', '.keyed[k="1"].k', '.keyed[k="1"].v']);
    expect(fieldsOf({ keyed: [{ k: "1", v: "a" }, { k: "1" }] })).toEqual(['.keyed[k="1"]']);
  });
});

describe("removing and extracting", () => {
  const value = {
    text: "a",
    map: { x: "1", y: "2" },
    keyed: [
      { k: "1", v: "a" },
      { k: "2", v: "b" },
    ],
    atomic: ["a"],
  };
  const tree = (json: string): FieldSet => parseFields(JSON.parse(json));

  test("paths are taken out, and a container without entries becomes null", () => {
    expect(
      removeItems(type, value, tree('{"f:text":{},"f:map":{"f:x":{}},"f:keyed":{"k:{\\"k\\":\\"1\\"}":{}}}')),
    ).toEqual({
      map: { y: "2" },
      keyed: [{ k: "2", v: "b" }],
      atomic: ["a"],
    });
    expect(
      removeItems(type, { map: { x: "1" }, set: ["a"] }, tree('{"f:map":{"f:x":{}},"f:set":{"v:\\"a\\"":{}}}')),
    ).toEqual({
      map: null,
      set: null,
    });
    expect(removeItems(type, value, tree('{"f:other":{}}'))).toBe(value);
    expect(removeItems(type, value, EMPTY)).toBe(value);
  });

  test("paths are kept, entries with their keys", () => {
    expect(extractItems(type, value, tree('{"f:keyed":{"k:{\\"k\\":\\"2\\"}":{"f:v":{}}},"f:atomic":{}}'))).toEqual({
      keyed: [{ k: "2", v: "b" }],
      atomic: ["a"],
    });
    expect(extractItems(type, value, tree('{"f:map":{},"f:other":{}}'))).toEqual({ map: {} });
    expect(extractItems(type, value, tree('{"f:other":{}}'))).toBeUndefined();
  });
});

test("texts with a format may be any scalar, others not; null fits anywhere", () => {
  const found = validate(type, { time: 1, either: "x", bytes: 1, count: true, text: {}, map: [], set: {}, deep: null });
  expect(found.map(({ path, message }) => [path, message])).toEqual([
    [".bytes", "expected a string, got a number"],
    [".count", "expected a number, got true or false"],
    [".text", "expected a string, got an object"],
    [".map", "expected an object, got a list"],
    [".set", "expected a list, got an object"],
  ]);
});

test("a boolean fits where one is expected, and nothing else does", () => {
  const switched = typeOf({ type: "object", properties: { on: { type: "boolean" } } });
  expect(validate(switched, { on: false })).toEqual([]);
  expect(validate(switched, { on: "true" })).toMatchObject([{ message: "expected true or false, got a text" }]);
});

test("a struct without members is something, one with an empty list that is merged by entry is nothing", () => {
  expect(hasPaths(type, {})).toBe(true);
  expect(hasPaths(type, { deep: { set: [] } })).toBe(false);
});

test("a set that fits its type is left as it is, the very same", () => {
  const fits = toFieldSet(type, {
    keyed: [{ k: "1", tags: ["x"] }],
    atomic: ["a"],
    any: { x: [1] },
    deep: { a: { b: "1" } },
  });
  expect(reconcileSet(type, fits)).toBe(fits);
});

test("struct fields on the way to a path become paths", () => {
  expect(shown(ensureFields(type, toFieldSet(type, { deep: { a: { b: "1" } }, map: { x: "1" } })))).toEqual([
    ".deep",
    ".deep.a",
    ".deep.a.b",
    ".map",
    ".map.x",
  ]);
});

test("a struct without declared members may have any member", () => {
  const empty = typeOf({ type: "object", properties: { none: { type: "object", properties: {} } } });
  expect(validate(empty, { none: { a: [1] } })).toEqual([]);
  expect(validate(empty, { other: 1 })).toHaveLength(1);
});

test("an entry without a key is found where key fields may be left out, at any depth", () => {
  const item: JsonSchema = {
    type: "object",
    properties: { k: { type: "string", "x-keelson-presence": "omitEmpty" }, v: { type: "string" } },
  };
  const list: JsonSchema = { ...keyed, items: item };
  const lists = typeOf({ type: "object", properties: { a: { type: "object", additionalProperties: list }, b: list } });
  expect(hasKeyless(lists, { a: { x: [{ k: "1" }] }, b: [{ k: "2", v: "" }] })).toBe(false);
  expect(hasKeyless(lists, { a: { x: [{ k: "1" }, { v: "y" }] } })).toBe(true);
  expect(hasKeyless(lists, { b: [{}] })).toBe(true);
  const needed: JsonSchema = {
    ...item,
    properties: { ...item.properties, k: { ...text, "x-keelson-presence": "always" } },
  };
  const sure = typeOf({ type: "object", properties: { a: { ...keyed, items: needed } } });
  expect(hasKeyless(sure, { a: [{}] })).toBe(false);
});
