import { expect, test } from "vitest";
import { SHARED, publish, ref, sharedComponents } from "./openapi-schemas.ts";

test("explain tells quantities and numbers-or-texts by their names", () => {
  const schema = publish({
    type: "object",
    properties: {
      storage: { type: "string", format: "quantity", description: "How much." },
      port: { type: "string", format: "int-or-string" },
    },
    additionalProperties: { type: "string", format: "quantity" },
  });
  expect(schema).toEqual({
    type: "object",
    properties: {
      storage: { description: "How much.", allOf: [ref(SHARED.quantity)] },
      port: { allOf: [ref(SHARED.intOrString)] },
    },
    additionalProperties: { allOf: [ref(SHARED.quantity)] },
  });
  expect(Object.keys(sharedComponents())).toEqual(expect.arrayContaining([SHARED.quantity, SHARED.intOrString]));
});

test("marks of ours stay inside, names of members that look like marks do not", () => {
  const schema = publish({
    "x-keelson-order": 1,
    properties: { "x-keelson-order": { type: "string", "x-keelson-order": 2 } },
  });
  expect(schema).toEqual({ properties: { "x-keelson-order": { type: "string" } } });
});
