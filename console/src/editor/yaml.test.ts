import { describe, expect, test } from "vitest";
import { MAX_LENGTH } from "../api/yaml-limits.ts";
import { documentsOf, MAX_DOCUMENTS } from "../api/yaml-parse.ts";

const values = (text: string): unknown => documentsOf(text).map(({ value }) => value);

describe("documents of a text", () => {
  test("several documents, of which empty ones are left out", () => {
    expect(documentsOf("---\na: 1\n---\n# nothing\n---\nb: 2\n", "x.yaml")).toEqual([
      { value: { a: 1 }, from: "x.yaml, document 1" },
      { value: { b: 2 }, from: "x.yaml, document 3" },
    ]);
    expect([values(""), values("# only a comment")]).toEqual([[], []]);
  });
  test("YAML 1.1 as the server reads it, and JSON", () => {
    expect(values("{on: yes, n: 0o7, t: 2026-01-01, s: '1'}")).toMatchObject([{ true: true, s: "1" }]);
    expect(values('{"a": [1, null, "x"]}')).toEqual([{ a: [1, null, "x"] }]);
  });
  test("lists are their items, and items of a typed list have its kind", () => {
    const list = "{kind: PodList, apiVersion: v1, items: [{metadata: {name: a}}]}";
    expect(documentsOf(list)).toEqual([
      { value: { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } }, from: "the text, item 1" },
    ]);
    expect(values("{kind: List, items: [{kind: List, items: [{a: 1}]}, {b: 2}]}")).toEqual([{ a: 1 }, { b: 2 }]);
  });
  test("an integer that no double holds keeps its digits", () => {
    const [document] = documentsOf("{a: 9007199254740993, b: 5}");
    expect(JSON.stringify(document!.value)).toBe('{"a":9007199254740993,"b":5}');
  });
  test("a member named __proto__ is data", () => {
    const [document] = documentsOf('{"__proto__": {"x": 1}}');
    expect(JSON.stringify(document!.value)).toBe('{"__proto__":{"x":1}}');
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("what is refused", () => {
  test.each([
    ["a: [1", /^the text: /],
    ["a: 1\na: 2", /^the text: Map keys must be unique/],
    ["a: 1\n---\n{", /^document 2: /],
    [`a: &a [${"x,".repeat(50)}]\nb: &b [${"*a,".repeat(50)}]\nc: [${"*b,".repeat(50)}]`, /Excessive alias count/],
    ["*x", /Unresolved alias/],
  ])("the text %s", (text, message) => {
    expect(() => documentsOf(text)).toThrow(message);
  });
  test("a text that is too long, and too many documents", () => {
    expect(() => documentsOf("#".repeat(MAX_LENGTH + 1))).toThrow(/^expected at most 3145728 characters/);
    expect(() => documentsOf("a: 1\n---\n".repeat(MAX_DOCUMENTS + 1))).toThrow(/^expected at most 4096 documents/);
  });
});
