import { expect, test } from "vitest";
import { type JsonSchema, type Type, structOf, typeOf } from "../../apply/schema/schema.ts";
import { customObjectSchema } from "./object-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";

const memberOf = (spec: StructuralSchema): Type => {
  const whole = customObjectSchema({ type: "object", properties: { spec } });
  return structOf(whole as JsonSchema).fields.get("spec")!.type;
};

test("META-1: an object has apiVersion, kind and metadata, whatever the schema says of them", () => {
  const metadata: StructuralSchema = {
    type: "object",
    properties: { name: { type: "string", maxLength: 5 } as object },
  };
  const schema: StructuralSchema = { type: "object", properties: { metadata, kind: { type: "string" } } };
  const whole = customObjectSchema(schema);
  const { fields } = structOf(whole as JsonSchema);
  expect([...fields.keys()].toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
  const own = fields.get("metadata")!.type;
  expect(own.kind === "struct" && own.fields.has("ownerReferences")).toBe(true);
  expect(customObjectSchema(schema)).toBe(whole);
});

test("every member is printed when it was sent, and a default is the key of entries that lack it", () => {
  const item: StructuralSchema = {
    type: "object",
    properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" } },
  };
  const keys = ["port", "protocol"];
  const list = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys };
  const type = memberOf({ type: "array", items: item, ...list });
  if (type.kind !== "list" || type.item.kind !== "struct") throw new Error("expected a list of structs");
  expect(type.keys).toEqual(keys);
  expect([...type.item.fields.values()].map(({ presence }) => presence)).toEqual(["keepZero", "keepZero"]);
  expect(type.item.fields.get("protocol")!.keyDefault).toBe("TCP");
});

test("CRD-44: embedded objects have the metadata of objects", () => {
  const type = memberOf({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { spec: { type: "object" } },
  });
  if (type.kind !== "struct") throw new Error("expected a struct");
  expect([...type.fields.keys()]).toEqual(["spec", "apiVersion", "kind", "metadata"]);
  const metadata = type.fields.get("metadata")!.type;
  expect(metadata.kind === "struct" && metadata.fields.get("finalizers")!.type).toMatchObject({ merge: "set" });
});

test("CRD-43: structs below the mark are open to whoever merges, others are closed", () => {
  const inner: StructuralSchema = { type: "object", properties: { k: { type: "string" } } };
  const outer = (more: object): StructuralSchema => ({ type: "object", properties: { inner }, ...more });
  for (const [more, open] of [
    [{ "x-kubernetes-preserve-unknown-fields": true }, true],
    [{ additionalProperties: true }, true],
    [{}, false],
  ] as const) {
    expect(memberOf(outer(more))).toMatchObject({ kind: "struct", open });
  }
  const below = memberOf(outer({ "x-kubernetes-preserve-unknown-fields": true }));
  expect(below.kind === "struct" && below.fields.get("inner")!.type).toMatchObject({ open: true });
});

test("objects of which nothing is known are free, maps have one type, and what takes no member is an empty struct", () => {
  expect(memberOf({ type: "object" }).kind).toBe("any");
  expect(memberOf({ type: "object", properties: {} }).kind).toBe("any");
  expect(memberOf({ type: "object", additionalProperties: true }).kind).toBe("any");
  expect(memberOf({ "x-kubernetes-preserve-unknown-fields": true }).kind).toBe("any");
  expect(memberOf({ type: "object", additionalProperties: { type: "string" } }).kind).toBe("map");
  expect(memberOf({ type: "object", additionalProperties: false })).toMatchObject({ kind: "struct", open: false });
});

test("MARK-13: maps, structs and lists are atomic where they are marked so", () => {
  const atomic = { "x-kubernetes-map-type": "atomic" };
  expect(memberOf({ type: "object", properties: { a: { type: "string" } }, ...atomic })).toMatchObject({
    atomic: true,
  });
  expect(memberOf({ type: "object", additionalProperties: { type: "string" }, ...atomic })).toMatchObject({
    atomic: true,
  });
  expect(memberOf({ type: "array", items: { type: "string" } })).toMatchObject({ merge: "atomic" });
  expect(memberOf({ type: "object", ...atomic })).toMatchObject({ kind: "map", item: { kind: "any" }, atomic: true });
  const set = { "x-kubernetes-list-type": "set" };
  expect(memberOf({ type: "array", items: { type: "string" }, ...set })).toMatchObject({ merge: "set" });
});

test("scalars keep their type, and formats of built-in kinds mean nothing", () => {
  expect(memberOf({ "x-kubernetes-int-or-string": true })).toMatchObject({ scalar: "intOrString" });
  expect(memberOf({ type: "string", format: "quantity" })).toMatchObject({ scalar: "string", format: undefined });
  expect(typeOf({ type: "string", format: "quantity" })).toMatchObject({ format: "quantity" });
});
