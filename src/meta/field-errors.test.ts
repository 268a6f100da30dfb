import { expect, test } from "vitest";
import { FieldErrors } from "./field-errors.ts";

test("a thousand causes are told, and no more", () => {
  const errors = new FieldErrors();
  for (let i = 0; i < 2000; i++) errors.required(`spec.list[${i}]`);
  expect(errors.causes).toHaveLength(1000);
});

test("long names are told until an answer would have some megabytes", () => {
  const errors = new FieldErrors();
  const name = "n".repeat(300_000);
  for (let i = 0; i < 100; i++) errors.invalid(`spec.${name}[${i}]`, 1, "expected a text");
  expect(errors.causes).toHaveLength(4);
});

test("what was forgotten makes room", () => {
  const errors = new FieldErrors();
  const name = "n".repeat(400_000);
  errors.required("first");
  for (let i = 0; i < 10; i++) errors.required(name);
  expect(errors.causes).toHaveLength(4);
  errors.truncate(1);
  for (let i = 0; i < 10; i++) errors.required(name);
  expect(errors.causes.map(({ field }) => field?.length)).toEqual([5, 400_000, 400_000, 400_000]);
});
