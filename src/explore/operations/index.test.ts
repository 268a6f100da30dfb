import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Structural } from "../../schema/structural/schema.ts";
import { fits } from "../../schema/structural/validate.ts";
import { equal, isObject, type Value, type ValueObject } from "../../value/value.ts";
import { mergePatchOf } from "./merge-patch.ts";
import { type Operations, type OperationOptions, type OperationStep, operationsOf } from "./index.ts";

const definitionOf = (spec: object, more: object = {}): object => ({
  kind: "CustomResourceDefinition",
  spec: {
    group: "example.com",
    names: { kind: "Widget", plural: "widgets" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            ...more,
            properties: {
              apiVersion: { type: "string" },
              kind: { type: "string" },
              metadata: { type: "object" },
              spec: { type: "object", ...spec },
              status: { type: "object", properties: { phase: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
});

const example = (spec: object): object => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "w" },
  spec,
});

const operations = (
  properties: object,
  spec: object,
  options: OperationOptions & { schema?: object } = {},
): Operations =>
  operationsOf(definitionOf({ properties, ...options.schema }), example(spec), { most: 1000, ...options });

const names = ({ comparisons }: Operations): string[] => comparisons.map(({ name }) => name);

/** Merges a patch as RFC 7386 does. */
function merged(target: Value | undefined, patch: Value): Value {
  if (!isObject(patch)) return patch;
  const result: ValueObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** What stands in the end of an order of steps. */
const played = ({ steps }: Operations, order: readonly number[]): Value | undefined =>
  order.reduce<Value | undefined>((object, index) => {
    const step = steps[index]!;
    return "create" in step ? (step.create as unknown as Value) : merged(object, step.patch.with as Value);
  }, undefined);

describe("operations from a schema", () => {
  it("set, unset and bounds of a number, and there and back", () => {
    const size = { type: "integer", minimum: 1, maximum: 9, exclusiveMaximum: true };
    expect(names(operations({ size }, { size: 3 }))).toEqual([
      ".spec.size set to 4",
      ".spec unset",
      ".spec.size unset",
      ".spec unset, then set again",
      ".spec.size unset, then set again",
      ".spec.size set to 4, then back to 3",
      ".spec replaced by {}",
      ".spec.size set to 1",
      ".spec.size set to 8",
    ]);
  });

  it("makes steps of the scenario: both orders end with the same object", () => {
    const { steps, comparisons } = operations({ size: { type: "integer" } }, { size: 3 }, { firstStep: 5 });
    const set = comparisons.find(({ name }) => name === ".spec.size set to 4")!;
    const create: OperationStep = {
      name: "create Widget default/w",
      create: {
        ...(example({ size: 3 }) as { apiVersion: string; kind: string }),
        metadata: { name: "w", namespace: "default" },
      },
    };
    expect(set.changed[0]).toBe(5);
    expect(steps[0]).toEqual(create);
    expect(steps[set.changed[1]! - 5]).toEqual({
      name: "change Widget default/w: .spec.size set to 4",
      patch: {
        apiVersion: "example.com/v1",
        kind: "Widget",
        name: "w",
        namespace: "default",
        with: { spec: { size: 4 } },
      },
    });
    expect(steps[set.fresh[0]! - 5]).toMatchObject({
      name: "create Widget default/w with .spec.size set to 4",
      create: { spec: { size: 4 } },
    });
    const back = comparisons.find(({ name }) => name === ".spec.size set to 4, then back to 3")!;
    expect(back.fresh).toEqual([5]);
    expect(back.changed.slice(0, 2)).toEqual(set.changed);
    expect(steps[back.changed[2]! - 5]).toMatchObject({ patch: { with: { spec: { size: 3 } } } });
  });

  it("tries each value of an enum, and reports texts for which no other is known", () => {
    const mode = { type: "string", enum: ["a", "b", "c"] };
    const code = { type: "string", pattern: "^\\p{Lu}$" };
    const made = operations({ mode, code }, { mode: "b", code: "Ä" });
    expect(names(made)).toEqual(expect.arrayContaining(['.spec.mode set to "a"', '.spec.mode set to "c"']));
    expect(made.skipped).toEqual([{ path: ".spec.code", why: 'no other text is known for the pattern "^\\\\p{Lu}$"' }]);
  });

  it("adds, removes and reorders items; those of a keyed list have other keys, those of a set other values", () => {
    const ports = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      maxItems: 4,
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, port: { type: "integer" } },
      },
    };
    const tags = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
    const made = operations(
      { ports, tags },
      {
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 2 },
        ],
        tags: ["x"],
      },
    );
    expect(names(made)).toEqual(
      expect.arrayContaining([
        '.spec.ports with {"name":"b-b","port":1} added',
        ".spec.ports in reverse order",
        ".spec.ports emptied",
        ".spec.ports[0] removed",
        ".spec.ports[1] removed, then added again",
        ".spec.ports[0].port set to 2",
        ".spec.ports with 4 items, the most",
        '.spec.tags with "example" added',
      ]),
    );
    const full = made.comparisons.find(({ name }) => name === ".spec.ports with 4 items, the most")!;
    const { spec } = played(made, full.changed) as { spec: { ports: { name: string }[] } };
    expect(new Set(spec.ports.map(({ name }) => name)).size).toBe(4);
  });

  it("adds, removes and changes entries of a map", () => {
    const labels = { type: "object", additionalProperties: { type: "string" } };
    expect(names(operations({ labels }, { labels: { "a.b/c": "x" } }))).toEqual(
      expect.arrayContaining([
        ".spec.labels with the key added",
        ".spec.labels['a.b/c'] removed",
        '.spec.labels[\'a.b/c\'] set to "x-b", then back to "x"',
      ]),
    );
  });

  it("sets what is absent, whole objects too, with the members that must be there", () => {
    const tls = {
      type: "object",
      required: ["secretName"],
      properties: { secretName: { type: "string" }, x: { type: "string" } },
    };
    expect(names(operations({ tls }, {}))).toEqual(
      expect.arrayContaining([
        '.spec.tls set to {"secretName":"example"}',
        '.spec.tls set to {"secretName":"example"}, then unset',
      ]),
    );
  });

  it("breaks and mends names of other objects", () => {
    const properties = {
      secretName: { type: "string" },
      caRef: { type: "object", properties: { name: { type: "string" } } },
      title: { type: "string" },
    };
    const broken = names(operations(properties, { secretName: "s", caRef: { name: "c" }, title: "t" })).filter((name) =>
      name.includes("broken"),
    );
    expect(broken).toEqual([
      '.spec.secretName broken: set to "s-is-not-there", then mended',
      '.spec.caRef.name broken: set to "c-is-not-there", then mended',
    ]);
  });

  it("leaves out what rules refuse: immutable members, and changes that go one way only", () => {
    const properties = {
      id: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "id is immutable" }] },
      size: { type: "integer", "x-kubernetes-validations": [{ rule: "self >= oldSelf", message: "no way back" }] },
    };
    const made = operations(properties, { id: "a", size: 3 });
    expect(made.skipped).toEqual(
      expect.arrayContaining([
        { path: ".spec.id", why: expect.stringContaining("id is immutable") as string },
        { path: ".spec.size", why: expect.stringContaining("no way back") as string },
      ]),
    );
    const all = names(made);
    expect(all.filter((name) => name.includes(".id set"))).toEqual([]);
    expect(all).toContain(".spec.size set to 4");
    expect(all).not.toContain(".spec.size set to 4, then back to 3");
  });

  it("leaves out what other members make invalid", () => {
    const properties = { least: { type: "integer" }, most: { type: "integer" } };
    const rules = [{ rule: "self.least <= self.most", message: "least is more than most" }];
    const made = operations(properties, { least: 3, most: 3 }, { schema: { "x-kubernetes-validations": rules } });
    expect(names(made)).not.toContain(".spec.least set to 4");
    expect(made.skipped).toContainEqual({
      path: ".spec.least",
      why: expect.stringContaining("least is more than most") as string,
    });
  });

  it("counts a default as a value: what is unset is compared with the default", () => {
    const made = operations({ size: { type: "integer", default: 1 } }, {});
    expect(made.steps[0]).toMatchObject({ create: { spec: { size: 1 } } });
    expect(names(made)).toContain(".spec.size set to 2, then back to 1");
    expect(names(made)).not.toContain(".spec.size unset");
  });

  it("is bounded, begins with the most telling ones, and is the same each time", () => {
    const properties = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`m${i}`, { type: "integer" }]));
    const spec = Object.fromEntries(Object.keys(properties).map((name) => [name, 5]));
    const made = operations(properties, spec, { most: 30 });
    expect(made.comparisons).toHaveLength(30);
    expect(made.left).toBeGreaterThan(100);
    expect(names(made).every((name) => /^\.spec\.m\d+ set to 6$/.test(name))).toBe(true);
    expect(operations(properties, spec, { most: 30 })).toEqual(made);
  });

  it("makes an example of the schema where none is given", () => {
    const size = { type: "integer", minimum: 2 };
    const { steps } = operationsOf(definitionOf({ required: ["size"], properties: { size } }, { required: ["spec"] }));
    expect(steps[0]).toMatchObject({
      create: { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "example" }, spec: { size: 2 } },
    });
  });

  it("says what is wrong with the definition or the example", () => {
    expect(() => operationsOf({})).toThrow("expected a CustomResourceDefinition with a group");
    const definition = definitionOf({ properties: { size: { type: "integer" } } });
    expect(() => operationsOf(definition, { ...example({}), apiVersion: "example.com/v2" })).toThrow(
      "to have the version example.com/v2",
    );
    expect(() => operationsOf(definition, example({ size: "x" }))).toThrow("refused: spec.size:");
  });

  it("makes both orders end with one object that the schema accepts, for any schema", () => {
    const leaf = fc.constantFrom<Structural>(
      { type: "integer", minimum: -3, maximum: 7, multipleOf: 2 },
      { type: "number", exclusiveMinimum: true, minimum: 0 },
      { type: "string", minLength: 2, maxLength: 5 },
      { type: "string", pattern: "^[a-c]{2,4}$" },
      { type: "string", format: "date-time" },
      { type: "boolean" },
      { "x-kubernetes-int-or-string": true },
      { type: "string", enum: ["x", "y"], default: "y" },
    );
    const { schema } = fc.letrec<{ schema: Structural }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(2) }),
        fc.record({ type: fc.constant("object"), additionalProperties: tie("schema") }),
        fc
          .tuple(
            fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema"), { noNullPrototype: true }),
            fc.subarray(["a", "b", "c"]),
          )
          .map(([properties, required]) => ({
            type: "object",
            properties,
            required: required.filter((name) => Object.hasOwn(properties, name)),
          })),
      ),
    }));
    fc.assert(
      fc.property(schema, (member) => {
        const definition = definitionOf({ required: ["member"], properties: { member } }, { required: ["spec"] });
        const made = operationsOf(definition);
        const wrong = made.comparisons.filter(({ changed, fresh }) => {
          const end = played(made, fresh) as { spec: { member: Value } };
          return !equal(played(made, changed), end) || !fits(member, end.spec.member);
        });
        expect(wrong).toEqual([]);
      }),
    );
  });
});

it("looks at some changes of an object with thousands of members, where all are refused", () => {
  const members = Array.from({ length: 3000 }, (_, i) => `member-${i}`);
  const made = operations(
    Object.fromEntries(members.map((name) => [name, { type: "integer" }])),
    Object.fromEntries(members.map((name) => [name, 1])),
    { schema: { "x-kubernetes-validations": [{ rule: "self == oldSelf" }] }, most: 10 },
  );
  expect([made.comparisons, made.skipped.length < 100, made.left > 14_000]).toEqual([[], true, true]);
  expect(made.skipped[0]?.why).toContain("refused");
});

describe("a merge patch", () => {
  it("makes one object of another, or is none", () => {
    const value = fc.letrec<{ value: Value }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<Value>(1, "a", null, true),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { noNullPrototype: true }),
      ),
    })).value;
    const object = fc.dictionary(fc.constantFrom("x", "y"), value, { noNullPrototype: true });
    fc.assert(
      fc.property(object, object, (before, after) => {
        const patch = mergePatchOf(before, after);
        const hasNulls = JSON.stringify(after).includes("null");
        expect(patch ? merged(before, patch) : hasNulls).toEqual(patch ? after : true);
      }),
    );
    expect(mergePatchOf({}, { a: null })).toBeUndefined();
    expect(mergePatchOf({ a: 1 }, { b: {} })).toEqual({ a: null, b: {} });
  });
});
