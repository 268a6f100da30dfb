import { expect, test } from "vitest";
import { CelError, checkSchema, compile, validateObject } from "./index.ts";
import type { Schema } from "./index.ts";

const SCALE: Schema = {
  type: "object",
  properties: {
    replicas: { type: "integer" },
    most: { type: "integer" },
    ports: { type: "array", maxItems: 10, items: { type: "object", properties: { name: { type: "string" } } } },
  },
  "x-kubernetes-validations": [
    {
      rule: "self.replicas <= self.most",
      fieldPath: ".replicas",
      messageExpression: "'at most %d'.format([self.most])",
    },
    { rule: "self.replicas >= oldSelf.replicas", message: "replicas may not become fewer" },
  ],
};
const WHOLE: Schema = { type: "object", properties: { spec: SCALE } };
const object = (replicas: number, most: number) => ({ metadata: { name: "a" }, spec: { replicas, most } });

test("CEL-52, CEL-56: an expression knows its type and what it may cost, and says what a run has cost", () => {
  const rule = compile("self.ports.all(p, p.name != '')", { self: { schema: SCALE } });
  expect(rule.type).toBe("bool");
  expect([...rule.variables]).toEqual(["self"]);
  expect(rule.cost.max).toBeGreaterThan(rule.cost.min);
  const answer = rule.run({ self: { ports: [{ name: "a" }, { name: "b" }] } });
  expect(answer).toMatchObject({ value: true, text: "true" });
  expect(BigInt(answer.cost)).toBeLessThanOrEqual(rule.cost.max);
});

test("a run beyond its limit ends with an error", () => {
  const rule = compile("self.all(a, self.all(b, a <= b))");
  const { error, cost } = rule.run({ self: Array.from({ length: 1000 }, (_, i) => i) }, 5000);
  expect(error).toMatch(/cost limit exceeded/);
  expect(cost).toBeLessThan(5100);
});

test("a text that is none, or of the wrong types, is refused with its place", () => {
  expect(() => compile("self.replicas <", { self: { schema: SCALE } })).toThrow(CelError);
  expect(() => compile("self.replica", { self: { schema: SCALE } })).toThrow(/<input>:1:5: undefined field 'replica'/);
  expect(() => compile("self", { self: { schema: {} } })).toThrow(/expected the schema of self to have a type/);
});

test.for<[string, unknown, string]>([
  ["[1, 2]", [1n, 2n], "[1, 2]"],
  ["{'a': 1.0, 'b': 2.5}", { a: 1, b: 2.5 }, '{"a": 1.0, "b": 2.5}'],
  ["9007199254740993", 9_007_199_254_740_993n, "9007199254740993"],
  ["3u", 3n, "3"],
  ["duration('90s')", "90s", 'duration("90s")'],
  ["timestamp('2020-01-01T00:00:00Z')", "2020-01-01T00:00:00Z", 'timestamp("2020-01-01T00:00:00Z")'],
  ["quantity('1500m')", "1500m", 'quantity("1500m")'],
  ["cidr('10.0.0.0/24')", "10.0.0.0/24", 'cidr("10.0.0.0/24")'],
  ["optional.of('x')", "x", 'optional.of("x")'],
  ["optional.none()", undefined, "optional.none()"],
  ["type('')", "string", "string"],
  ["b'ab'", new Uint8Array([97, 98]), 'b"ab"'],
  ["null", null, "null"],
])("%s answers %o, written %s", ([source, value, text]) => {
  const answer = compile(source).run({});
  expect(answer.value).toEqual(value);
  expect(answer.text).toBe(text);
});

test("what nothing is known of is seen as it is, integers beyond 2^53 too", () => {
  const one = compile("self.spec.list.map(x, type(x))").run({
    self: { spec: { list: [1, 1.5, "a", null, true, {}] } },
  });
  expect(one.value).toEqual(["int", "double", "string", "null_type", "bool", "map"]);
  expect(compile("has(self.a.b)").run({ self: { a: {} } }).value).toBe(false);
  expect(compile("self.a.b").run({ self: { a: {} } }).error).toBe("no such key: b");
});

test("CEL-37: oldSelf may be an optional", () => {
  const rule = compile("!oldSelf.hasValue() || oldSelf.value().replicas <= self.replicas", {
    self: { schema: SCALE },
    oldSelf: { schema: SCALE, isOptional: true },
  });
  expect(rule.run({ self: { replicas: 1 } }).value).toBe(true);
  expect(rule.run({ self: { replicas: 1 }, oldSelf: { replicas: 2 } }).value).toBe(false);
});

test("CEL-40..47: the rules of a schema judge an object, and the change of one", () => {
  expect(validateObject(WHOLE, object(1, 2))).toEqual([]);
  expect(validateObject(WHOLE, object(3, 2))).toEqual([
    { reason: "FieldValueInvalid", field: "spec.replicas", message: "Invalid value: at most 2" },
  ]);
  expect(validateObject(WHOLE, object(1, 5), object(2, 5))).toEqual([
    { reason: "FieldValueInvalid", field: "spec", message: "Invalid value: replicas may not become fewer" },
  ]);
});

test("CEL-36..39, CEL-52..55: what is wrong with the rules of a schema is reported before the definition is used", () => {
  expect(checkSchema(WHOLE)).toEqual([]);
  const list: Schema = { type: "array", items: { type: "string" } };
  const wrong: Schema = {
    type: "object",
    properties: {
      list: { ...list, "x-kubernetes-validations": [{ rule: "self.all(a, self.all(b, a != b))" }] },
      size: { type: "integer", "x-kubernetes-validations": [{ rule: "self + 1" }] },
    },
  };
  const found = checkSchema(wrong).map(({ reason, field }) => `${reason} ${field}`);
  expect(found).toEqual([
    "FieldValueForbidden openAPIV3Schema.properties[list].x-kubernetes-validations[0].rule",
    "FieldValueInvalid openAPIV3Schema.properties[size].x-kubernetes-validations[0].rule",
    // All together are too expensive as well: the most expensive one is named once more.
    "FieldValueForbidden openAPIV3Schema.properties[list].x-kubernetes-validations[0].rule",
    "FieldValueForbidden openAPIV3Schema",
  ]);
});

test("of operators and selections only so many stand in one another", () => {
  const deepest = (count: number): string[] => [
    `${Array.from({ length: count + 1 }, () => "1").join(" + ")} > 0`,
    `self${".a".repeat(count)}`,
    `self${"[0]".repeat(count)}`,
    `self${".size()".repeat(count)}`,
    `1 == 1${" == true".repeat(count)}`,
  ];
  for (const source of deepest(249)) expect(() => compile(source)).not.toThrow(/recursion/);
  for (const source of [...deepest(251), ...deepest(20_000)]) expect(() => compile(source)).toThrow(/recursion depth/);
  expect(compile(Array.from({ length: 5000 }, () => "true").join(" && ")).run({}).value).toBe(true);
});
