import { expect, test } from "vitest";
import { expectLinear } from "../../util/testing/linear.ts";
import type { Schema } from "../schema/declaration.ts";
import { fieldWithin } from "./field-within.ts";

const TEXT: Schema = { type: "string" };
const SCHEMA: Schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { replicas: { type: "integer" }, "a.b": TEXT, "it's": TEXT } },
    labels: { type: "object", additionalProperties: TEXT },
  },
};

test.each([
  [".spec", "spec"],
  [".spec.replicas", "spec.replicas"],
  [".spec['replicas']", "spec.replicas"],
  ["['spec']['a.b']", "spec.a.b"],
  [String.raw`.spec['it\'s']`, "spec.it's"],
  [".labels.a", "labels[a]"],
  [".labels['a.b/c]']", "labels[a.b/c]]"],
  [String.raw`.labels['\n\\']`, "labels[\n\\]"],
])("CEL-39: %s leads to %j", (path, place) => {
  expect(fieldWithin(SCHEMA, path)).toBe(place);
});

test.each([
  "",
  ".",
  "spec",
  ".spec.",
  ".spec.none",
  ".spec..replicas",
  ".spec['replicas'",
  ".spec['replicas",
  ".spec[replicas]",
  ".labels['a\\",
  String.raw`.labels['\x']`,
  ".spec.replicas.more",
])("CEL-39: %j leads nowhere", (path) => {
  expect(fieldWithin(SCHEMA, path)).toBeUndefined();
});

test.each(["'", "['", ".labels", "\\'", "['a']", "'a", "["])(
  "%s again and again costs a time that grows with the path",
  async (part) => {
    await expectLinear(
      (size) => `.labels['a']${part.repeat(size / part.length)}`,
      (path) => fieldWithin(SCHEMA, path),
    );
  },
);
