/** Apply over structural schemas agrees with a model of leaves and their owners (MARK-1..17, CRD-24). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonSchema, applyIntent, singleVersion, typeOf, withEntries } from "../../src/apply/index.ts";
import { type Value, equal, isObject } from "../../src/value/value.ts";
import { RUNS } from "./schemas.ts";

const NAMES = ["a", "b", "c"];
const HEAD: Readonly<Record<string, JsonSchema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};
const MANAGERS = ["red", "blue", "green"];

/** A schema of any shape, with every mark; objects that it describes are never empty, nor is anything in them. */
const schemas: fc.Arbitrary<JsonSchema> = fc.letrec<{ any: JsonSchema; struct: JsonSchema }>((tie) => ({
  struct: fc
    .record({
      properties: fc.dictionary(fc.constantFrom(...NAMES), tie("any"), { minKeys: 1 }),
      atomic: fc.constantFrom(false, false, true),
    })
    .map(({ properties, atomic }) => ({
      type: "object",
      properties,
      ...(atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
    })),
  any: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constant({ type: "string" }),
    tie("struct"),
    fc.record({ type: fc.constant("object"), additionalProperties: tie("any") }),
    fc.record({ type: fc.constant("array"), items: tie("any") }),
    fc.constant({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("any")).map((properties) => ({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["key"],
      items: { type: "object", required: ["key"], properties: { ...properties, key: { type: "string" } } },
    })),
  ),
})).struct;

const word = fc.constantFrom(...NAMES);

const keyOf = (item: Value): string => (item as { key: string }).key;

/** Values of a schema. */
function valuesOf(schema: JsonSchema): fc.Arbitrary<Value> {
  const { type, items, properties, additionalProperties } = schema;
  const list = schema["x-kubernetes-list-type"];
  if (type === "string") return word;
  if (items && list === "set") return fc.uniqueArray(word, { minLength: 1 });
  if (items && list === "map") {
    return fc.uniqueArray(membersOf(items, { key: word }), { selector: keyOf, minLength: 1, maxLength: 3 });
  }
  if (items) return fc.array(valuesOf(items), { minLength: 1, maxLength: 2 });
  if (properties) return membersOf(schema, {}, 1);
  return fc.dictionary(word, valuesOf(additionalProperties as JsonSchema), { minKeys: 1 });
}

const membersOf = (
  { properties = {} }: JsonSchema,
  there: Readonly<Record<string, fc.Arbitrary<Value>>>,
  least = 0,
): fc.Arbitrary<Value> => {
  const names = Object.keys(properties).filter((name) => !(name in there));
  return fc.subarray(names, { minLength: Math.min(least, names.length) }).chain((some) => {
    const members = Object.fromEntries(some.map((name) => [name, valuesOf(properties[name]!)]));
    return fc.record({ ...there, ...members }) as fc.Arbitrary<Value>;
  });
};

/** Whether what is in a value is owned piece by piece. */
const isGranular = (schema: JsonSchema): boolean => {
  const list = schema["x-kubernetes-list-type"];
  if (schema.type === "array") return list === "set" || list === "map";
  return schema.type === "object" && schema["x-kubernetes-map-type"] !== "atomic";
};

/**
 * What one manager can own of a value: the places of its leaves and what stands there. Entries of maps are places of
 * their own; a container out of which everything was taken is null.
 */
function leavesOf(schema: JsonSchema, value: Value, at: readonly string[] = []): Map<string, Value> {
  const leaves = new Map<string, Value>();
  const add = (below: JsonSchema, one: Value, step: string): void => {
    for (const [place, leaf] of leavesOf(below, one, [...at, step])) leaves.set(place, leaf);
  };
  if (!isGranular(schema)) return leaves.set(JSON.stringify(at), value);
  if (Array.isArray(value)) {
    const isSet = schema["x-kubernetes-list-type"] === "set";
    for (const one of value) {
      if (isSet) add({ type: "string" }, one, `=${one as string}`);
      else add(schema.items!, one, `#${keyOf(one)}`);
    }
  } else if (isObject(value)) {
    for (const [name, one] of Object.entries(value)) {
      const values = schema.additionalProperties as JsonSchema | undefined;
      if (values && isGranular(values)) leaves.set(JSON.stringify([...at, `.${name}`]), "is there");
      add(values ?? schema.properties![name]!, one, `.${name}`);
    }
  }
  return leaves;
}

interface Write {
  readonly manager: string;
  readonly intent: Value;
  readonly forces: boolean;
}

/** The model: leaves by their places, and who owns each. */
class Model {
  readonly leaves = new Map<string, Value>();
  readonly owners = new Map<string, Set<string>>();

  /** Whether no other manager owns what is to be changed; then it is changed. */
  apply(wanted: ReadonlyMap<string, Value>, { manager, forces }: Write): boolean {
    const others = (place: string): string[] => [...(this.owners.get(place) ?? [])].filter((one) => one !== manager);
    const differs = (place: string, leaf: Value): boolean =>
      this.leaves.has(place) && !equal(this.leaves.get(place), leaf);
    const disputed = [...wanted].filter(([place, leaf]) => differs(place, leaf) && others(place).length > 0);
    if (disputed.length > 0 && !forces) return false;
    for (const [place] of disputed) this.owners.set(place, new Set());
    for (const [place, owners] of this.owners) {
      if (wanted.has(place) || !owners.delete(manager) || owners.size > 0) continue;
      this.owners.delete(place);
      this.leaves.delete(place);
    }
    for (const [place, leaf] of wanted) {
      this.leaves.set(place, leaf);
      this.owners.set(place, (this.owners.get(place) ?? new Set()).add(manager));
    }
    return true;
  }
}

const sorted = (leaves: ReadonlyMap<string, Value>): unknown => [...leaves].toSorted(([a], [b]) => (a < b ? -1 : 1));

test("apply agrees with a model of leaves and owners, whatever the schema", () => {
  const stories = schemas.chain((schema) => {
    const write = fc.record({
      manager: fc.constantFrom(...MANAGERS),
      intent: valuesOf(schema),
      forces: fc.boolean(),
    });
    return fc.record({ schema: fc.constant(schema), writes: fc.array(write, { minLength: 2, maxLength: 8 }) });
  });
  fc.assert(
    fc.property(stories, ({ schema, writes }) => {
      const whole: JsonSchema = { type: "object", properties: { ...HEAD, spec: schema } };
      const type = typeOf(whole);
      const context = { converter: singleVersion("v1", type), apiVersion: "v1", zero: { metadata: {} } };
      const model = new Model();
      let live: Value | undefined;
      for (const [i, write] of writes.entries()) {
        const { manager, intent, forces: force } = write;
        const time = new Date(i * 1000).toISOString().replace(".000", "");
        const sent: Value = { apiVersion: "v1", kind: "Thing", spec: intent };
        const outcome = applyIntent({
          ...context,
          time,
          manager,
          live,
          intent: sent,
          force,
        });
        expect(outcome.kind).toBe(model.apply(leavesOf(schema, intent), write) ? "applied" : "conflicts");
        if (outcome.kind !== "applied") continue;
        live = withEntries(outcome.object, outcome.managedFields);
        const { spec } = live as { spec: Value };
        expect(sorted(leavesOf(schema, spec))).toEqual(sorted(model.leaves));
      }
    }),
    { numRuns: RUNS },
  );
});
