import { describe, expect, test } from "vitest";
import { kubernetes } from "../../meta/dialect.ts";
import { JsonNumber, type Value, clone } from "../../value/value.ts";
import { DecodeReport, MAX_MEMBERS } from "../decode-report.ts";
import type { Structural } from "./schema.ts";
import type { Walker } from "../definition.ts";
import { structuralWalker } from "./walker.ts";

const object = (properties: Record<string, Structural>, more: Partial<Structural> = {}): Structural => ({
  type: "object",
  properties,
  ...more,
});
const list = (items: Structural, more: Partial<Structural> = {}): Structural => ({
  type: "array",
  items,
  ...more,
});
const map = (of: Structural | boolean): Structural => ({ type: "object", additionalProperties: of });
const text: Structural = { type: "string" };
const integer: Structural = { type: "integer" };
const open = { "x-kubernetes-preserve-unknown-fields": true };

const walkerOf = (spec: Structural): Walker => structuralWalker(object({ spec }), kubernetes);

const head = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };

/** A spec after decoding, and its report. */
function decoded(schema: Structural, spec: unknown, isMerged = false) {
  const report = new DecodeReport();
  const result = walkerOf(schema).decode({ ...clone(head), spec: clone(spec as Value) }, report, isMerged);
  const { unknown, mismatches, excess } = report;
  return {
    spec: (result as unknown as { spec: unknown }).spec,
    unknown,
    mismatches: mismatches.map(({ path }) => path),
    excess,
  };
}

function defaulted(schema: Structural, spec: unknown): unknown {
  const whole = { ...clone(head), spec: clone(spec as Value) };
  walkerOf(schema).applyDefaults(whole);
  return whole.spec;
}

describe("CRD-43: members that the schema does not know", () => {
  test("are dropped and told at any depth", () => {
    const schema = object({ a: object({ b: text }), l: list(object({ k: text })), m: map(object({ k: text })) });
    const sent = { a: { b: "x", c: 1 }, l: [{ k: "v", u: 1 }, {}], m: { x: { u: {}, k: "v" } }, u: [1] };
    expect(decoded(schema, sent)).toEqual({
      spec: { a: { b: "x" }, l: [{ k: "v" }, {}], m: { x: { k: "v" } } },
      unknown: ["spec.a.c", "spec.l[0].u", "spec.m.x.u", "spec.u"],
      mismatches: [],
      excess: undefined,
    });
  });

  test("are dropped at the top as well, apiVersion, kind and metadata are not", () => {
    const report = new DecodeReport();
    const result = structuralWalker({ type: "object" }, kubernetes).decode({ ...head, u: 1 }, report);
    expect(result).toEqual(head);
    expect(report.unknown).toEqual(["u"]);
  });

  test("stay below the mark, and known members below it are pruned by their own schema", () => {
    const closed = object({ k: text, open: object({ closed: object({ k: text }) }, open) });
    const schema = object({ open: object({ closed, list: list(object({ k: text })) }, open) });
    const sent = {
      open: { u: 1, closed: { k: "v", u: 1, open: { u: 1, closed: { k: "v", u: 1 } } }, list: [{ k: "v", u: 1 }, "x"] },
    };
    expect(decoded(schema, sent)).toMatchObject({
      spec: { open: { u: 1, closed: { k: "v", open: { u: 1, closed: { k: "v" } } }, list: [{ k: "v" }, "x"] } },
      unknown: ["spec.open.closed.u", "spec.open.closed.open.closed.u", "spec.open.list[0].u"],
    });
  });

  test("a place that preserves keeps scalars, lists and objects of any form", () => {
    for (const any of [7, ["x", { y: 1 }], { a: { b: [{}] } }]) {
      expect(decoded(object({ any: open }), { any }).spec).toEqual({ any });
    }
  });

  test("what a marked list preserves, its elements preserve", () => {
    const schema = object({ l: list(object({ k: object({}) }), open) });
    expect(decoded(schema, { l: [{ k: { u: 1 }, u: { v: 1 } }] }).spec).toEqual({ l: [{ k: {}, u: { v: 1 } }] });
  });

  test("below additionalProperties true or false only scalars and empty objects stay", () => {
    for (const others of [true, false]) {
      const { spec, unknown } = decoded(object({ any: map(others) }), {
        any: { a: 1, b: { c: [1, "x"] }, d: [{ e: 1 }] },
      });
      expect(spec).toEqual({ any: { a: 1, b: {}, d: [{}] } });
      expect(unknown).toEqual(["spec.any.b.c", "spec.any.d[0].e"]);
    }
  });

  test("values of a wrong type are left to the validator", () => {
    const sent = { a: 7, l: { x: 1 }, t: [1], o: "x" };
    const schema = object({ a: object({ b: text }), l: list(text), t: text, o: object({}) });
    expect(decoded(schema, sent)).toMatchObject({ spec: { ...sent, l: {} }, mismatches: [] });
  });

  test("a key may be called __proto__", () => {
    const sent = JSON.parse('{"m": {"__proto__": {"k": "v", "u": null}}}') as unknown;
    const { spec, unknown } = decoded(object({ m: map(object({ k: text })) }), sent);
    expect(JSON.stringify(spec)).toBe('{"m":{"__proto__":{"k":"v"}}}');
    expect(unknown).toEqual(["spec.m.__proto__.u"]);
  });
});

describe("objects read back as they were sent", () => {
  test("empty members and zero values stay", () => {
    const sent = { t: "", n: 0, b: false, l: [], m: {}, o: {} };
    const schema = object({ t: text, n: integer, b: { type: "boolean" }, l: list(text), m: map(text), o: object({}) });
    expect(decoded(schema, sent).spec).toEqual(sent);
  });

  test("integers keep their digits, whole numbers with a fraction are plain, others cannot be read", () => {
    const numbers = ["9223372036854775807", "19.0", "2e1", "9223372036854775808"].map((n) => new JsonNumber(n));
    const { spec, mismatches } = decoded(object({ l: list(integer), m: map(integer) }), {
      l: numbers,
      m: { a: new JsonNumber("1e400") },
    });
    expect(JSON.stringify((spec as { l: unknown }).l)).toBe("[9223372036854775807,19,20,9223372036854776000]");
    expect(mismatches).toEqual(["spec.m.a"]);
  });

  test("a clean object is the very object that came, with the same parts", () => {
    const spec = { a: { b: "x" }, l: [{ k: "v" }] };
    const whole = { ...clone(head), spec };
    const walker = walkerOf(object({ a: object({ b: text }), l: list(object({ k: text })) }));
    expect(walker.decode(whole, new DecodeReport())).toBe(whole);
    expect(whole.spec).toBe(spec);
  });
});

describe("CRD-41: null", () => {
  const schema = object({
    plain: text,
    withDefault: { type: "string", default: "y" },
    nullable: { type: "string", nullable: true },
    both: { type: "string", nullable: true, default: "x" },
    m: map(text),
    mn: map({ type: "string", nullable: true }),
    l: list(text),
    lo: list(object({ k: text })),
    any: open,
    others: map(true),
  });
  const sent = {
    plain: null,
    withDefault: null,
    nullable: null,
    both: null,
    m: { a: null },
    mn: { a: null },
    l: [null],
    lo: [{ k: null }],
    any: null,
    others: { a: null },
  };

  test("is dropped where it is not nullable and has no default; elements of lists stay", () => {
    const { plain: _, any: __, ...rest } = sent;
    expect(decoded(schema, sent).spec).toEqual({ ...rest, m: {}, lo: [{}] });
  });

  test("stays in what an apply made", () => {
    expect(decoded(schema, sent, true).spec).toEqual(sent);
  });

  test("counts as absent where there is a default, unless it is nullable", () => {
    const got = defaulted(schema, { withDefault: null, both: null, plain: null });
    expect(got).toEqual({ withDefault: "y", both: null, plain: null });
  });
});

describe("CRD-41: defaults", () => {
  const port: Structural = { type: "integer", default: 80 };

  test("are filled in below lists and maps, and below defaults", () => {
    const schema = object({
      list: list(object({ name: text, port, tags: { ...list(text), default: ["t"] } })),
      mm: map(map(object({ port }))),
      ll: list(list(object({ port }))),
      whole: { ...list(object({ k: text, port })), default: [{ k: "a" }, { k: "b", port: 1 }] },
    });
    const sent = { list: [{}, { port: 1, tags: [] }], mm: { x: { y: {} } }, ll: [[{}], []] };
    const expected = {
      list: [
        { port: 80, tags: ["t"] },
        { port: 1, tags: [] },
      ],
      mm: { x: { y: { port: 80 } } },
      ll: [[{ port: 80 }], []],
    };
    const whole = [
      { k: "a", port: 80 },
      { k: "b", port: 1 },
    ];
    expect(defaulted(schema, sent)).toEqual({ ...expected, whole });
    expect(defaulted(schema, { ...sent, whole: [] })).toEqual({ ...expected, whole: [] });
  });

  test("are copies", () => {
    const schema = object({ l: { ...list(text), default: ["t"] } });
    (defaulted(schema, {}) as { l: string[] }).l.push("u");
    expect(defaulted(schema, {})).toEqual({ l: ["t"] });
  });

  test("do not make a parent", () => {
    const schema = object({ a: object({ port }) });
    expect(defaulted(schema, {})).toEqual({});
    expect(defaulted(schema, { a: {} })).toEqual({ a: { port: 80 } });
  });

  test("take the place of null in maps and lists of their own", () => {
    const schema = object({ m: map(port), l: list(port) });
    expect(defaulted(schema, { m: { a: null, b: 1 }, l: [null, 1] })).toEqual({ m: { a: 80, b: 1 }, l: [80, 1] });
  });

  test("a value of another type has none", () => {
    const schema = object({ a: object({ port }), l: list(port) });
    expect(defaulted(schema, { a: [], l: {} })).toEqual({ a: [], l: {} });
  });
});

describe("CRD-44: metadata and embedded objects", () => {
  const template = object({ spec: open }, { "x-kubernetes-embedded-resource": true });
  const embedded = (value: unknown) => decoded(object({ template }), { template: value });

  test("unknown members of their metadata are dropped, the rest is read as metadata", () => {
    const sent = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: null, u: 1 }, spec: { x: 1 }, u: 1 };
    expect(embedded(sent)).toMatchObject({
      spec: { template: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { x: 1 } } },
      unknown: ["spec.template.metadata.u", "spec.template.u"],
      mismatches: [],
    });
  });

  test("malformed metadata, and an apiVersion or kind that is no text, cannot be read", () => {
    const sent = { apiVersion: 1, kind: null, metadata: { labels: { a: 1 } } };
    const paths = ["spec.template.apiVersion", "spec.template.kind", "spec.template.metadata.labels.a"];
    expect(embedded(sent).mismatches).toEqual(paths);
    expect(embedded({ apiVersion: "v1", kind: "Pod", metadata: "x" }).mismatches).toEqual(["spec.template.metadata"]);
  });

  test("metadata that is null is empty", () => {
    expect(embedded({ metadata: null }).spec).toEqual({ template: { metadata: {} } });
  });

  test("the object's own metadata is read as that of any other object", () => {
    const walker = structuralWalker(object({ metadata: object({ name: text }) }), kubernetes);
    const report = new DecodeReport();
    const sent = { ...head, metadata: { name: "w", labels: { a: "b" }, u: 1, creationTimestamp: null } };
    expect(walker.decode(sent, report).metadata).toEqual({ name: "w", labels: { a: "b" } });
    expect(report.unknown).toEqual(["metadata.u"]);
    walker.decode({ ...head, metadata: { annotations: { a: 1 } } }, report);
    expect(report.mismatches.map(({ path }) => path)).toEqual(["metadata.annotations.a"]);
  });
});

describe("reading what is stored", () => {
  const stored = (spec: unknown, metadata: object = { name: "w", generation: 1 }) =>
    ({ ...head, metadata, spec }) as never;
  const schema = object({ a: text, n: { type: "integer", default: 5 } });

  test("CRD-43: prunes and fills in defaults by the schema of today, and says whether anything changed", () => {
    const old = stored({ a: "x", gone: 1 });
    expect(walkerOf(schema).read!(old)).toBe(true);
    expect(old).toEqual({ ...head, metadata: { name: "w", generation: 1 }, spec: { a: "x", n: 5 } });
    expect(walkerOf(schema).read!(old)).toBe(false);
    expect(walkerOf(schema).read!(stored({ a: null, n: 1 }))).toBe(true);
  });
});

test("too many members or elements in one container are reported, also where the schema has nothing about them", () => {
  const many = Object.fromEntries(Array.from({ length: MAX_MEMBERS + 1 }, (_, i) => [`k${i}`, 1]));
  const schema = object({ m: map(integer), any: open, l: list(integer) });
  expect(decoded(schema, { m: many }).excess).toBe("spec.m");
  expect(decoded(schema, { any: { a: many } }).excess).toBe("spec.any.a");
  expect(decoded(schema, { l: Object.values(many) }).excess).toBe("spec.l");
});

test("the same schema gives the same walker, and nothing is printed that was not sent", () => {
  const schema = object({ spec: object({}) });
  const walker = structuralWalker(schema, kubernetes);
  expect(structuralWalker(schema, kubernetes)).toBe(walker);
  expect(walker.zero()).toEqual({ metadata: {} });
});
