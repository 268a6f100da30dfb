import { describe, expect, test } from "vitest";
import type { Structural } from "../schema/structural/schema.ts";
import { Interfaces, Names } from "./types-schema.ts";

/** The interfaces of an object with this schema. */
function written(schema: Structural): string {
  const interfaces = new Interfaces(new Names(["T"]));
  interfaces.object(schema, { name: "T", about: "", apiVersion: "example.com/v1", kind: "Thing" });
  return interfaces.texts.join("\n");
}

/** The text for a member with this schema, and for the named types below it. */
function memberOf(schema: Structural, more: Structural = {}): string {
  const [, , , , line, ...rest] = written({ type: "object", properties: { m: schema }, ...more }).split("\n");
  return [line!.trim(), ...rest.slice(1)].join("\n").trim();
}

const text: Structural = { type: "string" };

describe("the type of a value", () => {
  test.each<[string, Structural, string]>([
    ["a text", text, "string"],
    ["a text of a format", { type: "string", format: "date-time" }, "string"],
    ["an integer of 64 bits", { type: "integer", format: "int64" }, "number"],
    ["a number", { type: "number" }, "number"],
    ["a boolean", { type: "boolean" }, "boolean"],
    ["an integer or a text", { "x-kubernetes-int-or-string": true }, "number | string"],
    ["what may be null", { type: "string", nullable: true }, "string | null"],
    ["a list", { type: "array", items: text }, "readonly string[]"],
    ["a list with nulls", { type: "array", items: { type: "string", nullable: true } }, "readonly (string | null)[]"],
    ["a list of lists", { type: "array", items: { type: "array", items: text } }, "readonly (readonly string[])[]"],
    ["a map", { type: "object", additionalProperties: text }, "{ readonly [key: string]: string }"],
    ["a map of anything", { type: "object", additionalProperties: true }, "{ readonly [member: string]: unknown }"],
    [
      "an object whose members are kept",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      "{ readonly [member: string]: unknown }",
    ],
    ["an object whose members are pruned", { type: "object" }, "{ readonly [member: string]: never }"],
    ["anything", { "x-kubernetes-preserve-unknown-fields": true }, "unknown"],
    ["anything or null", { "x-kubernetes-preserve-unknown-fields": true, nullable: true }, "unknown"],
    ["an enumeration of lists", { type: "array", items: text, enum: [["a"]] }, "readonly string[]"],
    [
      "what is judged by alternatives",
      { type: "string", pattern: "^a", maxLength: 3, anyOf: [{ maxLength: 2 }], not: { enum: ["b"] } },
      "string",
    ],
  ])("%s", (_, schema, type) => {
    expect(memberOf(schema)).toBe(`readonly m?: ${type};`);
  });

  test("an enumeration is a named type without duplicates", () => {
    expect(memberOf({ type: "string", enum: ["a", 'b"', "a"], description: "Which." })).toBe(
      `readonly m?: TM;\n\n/** Which. */\nexport type TM = "a" | 'b"';`,
    );
    expect(memberOf({ type: "integer", enum: [1, -2], nullable: true })).toBe(
      `readonly m?: TM | null;\n\nexport type TM = 1 | -2;`,
    );
  });

  test("an object with members is named by its path, also in lists and maps", () => {
    const struct: Structural = { type: "object", description: "A part.", properties: { n: text } };
    const part = `/** A part. */\nexport interface TM {\n  readonly n?: string;\n}`;
    expect(memberOf(struct)).toBe(`readonly m?: TM;\n\n${part}`);
    expect(memberOf({ type: "array", items: struct })).toBe(`readonly m?: readonly TM[];\n\n${part}`);
    expect(memberOf({ type: "object", additionalProperties: { ...struct, nullable: true } })).toBe(
      `readonly m?: { readonly [key: string]: TM | null };\n\n${part}`,
    );
  });

  test("an object that preserves unknown members has an index signature", () => {
    expect(memberOf({ type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { n: text } })).toBe(
      "readonly m?: TM;\n\nexport interface TM {\n  readonly n?: string;\n  readonly [member: string]: unknown;\n}",
    );
  });

  test("an embedded object has kind and metadata, whatever its schema", () => {
    const schema: Structural = {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { kind: text, metadata: { type: "object" }, data: text },
    };
    expect(memberOf(schema)).toBe(`readonly m?: TM;

export interface TM {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: Partial<ObjectMeta>;
  readonly data?: string;
}`);
  });
});

describe("members", () => {
  test("a required member and one with a default are not optional", () => {
    expect(memberOf(text, { required: ["m"] })).toBe("readonly m: string;");
    expect(memberOf({ type: "integer", default: 0 })).toBe("readonly m: number;");
  });

  test("a name that is not an identifier is quoted", () => {
    const member: Structural = { type: "object", properties: { "b.c/d-e": { type: "string", enum: ["x"] } } };
    expect(memberOf(member)).toBe(
      `readonly m?: TM;\n\nexport interface TM {\n  readonly "b.c/d-e"?: TMBCDE;\n}\n\nexport type TMBCDE = "x";`,
    );
  });

  test("two paths with the same name get a number", () => {
    const part = (name: string): Structural => ({ type: "object", properties: { [name]: text } });
    const both = written({ type: "object", properties: { "a-b": part("x"), aB: part("y") } });
    expect(both.match(/interface \w+/g)).toEqual(["interface T", "interface TAB", "interface TAB2"]);
  });

  test("the type of a whole object has literal apiVersion and kind, and ObjectMeta", () => {
    const metadata: Structural = { type: "object", properties: { name: { type: "string", maxLength: 3 } } };
    expect(written({ type: "object", properties: { apiVersion: text, kind: text, metadata } })).toBe(
      `export interface T {
  readonly apiVersion: "example.com/v1";
  readonly kind: "Thing";
  readonly metadata: ObjectMeta;
}
`,
    );
  });

  test("a description cannot end its comment", () => {
    const [, , , , comment] = written({
      type: "object",
      properties: { m: { type: "string", description: "One */ two" } },
    }).split("\n");
    expect(comment).toBe("  /** One *\\/ two */");
  });

  test("lines of a description are lines of the comment", () => {
    expect(
      written({ type: "object", properties: { m: { type: "string", description: "One.\n\n Two. \r\n" } } }),
    ).toContain("\n  /**\n   * One.\n   *\n   *  Two.\n   */\n  readonly m?: string;\n");
  });
});
