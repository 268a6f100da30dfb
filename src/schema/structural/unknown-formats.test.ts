import { expect, test } from "vitest";
import type { Value } from "../../value/value.ts";
import { unknownFormatWarnings } from "./unknown-formats.ts";

const warned = (schema: Value, before: Value[] = []): string[] =>
  [...unknownFormatWarnings([schema], before)].filter((text) => text !== undefined).toSorted();

const text = (format: string): Value => ({ type: "string", format });

test.each<[string, Value]>([
  ["the schema", text("foo")],
  ["a property", { properties: { a: text("foo") } }],
  ["the elements of a list", { items: text("foo") }],
  ["the values of a map", { additionalProperties: text("foo") }],
  ["an alternative", { anyOf: [{}, text("foo")] }],
  ["what is not meant", { not: text("foo") }],
])("a format that nobody judges is warned of: of %s", (_, schema) => {
  expect(warned(schema)).toEqual(['unrecognized format "foo"']);
});

test.each(["date-time", "datetime", "k8s-short-name", "uri", "byte"])("%s is a format that is judged", (format) => {
  expect(warned(text(format))).toEqual([]);
});

test("formats of numbers and of what may be a text are not warned of", () => {
  const schema = {
    properties: { a: { type: "integer", format: "int128" }, b: { format: "int-or-string" }, c: { type: "string" } },
  };
  expect(warned(schema)).toEqual([]);
});

test("what stood there before is not warned of again, wherever it stood", () => {
  const schema = { properties: { a: text("foo"), b: text("bar") } };
  expect(warned(schema, [{ items: text("foo") }])).toEqual(['unrecognized format "bar"']);
});

test("a large schema is looked through in steps", () => {
  const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, { type: "string" }]));
  expect([...unknownFormatWarnings([{ properties }], [])].length).toBeGreaterThan(3);
});
