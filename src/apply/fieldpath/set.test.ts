import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareText,
  difference,
  elementToString,
  EMPTY,
  excludeFilter,
  FieldsError,
  has,
  intersection,
  isEmpty,
  keyElement,
  leaves,
  parseFields,
  paths,
  pathToString,
  recursiveDifference,
  sameSet,
  SetBuilder,
  setOf,
  size,
  toFieldsV1,
  union,
  unionAll,
  valueElement,
  withPrefix,
} from "./index.ts";
import { canonicalElement } from "./element.ts";
import type { FieldSet, Path, PathElement } from "./index.ts";

const element: fc.Arbitrary<PathElement> = fc.constantFrom("f:a", "f:b", "f:__proto__", 'k:{"k":1}', 'v:"x"', "i:3");
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const listed = fc.array(path, { maxLength: 8 });

const text = (one: Path): string => one.join(" ");
const flat = (set: FieldSet): string[] => paths(set).map(text).sort();
const model = (all: readonly Path[]): Set<string> => new Set(all.map(text));
const sorted = (all: Iterable<string>): string[] => [...all].sort();

test("sets have exactly the paths they are built from", () => {
  fc.assert(
    fc.property(listed, path, (all, one) => {
      const set = setOf(...all);
      expect(flat(set)).toEqual(sorted(model(all)));
      expect(size(set)).toBe(model(all).size);
      expect(has(set, one)).toBe(model(all).has(text(one)));
      expect(isEmpty(set)).toBe(all.length === 0);
    }),
  );
});

test("union, intersection and difference are those of sets of paths", () => {
  fc.assert(
    fc.property(listed, listed, (x, y) => {
      const [a, b, ma, mb] = [setOf(...x), setOf(...y), model(x), model(y)];
      expect(flat(union(a, b))).toEqual(sorted(new Set([...ma, ...mb])));
      expect(flat(intersection(a, b))).toEqual(sorted(ma).filter((one) => mb.has(one)));
      expect(flat(difference(a, b))).toEqual(sorted(ma).filter((one) => !mb.has(one)));
      expect(sameSet(a, b)).toBe(ma.size === mb.size && sorted(ma).every((one) => mb.has(one)));
    }),
  );
});

test("the union of many sets is that of one after the other", () => {
  fc.assert(
    fc.property(fc.array(listed, { maxLength: 6 }), (lists) => {
      const sets = lists.map((list) => setOf(...list));
      const all = unionAll(sets);
      expect(sameSet(all, sets.reduce(union, EMPTY))).toBe(true);
      expect(flat(all)).toEqual(sorted(model(lists.flat())));
    }),
  );
});

test("the recursive difference also drops what is below a path", () => {
  fc.assert(
    fc.property(listed, listed, (x, y) => {
      const below = (one: Path): boolean => y.some((p) => text(one).startsWith(text(p) + " ") || text(one) === text(p));
      const expected = sorted(model(x.filter((one) => !below(one))));
      expect(flat(recursiveDifference(setOf(...x), setOf(...y)))).toEqual(expected);
      expect(flat(excludeFilter(setOf(...y))(setOf(...x)))).toEqual(expected);
    }),
  );
});

test("leaves have no other path of the set below them", () => {
  fc.assert(
    fc.property(listed, (x) => {
      const isLeaf = (one: Path): boolean => !x.some((p) => text(p).startsWith(text(one) + " "));
      expect(flat(leaves(setOf(...x)))).toEqual(sorted(model(x.filter(isLeaf))));
    }),
  );
});

test("what is below an element is a set of its own", () => {
  fc.assert(
    fc.property(listed, element, (x, first) => {
      const expected = x.filter((p) => p[0] === first && p.length > 1).map((p) => p.slice(1));
      expect(flat(withPrefix(setOf(...x), first))).toEqual(sorted(model(expected)));
    }),
  );
});

test("operations give back an operand that they do not change", () => {
  fc.assert(
    fc.property(listed, (x) => {
      const a = setOf(...x);
      expect(union(a, setOf(...x))).toBe(a);
      expect(union(a, EMPTY)).toBe(a);
      expect(difference(a, setOf(["f:other"]))).toBe(x.length === 0 ? EMPTY : a);
    }),
  );
});

test("a builder returns the set of the inserted paths, in any order", () => {
  fc.assert(
    fc.property(listed, (x) => {
      const builder = new SetBuilder();
      for (const one of x) builder.insert(one, one.length);
      expect(flat(builder.build())).toEqual(sorted(model(x)));
    }),
  );
});

test("a tree that is written and read is the same set, in one order", () => {
  fc.assert(
    fc.property(listed, (x) => {
      const set = setOf(...x);
      const json = JSON.stringify(toFieldsV1(set));
      expect(JSON.stringify(toFieldsV1(setOf(...x.toReversed())))).toBe(json);
      expect(sameSet(parseFields(JSON.parse(json)), set)).toBe(true);
    }),
  );
});

test("reading a canonical tree returns the tree itself, also the second time", () => {
  const tree: unknown = JSON.parse('{"f:a":{".":{},"f:b":{}},"f:c":{}}');
  expect(parseFields(tree)).toBe(tree);
  expect(parseFields(tree)).toBe(tree);
});

test("reading puts right what is not canonical and leaves out what is unknown", () => {
  const read = (tree: string): string => JSON.stringify(parseFields(JSON.parse(tree)));
  expect(read('{"f:a":{".":{"x":1}},"f:b":{"z:1":{}}}')).toBe('{"f:a":{},"f:b":{}}');
  expect(read('{".":{},"k:{ \\"b\\" : 1 , \\"a\\" : \\"<\\" }":{}}')).toBe(
    '{"k:{\\"a\\":\\"\\\\u003c\\",\\"b\\":1}":{}}',
  );
  expect(read('{"v: 1.50":{},"i:007":{}}')).toBe('{"v:1.5":{},"i:7":{}}');
});

test("a tree that is none is refused with our own error, however it is broken", () => {
  for (const tree of [
    '{"a":{}}',
    '{"f":{}}',
    '{"k:":{}}',
    '{"k:1":{}}',
    '{"v:x":{}}',
    '{"i:1.5":{}}',
    '{"f:a":[]}',
    '"x"',
  ]) {
    expect(() => parseFields(JSON.parse(tree))).toThrow(FieldsError);
  }
  let deep: unknown = {};
  for (let i = 0; i < 10_000; i++) deep = { "f:a": deep };
  expect(() => parseFields(deep)).toThrow("at most 2500 levels");
  fc.assert(
    fc.property(fc.jsonValue(), (tree) => {
      expect(errorOf(() => parseFields(tree)) ?? new FieldsError()).toBeInstanceOf(FieldsError);
    }),
  );
});

function errorOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("trees list fields, keys, values and indexes, each sorted by content", () => {
  const members = [
    "f:b",
    "f:a",
    "f:\u{1F600}",
    "f:\uFF5E",
    'k:{"k":"b"}',
    'k:{"k":10}',
    'k:{"k":9}',
    'k:{"a":1,"k":1}',
    "v:true",
    'v:"a"',
    "v:10",
    "v:9",
    "v:1.5",
    "v:false",
    "i:10",
    "i:9",
  ];
  expect(Object.keys(toFieldsV1(setOf(...members.map((one) => [one]))))).toEqual([
    "f:a",
    "f:b",
    "f:\uFF5E",
    "f:\u{1F600}",
    'k:{"a":1,"k":1}',
    'k:{"k":9}',
    'k:{"k":10}',
    'k:{"k":"b"}',
    "v:1.5",
    "v:9",
    "v:10",
    'v:"a"',
    "v:false",
    "v:true",
    "i:9",
    "i:10",
  ]);
});

test("DEC-20: paths read as in conflicts", () => {
  expect(pathToString(["f:data", "f:k"])).toBe(".data.k");
  expect(pathToString(["f:spec", "f:drivers", keyElement(["name"], ["d1"]), "f:nodeID"])).toBe(
    '.spec.drivers[name="d1"].nodeID',
  );
  expect(pathToString(["f:metadata", "f:finalizers", valueElement("x")])).toBe('.metadata.finalizers[="x"]');
  expect(pathToString(["f:ports", keyElement(["port", "protocol"], [80, "TCP"]), "i:2"])).toBe(
    '.ports[port=80,protocol="TCP"][2]',
  );
  expect(elementToString("nonsense")).toBe("{nonsense}");
});

test("elements are written as the original writes them", () => {
  expect(valueElement('<&>\u2028\b\f\n"\\b')).toBe('v:"\\u003c\\u0026\\u003e\\u2028\\u0008\\u000c\\n\\"\\\\b"');
  expect(valueElement("é😀")).toBe('v:"é😀"');
  expect(keyElement(["a"], [{ b: 1, a: [true, null] }])).toBe('k:{"a":{"a":[true,null],"b":1}}');
});

test("texts are compared by code point", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test.each(["k:null", "k:1", "k:[1]", "k:{", "v:{", "i:x", "x:a", "f"])("%s is no element", (wrong) => {
  expect(canonicalElement(wrong)).toBeUndefined();
});
