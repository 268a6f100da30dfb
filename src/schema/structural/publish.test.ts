import { describe, expect, test } from "vitest";
import { publishedSchema } from "./publish.ts";
import type { Structural } from "./schema.ts";

const v2 = (schema: Structural) => publishedSchema(schema).v2();
const v3 = (schema: Structural) => publishedSchema(schema).v3();

/** A property of the published object. */
const memberOf = (object: object | undefined, name: string): unknown =>
  (object as { properties: Record<string, unknown> }).properties[name];

const text: Structural = { type: "string" };
const KEEPS = { "x-kubernetes-preserve-unknown-fields": true } as const;
const EMBEDDED = { "x-kubernetes-embedded-resource": true } as const;

describe("CRD-31: what OpenAPI v2 has no words for", () => {
  test("nothing is said of an object whose root keeps unknown members", () => {
    expect(v2({ type: "object", description: "d", properties: { spec: text }, ...KEEPS })).toBeUndefined();
    expect(v3({ type: "object", properties: { spec: text }, ...KEEPS })).toMatchObject({ properties: { spec: text } });
  });

  test("what keeps unknown members below the root has neither type nor members nor items, and all else", () => {
    const root: Structural = {
      type: "object",
      properties: {
        any: { type: "object", description: "d", required: ["a"], properties: { a: text }, ...KEEPS },
        list: { type: "array", maxItems: 3, items: text, ...KEEPS },
        map: { type: "object", additionalProperties: { ...text, nullable: true }, ...KEEPS },
      },
    };
    expect(memberOf(v2(root), "any")).toEqual({ description: "d", required: ["a"], ...KEEPS });
    expect(memberOf(v2(root), "list")).toEqual({ maxItems: 3, ...KEEPS });
    expect(memberOf(v2(root), "map")).toEqual({ additionalProperties: {}, ...KEEPS });
  });

  test("what may be null has neither type nor members nor items, and is not required", () => {
    const nullable: Structural = { type: "object", nullable: true, maxProperties: 2, properties: { a: text } };
    const root: Structural = { type: "object", required: ["a", "b"], properties: { a: nullable, b: text } };
    expect(v2(root)).toEqual({
      type: "object",
      required: ["b"],
      properties: { a: { maxProperties: 2 }, b: text },
    });
    expect(v2({ type: "object", required: ["a"], properties: { a: nullable } })).not.toHaveProperty("required");
    expect(v3(root)).toMatchObject({ required: ["a", "b"], properties: { a: { nullable: true } } });
  });

  test("defaults and choices are left out", () => {
    expect(v2({ type: "object", properties: { a: { ...text, default: "x", anyOf: [text] } } })).toEqual({
      type: "object",
      properties: { a: text },
    });
  });
});

describe("CRD-31: embedded objects have what every object has", () => {
  const root = (more: Structural): Structural => ({ type: "object", properties: { at: { type: "object", ...more } } });

  test.each([
    ["v3", v3],
    ["v2", v2],
  ])("%s", (_, publish) => {
    const at = memberOf(publish(root({ ...EMBEDDED, required: ["kind"], properties: { spec: text } })), "at");
    expect(at).toMatchObject({ type: "object", required: ["kind", "apiVersion"] });
    expect(Object.keys((at as { properties: object }).properties)).toEqual(["spec", "apiVersion", "kind", "metadata"]);
  });

  test("unless v2 may say nothing of their members", () => {
    expect(memberOf(v2(root({ ...EMBEDDED, ...KEEPS })), "at")).toEqual({ ...EMBEDDED, ...KEEPS });
    expect(memberOf(v3(root({ ...EMBEDDED, ...KEEPS })), "at")).toHaveProperty(["properties", "metadata"]);
  });
});
