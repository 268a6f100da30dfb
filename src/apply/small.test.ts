import { expect, test } from "vitest";
import type { Value } from "../value/value.ts";
import { applyWork, atOnce, recordWork, singleVersion, typeOf, withEntries } from "./index.ts";

const text = { type: "string" };
const type = typeOf({
  type: "object",
  properties: {
    metadata: { type: "object", properties: { uid: text } },
    data: { type: "object", additionalProperties: text },
  },
});
const context = { converter: singleVersion("v1", type), apiVersion: "v1", zero: {}, time: "2030-01-01T00:00:00Z" };
const object = (members: number, value: string): Value => ({
  metadata: { uid: "u" },
  data: Object.fromEntries(Array.from({ length: members }, (_, i) => [`k${i}`, value])),
});

const FEW = 100;
const MANY = 10_000;

test("owners of a small object are computed at once, and those of a large one in steps", () => {
  const record = (members: number) =>
    recordWork({ ...context, manager: "m", live: undefined, updated: object(members, "a") });
  expect(Array.isArray(record(FEW))).toBe(true);
  expect(Array.isArray(record(MANY))).toBe(false);
});

test("the result of an apply is computed in the same way", () => {
  const apply = (members: number) =>
    applyWork({ ...context, manager: "m", live: undefined, intent: object(members, "a") });
  expect(apply(FEW)).toMatchObject({ kind: "applied" });
  expect(apply(MANY)).not.toHaveProperty("kind");
});

test("both ways return the same, for writers who change fields of each other", () => {
  const owners = (members: number): string => {
    const made = atOnce(recordWork({ ...context, manager: "a", live: undefined, updated: object(members, "a") }));
    const live = withEntries(object(members, "a"), made);
    const updated = withEntries({ ...(object(members, "a") as object), data: { k0: "b" } } as Value, made);
    const taken = atOnce(recordWork({ ...context, manager: "b", live, updated, time: "2030-01-02T00:00:00Z" }));
    const applied = atOnce(
      applyWork({
        ...context,
        manager: "c",
        live: withEntries(updated, taken),
        intent: { data: { k0: "c" } },
        force: true,
      }),
    );
    return JSON.stringify([taken, applied]);
  };
  expect(owners(MANY)).toBe(owners(FEW));
});
