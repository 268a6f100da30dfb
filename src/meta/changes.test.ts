import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePointer } from "../value/pointer.ts";
import { type Value, clone, equal, isObject, setMember } from "../value/value.ts";
import { changesBetween } from "./changes.ts";
import type { ReportedChange } from "./history-report.ts";

describe("the changes between two versions", () => {
  test("name members that came, went and are different, in the order of the objects", () => {
    const before = { spec: { a: 1, b: [1], c: { d: null } } };
    const after = { spec: { a: 2, c: { d: null, e: [] } }, status: "x" };
    expect(changesBetween(before, after)).toEqual([
      { op: "replace", pointer: "/spec/a", before: 1, after: 2 },
      { op: "remove", pointer: "/spec/b", before: [1] },
      { op: "add", pointer: "/spec/c/e", after: [] },
      { op: "add", pointer: "/status", after: "x" },
    ]);
  });

  test("leave out what changes with every write, and nothing of that name elsewhere", () => {
    const version = (n: number): Value => ({
      metadata: { resourceVersion: `${n}`, managedFields: [n], labels: { resourceVersion: `${n}` } },
      data: { metadata: { managedFields: n } },
    });
    expect(changesBetween(version(1), version(2)).map(({ pointer }) => pointer)).toEqual([
      "/metadata/labels/resourceVersion",
      "/data/metadata/managedFields",
    ]);
  });

  test.each<[string, Value[], Value[], ReportedChange[]]>([
    ["put in front", ["b", "c"], ["a", "b", "c"], [{ op: "add", pointer: "/0", after: "a" }]],
    ["removed from the middle", ["a", "b", "c"], ["a", "c"], [{ op: "remove", pointer: "/1", before: "b" }]],
    [
      "changed at its position",
      [{ x: 1 }, 2],
      [{ x: 3 }, 2],
      [{ op: "replace", pointer: "/0/x", before: 1, after: 3 }],
    ],
    ["added at the end", [1], [1, 1], [{ op: "add", pointer: "/1", after: 1 }]],
  ])("an item of a list that was %s is one change", (_how, before, after, expected) => {
    expect(changesBetween(before, after)).toEqual(expected);
  });

  test("have pointers, also for names that are special in pointers or in JavaScript", () => {
    const after = JSON.parse('{"a/b~c": 1, "__proto__": {"x": 1}}') as Value;
    expect(changesBetween({}, after).map(({ pointer }) => pointer)).toEqual(["/a~1b~0c", "/__proto__"]);
  });
});

/** Applies changes; removals last and in reverse order, so that other positions stay valid. */
function carryOut(before: Value, changes: readonly ReportedChange[]): Value {
  let root = clone(before);
  const removals = changes.filter(({ op }) => op === "remove").toReversed();
  for (const { op, pointer, after } of [...changes.filter((change) => change.op !== "remove"), ...removals]) {
    const path = parsePointer(pointer);
    if (path.length === 0) root = clone(after!);
    else {
      const last = path.pop()!;
      let at = root;
      for (const token of path) at = (at as Record<string, Value>)[token]!;
      if (Array.isArray(at)) at.splice(Number(last), op === "add" ? 0 : 1, ...(op === "remove" ? [] : [clone(after!)]));
      else if (op === "remove") delete (at as Record<string, Value>)[last];
      else setMember(at as object, last, clone(after!));
    }
  }
  return root;
}

const values = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Value>(null, true, 0, 1, "", "a"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c/d"), tie("value"), { noNullPrototype: true }),
  ),
})).value;

test("carrying out the changes makes the one of the other, and there are none between equals", () => {
  const sorted = (value: Value): Value => {
    if (Array.isArray(value)) return value.map(sorted);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.keys(value)
        .toSorted()
        .map((name) => [name, sorted(value[name]!)]),
    );
  };
  fc.assert(
    fc.property(values, values, (before, after) => {
      const changes = changesBetween(before, after);
      expect(sorted(carryOut(before, changes))).toEqual(sorted(after));
      expect(changes.length === 0).toBe(equal(before, after));
    }),
    { numRuns: 1000 },
  );
});
