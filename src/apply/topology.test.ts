import { expect, test } from "vitest";
import { applies, conflicts, forces, isNow, owners, runStory, updates, upgrades } from "./testing/story.ts";
import { singleVersion, typeOf } from "./index.ts";
import type { Converter, JsonSchema, StructType } from "./index.ts";
import { setMember } from "../value/value.ts";
import type { Value, ValueObject } from "../value/value.ts";

const text: JsonSchema = { type: "string" };
const spec = (fields: Record<string, unknown>) => ({ spec: fields });

const kindWith = (properties: Record<string, JsonSchema>): Converter => singleVersion("v1", schemaWith(properties));

const schemaWith = (properties: Record<string, JsonSchema>) =>
  typeOf({
    type: "object",
    properties: {
      apiVersion: text,
      kind: text,
      metadata: { type: "object", properties: { name: text, uid: text } },
      spec: { type: "object", properties },
    },
  });

const list = (kind: string): JsonSchema => ({
  type: "array",
  "x-kubernetes-list-type": kind,
  ...(kind === "map" ? { "x-kubernetes-list-map-keys": ["name"] } : {}),
  items: kind === "set" ? text : { type: "object", properties: { name: text, value: text } },
});
const map = (kind: string): JsonSchema => ({
  type: "object",
  "x-kubernetes-map-type": kind,
  additionalProperties: text,
});
const struct = (kind: string): JsonSchema => ({
  type: "object",
  "x-kubernetes-map-type": kind,
  properties: { a: text, b: text },
});

test("TOPO-1, AMB-34: an owner of any part of what is atomic now owns the whole", () => {
  const before = kindWith({ items: list("map"), settings: map("granular"), pair: struct("granular") });
  const after = kindWith({ items: list("atomic"), settings: map("atomic"), pair: struct("atomic") });
  const mine = spec({ items: [{ name: "x", value: "1" }], settings: { x: "1" }, pair: { a: "1" } });
  runStory(
    [
      applies("a", mine),
      applies("b", spec({ settings: { y: "1" } })),
      upgrades(after),
      conflicts("c", spec({ items: [{ name: "y" }], settings: { z: "1" }, pair: { b: "1" } }), {
        a: [".spec.items", ".spec.pair", ".spec.settings"],
        b: [".spec.settings"],
      }),
      updates("u", spec({ items: [{ name: "x", value: "1" }], settings: { x: "1", y: "1" }, pair: { a: "2" } })),
      owners({ a: [".spec.items", ".spec.settings"], b: [".spec.settings"], "u updating v1": [".spec.pair"] }),
    ],
    { converter: before },
  );
});

test("TOPO-2, TOPO-4: what was atomic keeps its owner at the top, and its parts are free", () => {
  const before = kindWith({ items: list("atomic"), settings: map("atomic"), pair: struct("atomic") });
  const after = kindWith({ items: list("map"), settings: map("granular"), pair: struct("granular") });
  runStory(
    [
      applies("a", spec({ items: [{ name: "x", value: "1" }], settings: { x: "1" }, pair: { a: "1" } })),
      upgrades(after),
      applies("b", spec({ items: [{ name: "x", value: "2" }], settings: { x: "2" }, pair: { a: "2" } })),
      owners({
        a: [".spec.items", ".spec.pair", ".spec.settings"],
        b: [
          '.spec.items[name="x"]',
          '.spec.items[name="x"].name',
          '.spec.items[name="x"].value',
          ".spec.pair.a",
          ".spec.settings.x",
        ],
      }),
    ],
    { converter: before },
  );
});

test("TOPO-1: sets and nested containers change their topology too", () => {
  const before = kindWith({ tags: list("set"), deep: { type: "object", additionalProperties: list("set") } });
  const after = kindWith({
    tags: { ...list("set"), "x-kubernetes-list-type": "atomic" },
    deep: { type: "object", additionalProperties: { ...list("set"), "x-kubernetes-list-type": "atomic" } },
  });
  runStory(
    [
      applies("a", spec({ tags: ["x"], deep: { k: ["x"] } })),
      upgrades(after),
      conflicts("b", spec({ tags: ["y"], deep: { k: ["y"] } }), { a: [".spec.deep.k", ".spec.tags"] }),
      forces("b", spec({ tags: ["y"], deep: { k: ["y"] } })),
      isNow({ spec: { tags: ["y"], deep: { k: ["y"] } } }),
    ],
    { converter: before },
  );
});

/** A kind of two versions: `color` of v1 is `colour` of v2. */
const twoVersions: Converter = {
  typeAt: (version) =>
    version === "v1"
      ? schemaWith({ color: text, size: text })
      : version === "v2"
        ? schemaWith({ colour: text, size: text })
        : undefined,
  convert: (value, _, to) => {
    const { spec: from, ...rest } = value as ValueObject;
    const [old, now] = to === "v2" ? ["color", "colour"] : ["colour", "color"];
    const converted: ValueObject = {};
    for (const key of Object.keys((from ?? {}) as ValueObject)) {
      setMember(converted, key === old ? now! : key, (from as ValueObject)[key]);
    }
    return { ...rest, ...(from === undefined ? {} : { spec: converted as Value }) };
  },
};

const converted = (to: string) => (world: { live: Value | undefined; apiVersion: string }) => {
  world.live = twoVersions.convert(world.live!, world.apiVersion, to);
  world.apiVersion = to;
};

test("APPLY-19, DEC-37: an applier that changes the version keeps one entry; updates have one per version", () => {
  const world = runStory(
    [
      applies("a", spec({ color: "red", size: "1" })),
      converted("v2"),
      conflicts("b", spec({ colour: "blue" }), { a: [".spec.color"] }),
      applies("a", spec({ colour: "blue" })),
      isNow({ spec: { colour: "blue" } }),
      owners({ a: [".spec.colour"] }),
      updates("u", spec({ colour: "green" })),
      converted("v1"),
      updates("u", spec({ color: "green", size: "2" })),
      owners({ "u updating v2": [".spec.colour"], "u updating v1": [".spec.size"] }),
    ],
    { converter: twoVersions },
  );
  expect(world.apiVersion).toBe("v1");
});

test("managers of a version that the kind no longer has are forgotten", () => {
  runStory(
    [
      applies("a", spec({ color: "red" })),
      converted("v2"),
      upgrades(
        { ...twoVersions, typeAt: (version) => (version === "v2" ? twoVersions.typeAt("v2") : undefined) },
        "v2",
      ),
      applies("b", spec({ colour: "blue" })),
      owners({ b: [".spec.colour"] }),
    ],
    { converter: twoVersions },
  );
});

test("the default of a member is not filled in where the member is left out when it is just that", () => {
  const member = (more: JsonSchema): JsonSchema => ({ type: "boolean", default: false, ...more });
  const { fields } = typeOf({
    type: "object",
    properties: { plain: member({}), omitted: member({ "x-keelson-presence": "omitEmpty" }) },
  }) as StructType;
  expect(fields.get("plain")).toMatchObject({ presence: "omitEmpty", default: false });
  expect(fields.get("omitted")!.default).toBeUndefined();
  expect(fields.get("omitted")!.keyDefault).toBe(false);
});
