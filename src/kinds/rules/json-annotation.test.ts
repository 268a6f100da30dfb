import { expect, test } from "vitest";
import { kubernetes } from "../../meta/dialect.ts";
import { int64, optional, struct, text } from "../../meta/types.ts";
import { jsonAnnotation } from "./json-annotation.ts";

const schema = struct("", { a: optional(text()), b: optional(struct("", { c: optional(int64()) })) });
const read = (json: string) => jsonAnnotation(json, schema, kubernetes);

test("an annotation is read as a struct, without what the struct does not know", () => {
  expect(read('{"a": "x", "b": {"c": 1}, "d": 2}')).toEqual({ value: { a: "x", b: { c: 1 } } });
  expect(read("null")).toEqual({ value: null });
});

test("invalid JSON, or other content, is reported", () => {
  expect(read("{")).toHaveProperty("wrong");
  expect(read('{"b": {"c": "x"}}')).toEqual({ wrong: expect.stringContaining("at b.c, got") as string });
  expect(read("[]")).toEqual({ wrong: expect.stringContaining("at the top, got a list") as string });
});
