/**
 * Structural schemas, values and expressions by chance.
 *
 * @module
 */
import fc from "fast-check";
import type { Structural } from "../../src/schema/structural/schema.ts";
import type { Value } from "../../src/value/value.ts";

/** How often each property is tried; see docs/contributing/testing.md. */
export const RUNS = Number(process.env["RUNS"] ?? 200);

type Words = Partial<Record<keyof Structural, unknown>>;

const NAMES = ["a", "b", "c-d", "constructor"] as const;
const name = fc.constantFrom(...NAMES);
const some = (words: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Words> =>
  fc.record(words, { requiredKeys: [] });
const small = fc.integer({ min: 0, max: 3 });

const ofText = some({
  minLength: small,
  maxLength: small,
  pattern: fc.constantFrom("^a", "b$", "[0-9]", ""),
  format: fc.constantFrom("ipv4", "nobody-knows"),
});
const ofNumber = some({
  minimum: small,
  maximum: small,
  exclusiveMinimum: fc.boolean(),
  exclusiveMaximum: fc.boolean(),
  multipleOf: fc.constantFrom(1, 2),
});
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("", "a", "ab", "1.2.3.4", "😀") },
  fc.string({ maxLength: 4 }),
);
const scalar = fc.oneof(text, fc.integer({ min: -3, max: 5 }), fc.constantFrom(0.5, true, false, null));

/** Values of any form, made of the names that schemas use. */
export const values: fc.Arbitrary<Value> = fc.letrec<{ any: Value }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(name, fc.constantFrom("x", "y")), tie("any"), { maxKeys: 4, noNullPrototype: true }),
  ) as fc.Arbitrary<Value>,
})).any;

/** Words that judge a value of any type. */
const judging: fc.Arbitrary<Words> = fc.oneof(
  ofText,
  ofNumber,
  some({ required: fc.uniqueArray(name, { maxLength: 2 }), minProperties: small, maxItems: small }),
  some({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
);
const alternatives: fc.Arbitrary<Words> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  some({
    allOf: fc.array(judging, { minLength: 1, maxLength: 2 }),
    anyOf: fc.array(judging, { minLength: 1, maxLength: 2 }),
    oneOf: fc.array(judging, { minLength: 1, maxLength: 2 }),
    not: judging,
  }),
);
const usual = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  some({ nullable: fc.boolean(), default: values, enum: fc.array(values, { minLength: 1, maxLength: 3 }) }),
);

/** Schemas that are structural but for their defaults, which may not fit, and marks that do not go together. */
export const schemas: fc.Arbitrary<Structural> = fc.letrec<{ any: Structural }>((tie) => {
  const typed = (type: string, words: fc.Arbitrary<Words>): fc.Arbitrary<Structural> =>
    fc
      .tuple(words, usual, alternatives)
      .map(([own, more, judged]) => ({ type, ...own, ...more, ...judged }) as Structural);
  const open = { "x-kubernetes-preserve-unknown-fields": fc.constant(true) };
  const properties = fc.dictionary(name, tie("any"), { maxKeys: 3, noNullPrototype: true });
  const list = some({
    minItems: small,
    maxItems: small,
    ...open,
    "x-kubernetes-list-type": fc.constantFrom("atomic", "set"),
  });
  const members = some({
    required: fc.uniqueArray(name, { maxLength: 2 }),
    minProperties: small,
    maxProperties: small,
    "x-kubernetes-map-type": fc.constantFrom("atomic", "granular"),
  });
  const keyed = fc.tuple(properties, fc.boolean()).map(([more, isDefault]) => ({
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["key"],
    items: {
      type: "object",
      properties: { ...more, key: { type: "string", ...(isDefault ? { default: "k" } : {}) } },
      ...(isDefault ? {} : { required: ["key"] }),
    },
  }));
  return {
    any: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      typed("string", ofText),
      typed("integer", ofNumber),
      typed("number", ofNumber),
      typed("boolean", fc.constant({})),
      fc.constant({ "x-kubernetes-int-or-string": true } as Structural),
      fc.constant({ "x-kubernetes-preserve-unknown-fields": true } as Structural),
      typed(
        "object",
        fc.tuple(properties, members, some(open)).map(([p, m, o]) => ({ properties: p, ...m, ...o })),
      ),
      typed(
        "object",
        fc.tuple(fc.oneof(tie("any"), fc.boolean()), members).map(([a, m]) => ({ additionalProperties: a, ...m })),
      ),
      typed(
        "array",
        fc.tuple(tie("any"), list).map(([items, l]) => ({ ...l, items })),
      ),
      typed("array", keyed),
    ) as fc.Arbitrary<Structural>,
  };
}).any;

const BROKEN: readonly Value[] = [null, [], {}, "x", -1, 1.5, true, [null], { a: null }, "null", "(", 1e300];

/** A JSON value in which one place was changed to something that does not belong there. */
export const mutated = (whole: Value): fc.Arbitrary<Value> =>
  fc.tuple(fc.nat(10_000), fc.constantFrom(...BROKEN)).map(([n, other]) => {
    const copy = structuredClone(whole);
    const places: [{ [key: string]: Value }, string][] = [];
    const walk = (value: Value): void => {
      if (typeof value !== "object" || value === null) return;
      for (const key of Object.keys(value)) {
        places.push([value as { [key: string]: Value }, key]);
        walk((value as { [key: string]: Value })[key]!);
      }
    };
    walk(copy);
    const place = places[n % Math.max(1, places.length)];
    if (place) place[0][place[1]] = structuredClone(other);
    return copy;
  });

const PLACES = ["self", "self.n", "self.s", "self.l", "self.m", "self.o.t", "oldSelf.s", "self.d", "self.x"];
const LITERALS = [
  "1",
  "-9223372036854775808",
  "2u",
  "0.5",
  "'a'",
  "r'^(a+)+$'",
  "b'x'",
  "true",
  "null",
  "[]",
  "[1, 2]",
  "{'a': 1}",
];
const METHODS = [
  "size",
  "contains",
  "startsWith",
  "matches",
  "find",
  "findAll",
  "replace",
  "split",
  "join",
  "lowerAscii",
  "indexOf",
  "sum",
  "min",
  "isSorted",
  "substring",
  "format",
  "orValue",
  "getHours",
  "isGreaterThan",
  "reverse",
  "charAt",
];
const FUNCTIONS = [
  "size",
  "int",
  "uint",
  "double",
  "string",
  "duration",
  "timestamp",
  "quantity",
  "url",
  "ip",
  "cidr",
  "isQuantity",
  "type",
  "dyn",
  "bool",
  "bytes",
  "has",
  "sets.contains",
  "sets.intersects",
  "semver",
  "format.named",
];
const OPERATORS = ["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "in"];
const MACROS = ["all", "exists", "exists_one", "map", "filter", "transformList", "sortBy"];

/** Expressions from the grammar, most of which some type check refuses. */
export const expressions: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...PLACES),
    fc.constantFrom(...LITERALS),
    fc.tuple(tie("any"), fc.constantFrom(...OPERATORS), tie("any")).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(tie("any"), fc.constantFrom(...METHODS), fc.array(tie("any"), { maxLength: 2 }))
      .map(([on, f, args]) => `${on}.${f}(${args.join(", ")})`),
    fc
      .tuple(fc.constantFrom(...FUNCTIONS), fc.array(tie("any"), { minLength: 1, maxLength: 2 }))
      .map(([f, args]) => `${f}(${args.join(", ")})`),
    fc
      .tuple(tie("any"), fc.constantFrom(...MACROS), fc.constantFrom("i", "i, j"), tie("any"))
      .map(([on, m, v, body]) => `${on}.${m}(${v}, ${body} == i)`),
    fc.tuple(tie("any"), tie("any"), tie("any")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `${a}[${b}]`),
  ) as fc.Arbitrary<string>,
})).any;
