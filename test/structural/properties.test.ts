/** Structural schemas against a slow model, for any schema and any value. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { kubernetes } from "../../src/meta/dialect.ts";
import { FieldErrors } from "../../src/meta/field-errors.ts";
import { DecodeReport } from "../../src/schema/decode-report.ts";
import type { Structural } from "../../src/schema/structural/schema.ts";
import { validatorOf } from "../../src/schema/structural/validate.ts";
import { structuralWalker } from "../../src/schema/structural/walker.ts";
import { type Value, clone } from "../../src/value/value.ts";
import { filled, fits, pruned } from "./model.ts";
import { RUNS, schemas, values } from "./schemas.ts";

const numRuns = RUNS * 5;
const walkerOf = (spec: Structural) => structuralWalker({ type: "object", properties: { spec } }, kubernetes);
const whole = (spec: Value) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a" },
  spec: clone(spec),
});
const specOf = (object: unknown): Value => (object as { spec: Value }).spec;

test("CRD-43: what is pruned is what the model prunes, and pruning twice is pruning once", () => {
  const isSent = (schema: Structural, value: Value) =>
    value !== null || schema.nullable === true || schema.default !== undefined;
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      fc.pre(isSent(schema, value));
      const once = specOf(walkerOf(schema).decode(whole(value), new DecodeReport()));
      expect(once).toEqual(pruned(schema, value));
      expect(specOf(walkerOf(schema).decode(whole(once), new DecodeReport()))).toEqual(once);
    }),
    { numRuns },
  );
});

test("CRD-42: what is filled in is what the model fills in", () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const object = whole(value);
      walkerOf(schema).applyDefaults(object as never);
      expect(object).toEqual(filled({ type: "object", properties: { spec: schema } }, whole(value)));
    }),
    { numRuns },
  );
});

test("CRD-45: what is refused is what the model refuses, and what has not changed is forgiven", () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const errors = new FieldErrors();
      validatorOf(schema).validate(value, undefined, errors);
      expect(!errors.any).toBe(fits(schema, value));
      const again = new FieldErrors();
      validatorOf(schema).validate(value, clone(value), again);
      expect(again.causes).toEqual([]);
    }),
    { numRuns },
  );
});
