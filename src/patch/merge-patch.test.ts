import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equal, isObject, setMember, type Value, type ValueObject } from "../value/value.ts";
import { applyMergePatch } from "./merge-patch.ts";

const value = fc.jsonValue() as fc.Arbitrary<Value>;

/** Returns the patch that changes `source` to `target`, for targets without null members. */
function diff(source: Value, target: Value): Value {
  if (!isObject(source) || !isObject(target)) return target;
  const patch: ValueObject = {};
  for (const key of Object.keys(source)) if (!Object.hasOwn(target, key)) setMember(patch, key, null);
  for (const key of Object.keys(target)) {
    const before = Object.hasOwn(source, key) ? source[key]! : undefined;
    if (before === undefined || !equal(before, target[key])) setMember(patch, key, diff(before ?? null, target[key]!));
  }
  return patch;
}

function withoutNullMembers(given: Value): Value {
  if (Array.isArray(given) || !isObject(given)) return given;
  const kept: ValueObject = {};
  for (const key of Object.keys(given)) if (given[key] !== null) setMember(kept, key, withoutNullMembers(given[key]!));
  return kept;
}

describe("RFC 7386, appendix A", () => {
  test.each<[Value, Value, Value]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("%j patched by %j is %j", (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toEqual(result);
  });
});

test("lists are replaced whole, with the nulls in them", () => {
  expect(applyMergePatch({ a: [1, 2] }, { a: [null, { b: null }] })).toEqual({ a: [null, { b: null }] });
});

test("lists are brought without the nulls of their objects where that is asked for, as elements they stay", () => {
  const patch = { a: [null, { b: null, c: [{ d: null }] }], e: { f: [{ g: null }] } };
  const pruned = { a: [null, { c: [{}] }], e: { f: [{}] } };
  expect(applyMergePatch({ a: [1, 2] }, patch, true)).toEqual(pruned);
  expect(applyMergePatch({ a: { b: 1 } }, patch, true)).toEqual({ ...pruned, a: patch.a });
});

test("a generated difference leads from any value to any other", () => {
  fc.assert(
    fc.property(value, value, (source, given) => {
      const target = withoutNullMembers(given);
      expect(equal(applyMergePatch(source, diff(source, target)), target)).toBe(true);
    }),
  );
});

test("a patch that was applied changes nothing more", () => {
  fc.assert(
    fc.property(value, value, (target, patch) => {
      const once = applyMergePatch(target, patch);
      expect(equal(applyMergePatch(once, patch), once)).toBe(true);
    }),
  );
});

test("neither argument is modified", () => {
  fc.assert(
    fc.property(value, value, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      applyMergePatch(target, patch);
      expect(JSON.stringify([target, patch])).toBe(before);
    }),
  );
});

test("what does not change is shared", () => {
  const target = { a: { b: 1 }, c: { d: 1 } };
  expect((applyMergePatch(target, { c: { d: 2 } }) as typeof target).a).toBe(target.a);
  expect(applyMergePatch(target, { a: { b: 1 }, e: null })).toBe(target);
});

test("CVE-2021-4279 class: keys of the prototype are members", () => {
  const patch = JSON.parse(
    '{"data":{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"toString":null,"then":"v"}}',
  ) as Value;
  const result = applyMergePatch({ data: { toString: "v", length: "v" } }, patch);
  expect(JSON.stringify(result)).toBe(
    '{"data":{"length":"v","__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"then":"v"}}',
  );
  expect(
    JSON.stringify(applyMergePatch(result, JSON.parse('{"data":{"__proto__":null,"constructor":null}}') as Value)),
  ).toBe('{"data":{"length":"v","then":"v"}}');
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});
