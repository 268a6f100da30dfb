import { expect, test } from "vitest";
import { always, optional, struct, text } from "../meta/types.ts";
import { defineResource } from "./define-resource.ts";
import { objectSchema } from "./object-schema.ts";

const schema = objectSchema("A thing.", {
  spec: always(struct("What it is.", { colour: optional(text("Its colour.")) })),
});
const names = { group: "x.io", version: "v1", kind: "BigThing", plural: "bigthings", scope: "Cluster" } as const;

test("names that follow from others, the description of the schema, and the answer of a delete are defaults", () => {
  expect(defineResource(schema, names)).toEqual({
    ...names,
    singular: "bigthing",
    description: "A thing.",
    deleteReturns: "status",
    schema,
  });
  const own = { description: "Another one.", deleteReturns: "object" } as const;
  expect(defineResource(schema, { ...names, ...own })).toMatchObject(own);
});

test("rules see the objects that the schema describes", () => {
  const { selectableFields } = defineResource(schema, {
    ...names,
    selectableFields: {
      "spec.colour": ({ spec }) => spec.colour ?? "none",
      // @ts-expect-error: the schema has no such member
      "spec.size": ({ spec }) => spec.size ?? "unknown",
    },
  });
  const object = { apiVersion: "x.io/v1", kind: "BigThing", metadata: {}, spec: {} };
  expect(Object.values(selectableFields ?? {}).map((read) => read(object))).toEqual(["none", "unknown"]);
});
