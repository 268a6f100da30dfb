import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Dialect, kubernetes, neutral } from "../meta/dialect.ts";
import {
  type TSchema,
  always,
  anything,
  atomicList,
  bool,
  bytes,
  int32,
  int64,
  intOrString,
  keyedList,
  map,
  microTime,
  nullable,
  optional,
  pointer,
  quantity,
  required,
  struct,
  text,
  time,
} from "../meta/types.ts";
import { JsonNumber, type Value, clone } from "../value/value.ts";
import { DecodeReport, compileWalker } from "./walker.ts";

const inner = struct("An inner struct.", {
  name: required(text()),
  flag: optional(bool()),
  kept: pointer(bool()),
  level: pointer(int32(undefined, { default: 7 })),
});

const schema = struct("Everything there is.", {
  apiVersion: optional(text()),
  kind: optional(text()),
  metadata: always(struct("Metadata.", { labels: optional(map(text())), name: optional(text()) })),
  data: optional(map(bytes())),
  count: optional(int32()),
  big: optional(int64()),
  size: optional(quantity()),
  sizes: optional(map(quantity())),
  when: optional(time()),
  exactly: pointer(microTime()),
  last: nullable(time()),
  port: pointer(intOrString()),
  list: optional(atomicList(text())),
  always: always(atomicList(text())),
  nulls: nullable(atomicList(text())),
  must: required(text()),
  inner: optional(inner),
  items: optional(keyedList(inner, ["name"])),
  byName: optional(map(inner)),
  any: optional(anything()),
  policy: optional(text(undefined, { default: "Delete" })),
});

function decode(value: unknown, dialect: Dialect = neutral, of: TSchema = schema) {
  const walker = compileWalker(of, { dialect });
  const report = new DecodeReport();
  const object = walker.decode(value, report) as unknown as Record<string, unknown>;
  return { object, unknown: report.unknown, mismatches: report.mismatches, walker };
}

/** The wire form of one member; members that are always present are left out. */
function member(name: string, value: unknown, dialect: Dialect = neutral): unknown {
  const { object, mismatches } = decode({ [name]: value }, dialect);
  expect(mismatches).toEqual([]);
  return object[name];
}

const mismatch = (name: string, value: unknown, dialect: Dialect = neutral): string[] =>
  decode({ [name]: value }, dialect).mismatches.map((m) => m.path);

describe("CONV-2: JSON types", () => {
  test.each([
    ["must", 5],
    ["must", {}],
    ["count", "5"],
    ["count", 1.5],
    ["count", 2147483648],
    ["count", true],
    ["big", 2 ** 53],
    ["inner", []],
    ["inner", "x"],
    ["list", {}],
    ["data", []],
    ["port", 1.5],
    ["port", true],
    ["size", true],
    ["size", "1 Gi"],
    ["when", 5],
    ["when", ""],
    ["when", "2024-01-01"],
    ["last", "never"],
  ])("%s may not be %j", (name, value) => {
    expect(mismatch(name, value)).toEqual([name]);
  });

  test.each(["9007199254740993", "9223372036854775807", "-9223372036854775808"])(
    "an integer of 64 bits keeps its digits: %s",
    (digits) => {
      expect(member("big", new JsonNumber(digits))).toEqual(new JsonNumber(digits));
      expect(mismatch("count", new JsonNumber(digits))).toEqual(["count"]);
    },
  );

  test.each(["9223372036854775808", "-9223372036854775809", "1".repeat(100_000)])(
    "%.20s has more than 64 bits",
    (digits) => {
      expect(mismatch("big", new JsonNumber(digits))).toEqual(["big"]);
    },
  );

  test("a number that was written with a fraction or an exponent is no integer", () => {
    expect(mismatch("count", new JsonNumber("19.0"))).toEqual(["count"]);
    expect(mismatch("big", new JsonNumber("2e1"))).toEqual(["big"]);
    expect(member("size", new JsonNumber("1.5e3"))).toBe("1500");
  });

  test("a mismatch is reported with its path, what was expected and what was found", () => {
    const { mismatches } = decode({ items: [{ name: "a" }, { name: 5 }], byName: { "a.b": { name: [] } } });
    expect(mismatches).toEqual([
      { path: "items[1].name", expected: "a string", got: "a number", type: "number" },
      { path: "byName.a.b.name", expected: "a string", got: "a list", type: "array" },
    ]);
  });

  test("a mismatch does not tell a value that may have been meant to be secret", () => {
    const report = new DecodeReport();
    report.mismatch("padded base64", "c2VjcmV0!");
    report.mismatch("a string", 123456);
    report.mismatch("an integer", "x".repeat(100), true);
    expect(report.mismatches.map((m) => m.got)).toEqual(["a text", "a number", `the text "${"x".repeat(59)}…`]);
  });

  test("a body that is no object is a mismatch without a path", () => {
    for (const body of [null, 5, "x", []]) expect(decode(body).mismatches.map((m) => m.path)).toEqual([""]);
  });
});

describe("unknown members", () => {
  test("are dropped and told with their paths", () => {
    const body = { x: 1, inner: { y: 2, name: "n" }, items: [{ name: "a", z: 1 }], metadata: { labels: { any: "x" } } };
    const { object, unknown } = decode(body);
    expect(unknown).toEqual(["x", "inner.y", "items[0].z"]);
    expect(object).not.toHaveProperty("x");
    expect(object["inner"]).toEqual({ name: "n" });
    expect(object["metadata"]).toEqual({ labels: { any: "x" } });
  });

  test("are reported a hundred times at most", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`m${i}`, i]));
    const { object, unknown } = decode(many);
    expect(unknown).toHaveLength(100);
    expect(object).not.toHaveProperty("m999");
  });

  test("may be called like what every object has", () => {
    const body = JSON.parse('{"__proto__": 1, "constructor": 2, "metadata": {"labels": {"__proto__": "x"}}}') as object;
    const { object, unknown } = decode(body);
    expect(unknown).toEqual(["__proto__", "constructor"]);
    expect(JSON.stringify(object["metadata"])).toBe('{"labels":{"__proto__":"x"}}');
  });

  test("stay in an open struct", () => {
    const open = { ...schema, properties: {}, "x-kubernetes-preserve-unknown-fields": true } as unknown as TSchema;
    expect(decode({ x: { y: [1] } }, neutral, open)).toMatchObject({ object: { x: { y: [1] } }, unknown: [] });
  });
});

describe("presence", () => {
  test("empty members are left out, pointers are kept, and what is always there is there", () => {
    const body = { count: 0, list: [], data: {}, policy: "", inner: { name: "", flag: false, kept: false } };
    expect(decode(body).object).toEqual({ metadata: {}, must: "", inner: { name: "", kept: false } });
  });

  test("an empty struct is kept when it was sent", () => {
    expect(member("inner", {})).toEqual({ name: "" });
    expect(decode({}).object).not.toHaveProperty("inner");
  });

  test("DEC-45: unset members that are always printed are null only where typed clients print so", () => {
    expect(decode({}, kubernetes).object).toEqual({ metadata: {}, must: "", always: null, nulls: null, last: null });
    expect(decode({ always: [] }).object["always"]).toEqual([]);
  });

  test("DEC-45: an empty list that is always printed reads back as null where typed clients store it", () => {
    for (const dialect of [neutral, kubernetes]) {
      const { object, walker } = decode({ always: [], nulls: [], list: ["a"] }, dialect);
      expect(object).toMatchObject({ always: [], nulls: [] });
      walker.normalise(object as never);
      const empty = dialect === kubernetes ? null : [];
      expect(object).toMatchObject({ always: empty, nulls: empty, list: ["a"] });
    }
  });

  test("null stands for absent in a struct, and for the zero value in lists and maps", () => {
    const body = {
      count: null,
      inner: null,
      list: null,
      must: null,
      metadata: null,
      last: null,
      data: { k: null },
      items: [null],
      sizes: { s: null },
      byName: { n: null },
    };
    expect(decode(body).object).toEqual({
      metadata: {},
      must: "",
      data: { k: "" },
      items: [{ name: "" }],
      sizes: { s: "0" },
      byName: { n: { name: "" } },
    });
    expect(member("list", ["a", null])).toEqual(["a", ""]);
  });

  test("the zero value is what an empty body is", () => {
    expect(compileWalker(schema, { dialect: neutral }).zero()).toEqual({ metadata: {}, must: "" });
  });
});

describe("canonical forms", () => {
  test("DEC-9: quantities are canonical, in lists and maps too", () => {
    expect(member("size", "1024Mi")).toBe("1Gi");
    expect(member("size", 1000)).toBe("1k");
    expect(member("sizes", { storage: "0.5" })).toEqual({ storage: "500m" });
    expect(member("size", "+5Gi", kubernetes)).toBe("+5Gi");
  });

  test("DEC-5: times are canonical, and year 1 is no time", () => {
    expect(member("when", "2024-01-01T02:00:00.5+02:00")).toBe("2024-01-01T00:00:00Z");
    expect(member("when", "0001-01-01T00:00:00Z")).toBeUndefined();
    expect(member("last", "0001-01-01T00:00:00Z", kubernetes)).toBeNull();
    expect(member("exactly", "0001-01-01T00:00:00.000000Z", kubernetes)).toBeNull();
    expect(member("exactly", "0001-01-01T00:00:00.000000Z")).toBeUndefined();
    expect(member("exactly", "2024-01-01T00:00:00.5Z")).toBe("2024-01-01T00:00:00.500000Z");
    expect(mismatch("exactly", "2024-01-01T00:00:00.5Z", kubernetes)).toEqual(["exactly"]);
  });

  test.each([
    ["dg==", "dg=="],
    ["", ""],
    ["AP/+", "AP/+"],
    ["dh==", "dg=="],
    ["dmF=", "dmE="],
    ["d\r\ng==\n", "dg=="],
    [[], ""],
    [[118], "dg=="],
    [[118, null], "dgA="],
  ])("DEC-13: bytes %j are stored as %j", (sent, stored) => {
    expect(member("data", { k: sent })).toEqual({ k: stored });
  });

  test.each(["dg", "dg=", "d g==", "AP_-", "!!", "dg===", "dg==dg==", 5, true, {}, ["dg=="], [256], [-1], [1.5]])(
    "DEC-13: bytes may not be %j",
    (sent) => {
      expect(mismatch("data", { k: sent })).toEqual(["data.k"]);
    },
  );
});

describe("defaults of the schema", () => {
  const apply = (value: object) => {
    const { object, walker } = decode(value);
    walker.applyDefaults(object as never);
    return object;
  };

  test("go to absent members, inside structs only where these are", () => {
    expect(apply({})).toEqual({ metadata: {}, must: "", policy: "Delete" });
    expect(apply({ policy: "", inner: {} })).toMatchObject({ policy: "Delete", inner: { level: 7 } });
    expect(apply({ items: [{ name: "a" }], byName: { b: { level: 0 } } })).toMatchObject({
      items: [{ name: "a", level: 7 }],
      byName: { b: { level: 0 } },
    });
  });

  test("are found in types that contain themselves", () => {
    const node: Record<string, unknown> = {
      type: "object",
      properties: { color: { type: "string", default: "red" } },
    };
    (node["properties"] as Record<string, unknown>)["next"] = { type: "array", items: node };
    const walker = compileWalker(node as unknown as TSchema, { dialect: neutral });
    const chain = { next: [{ next: [{}] }] };
    walker.applyDefaults(chain as never);
    expect(chain).toEqual({ color: "red", next: [{ color: "red", next: [{ color: "red" }] }] });
  });

  test("replace nothing that was sent", () => {
    expect(apply({ policy: "Retain", inner: { level: 1 } })).toMatchObject({ policy: "Retain", inner: { level: 1 } });
  });
});

const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, "", "x", 0, 5, -1, 1.5, true, false, "1Gi", "1024Mi", "2024-01-01T00:00:00Z", "dg=="),
  fc.constantFrom<unknown>("2024-01-01T00:00:00.123456Z", [], {}, ["x"], { k: "dg==" }, [118], "0.5"),
);
const names = [
  ...Object.keys((schema as unknown as { properties: object }).properties),
  "name",
  "flag",
  "kept",
  "level",
  "labels",
  "__proto__",
];
const body = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    { arbitrary: scalar, weight: 3 },
    { arbitrary: fc.array(tie("value"), { maxLength: 3 }), weight: 1 },
    { arbitrary: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 6 }), weight: 3 },
  ),
})).value;

describe("properties", () => {
  test("no JSON makes it throw, and what has no mismatch is decoded to itself", () => {
    for (const dialect of [neutral, kubernetes]) {
      const walker = compileWalker(schema, { dialect });
      fc.assert(
        fc.property(fc.oneof(body, fc.jsonValue()), (sent) => {
          const report = new DecodeReport();
          const object = walker.decode(clone(sent as Value), report);
          walker.applyDefaults(object);
          if (report.mismatches.length > 0) return;
          const again = new DecodeReport();
          const copy = walker.decode(clone(object as unknown as Value), again);
          walker.applyDefaults(copy);
          expect(copy).toEqual(object);
          expect(again.unknown).toEqual([]);
          expect(again.mismatches).toEqual([]);
        }),
        { numRuns: 500 },
      );
    }
  });

  test("an object in wire form costs no allocation", () => {
    const walker = compileWalker(schema, { dialect: neutral });
    const report = new DecodeReport();
    const { object } = decode({
      metadata: { name: "n", labels: { a: "b", c: "d" } },
      data: { k: "dg==" },
      size: "1Gi",
      when: "2024-01-01T00:00:00Z",
      list: ["a", "b"],
      items: [{ name: "a" }, { name: "b", flag: true }],
      byName: { x: { name: "y" } },
    });
    const rounds = 2000;
    const bytesPerDecode = (): number => {
      const before = process.memoryUsage().heapUsed;
      for (let i = 0; i < rounds; i++) walker.decode(object, report);
      return (process.memoryUsage().heapUsed - before) / rounds;
    };
    // The first rounds compile, and a garbage collection in between makes a round count less than nothing.
    const measured = Array.from({ length: 40 }, bytesPerDecode).filter((bytesEach) => bytesEach >= 0);
    expect(Math.min(...measured)).toBeLessThan(32);
  });
});
