import { expect, test } from "vitest";
import { FieldErrors } from "./field-errors.ts";

test("a thousand causes are kept, and no more", () => {
  const errors = new FieldErrors();
  for (let i = 0; i < 2000; i++) errors.required(`spec.list[${i}]`);
  expect(errors.causes).toHaveLength(1000);
});

test("causes with long names are kept up to a limit of characters", () => {
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

test("a list that many causes show is printed once", () => {
  const errors = new FieldErrors();
  let printed = 0;
  const list = [{ toJSON: () => ++printed }, 2];
  for (let i = 0; i < 10; i++) errors.invalid(`spec.list[${i}]`, list, "why");
  errors.invalid("spec.list", [...list], "why");
  expect(printed).toBe(2);
  expect(errors.causes[9]!.message).toBe("Invalid value: [1,2]: why");
});

test.each([199, 200, 201, 1_000_000])("a text of %i characters is shown as far as its JSON has 200", (length) => {
  const errors = new FieldErrors();
  const value = "\n".repeat(length / 2) + "x".repeat(length - Math.floor(length / 2));
  errors.invalid("a", value, "why");
  expect(errors.causes[0]!.message).toBe(`Invalid value: ${JSON.stringify(value).slice(0, 200)}…: why`);
});
