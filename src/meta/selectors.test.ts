import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasReason } from "./status.ts";
import { labelSelectorOf, parseFieldSelector, parseLabelSelector } from "./selectors.ts";

const refused = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (hasReason(error, "BadRequest")) return error.message;
    throw error;
  }
  return "it was taken";
};

describe("DEC-25: label selectors", () => {
  test.each([
    ["a=b", { a: "b" }, true],
    ["a=b", { a: "c" }, false],
    ["a=b", {}, false],
    ["a==b", { a: "b" }, true],
    ["a=", { a: "" }, true],
    ["a=", {}, false],
    ["a!=b", { a: "c" }, true],
    ["a!=b", {}, true],
    ["a!=b", { a: "b" }, false],
    ["a", { a: "" }, true],
    ["a", {}, false],
    ["!a", {}, true],
    ["!a", { a: "" }, false],
    ["a in (b, c)", { a: "c" }, true],
    ["a in (b,c)", { a: "d" }, false],
    ["a in (b,)", { a: "" }, true],
    ["a notin (b,c)", {}, true],
    ["a notin (b,c)", { a: "c" }, false],
    ["a>4", { a: "5" }, true],
    ["a>5", { a: "5" }, false],
    ["a<5", { a: "4" }, true],
    ["a<5", { a: "x" }, false],
    ["a<5", {}, false],
    ["a=b,c", { a: "b", c: "d" }, true],
    ["a=b,c", { a: "b" }, false],
    ["x.io/a=b", { "x.io/a": "b" }, true],
    ["in", { in: "" }, true],
    ["a in ()", { a: "" }, true],
    ["a in ()", { a: "b" }, false],
    ["notin in (in)", { notin: "in" }, true],
    ["", {}, true],
    ["  ", { a: "b" }, true],
    ["toString", {}, false],
    ["!constructor", {}, true],
  ])("%j of %j is %j", (text, labels, fits) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(fits);
  });

  test.each([
    "a=b,",
    ",a",
    "a b",
    "=b",
    "a=b=c",
    "a in",
    "a in b",
    "a in (b",
    "a in (b c)",
    "!",
    "!a=b",
    "a>x",
    "a>",
    "a=-b",
    "-a=b",
    "a/b/c",
    "a=b c",
    "(a)",
    "a=(b)",
    `a=${"x".repeat(64)}`,
  ])("%j is refused with a message", (text) => {
    expect(refused(() => parseLabelSelector(text))).toMatch(/expected|must/);
  });

  test("equal selectors have the same text and pairs for an index", () => {
    const one = parseLabelSelector("b in (y,x), a = 1, !c");
    const other = parseLabelSelector("a==1,!c,b in (x,y)");
    expect(one.text).toBe("a=1,b in (x,y),!c");
    expect(other.text).toBe(one.text);
    expect(one.equalityPairs).toEqual([["a", "1"]]);
  });

  test("the text of a selector reads as the same selector", () => {
    const word = fc.stringMatching(/^[a-z]{1,3}$/);
    const requirement = fc.oneof(
      fc.record({
        key: word,
        operator: fc.constantFrom("in", "notin"),
        values: fc.array(fc.oneof(word, fc.constant("")), { minLength: 1 }),
      }),
      fc.record({ key: word, operator: fc.constantFrom("exists", "!"), values: fc.constant([]) }),
      fc.record({
        key: word,
        operator: fc.constantFrom("gt", "lt"),
        values: fc.tuple(fc.nat().map(String)),
      }),
    );
    const labels = fc.dictionary(word, fc.oneof(word, fc.nat().map(String), fc.constant("")));
    fc.assert(
      fc.property(fc.array(requirement), labels, (requirements, some) => {
        const selector = labelSelectorOf(requirements as Parameters<typeof labelSelectorOf>[0]);
        const again = parseLabelSelector(selector.text);
        expect(again.text).toBe(selector.text);
        expect(again.matches(some)).toBe(selector.matches(some));
      }),
    );
  });

  test("the requirements of one label are combined, and mean the same as each of them alone", () => {
    const word = fc.constantFrom("a", "b", "c", "1", "7");
    const term = fc.oneof(
      fc.tuple(word, fc.constantFrom("=", "!="), word).map((parts) => parts.join("")),
      fc
        .tuple(word, fc.constantFrom("in", "notin"), fc.array(word, { minLength: 1 }))
        .map(([key, operator, values]) => `${key} ${operator} (${values.join(",")})`),
      fc.tuple(word, fc.constantFrom(">", "<"), fc.nat({ max: 9 })).map((parts) => parts.join("")),
      fc.tuple(fc.constantFrom("", "!"), word).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(fc.array(term, { maxLength: 12 }), fc.dictionary(word, word), (terms, labels) => {
        const each = terms.every((one) => parseLabelSelector(one).matches(labels));
        expect(parseLabelSelector(terms.join(",")).matches(labels)).toBe(each);
        expect(parseLabelSelector([...terms, ...terms].join(",")).text).toBe(parseLabelSelector(terms.join(",")).text);
      }),
    );
  });

  const many = (count: number, one: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => one(i)).join(",");

  test.each([many(10_001, () => "a"), `a in (${many(65_537, String)})`, "\\".repeat(65_536)])(
    "a text that takes long to read is refused",
    async (text) => {
      const read = text.startsWith("\\") ? parseFieldSelector : parseLabelSelector;
      expect(refused(() => read(text))).toContain("expected at most 10000 requirements");
    },
  );

  test("an error does not repeat a long text", () => {
    for (const text of [`a,${"b".repeat(1e6)}`, `a=${"b".repeat(1e6)}`, `a ${"b".repeat(1e6)}`])
      expect(refused(() => parseLabelSelector(text)).length).toBeLessThan(1000);
    expect(refused(() => parseFieldSelector("b".repeat(1e6))).length).toBeLessThan(1000);
  });

  test("no text makes it throw anything but a 400", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from("ab1 =!(),<>in-\\")) }), (text) => {
        expect(refused(() => parseLabelSelector(text))).toMatch(/expected|must|it was taken/);
        expect(refused(() => parseFieldSelector(text))).toMatch(/expected|it was taken/);
      }),
    );
  });
});

describe("DEC-25: field selectors", () => {
  const object: Record<string, string> = { "metadata.name": "x", type: "a,b=c\\d" };
  const read = (field: string): string => object[field] ?? "";

  test.each([
    ["metadata.name=x", true],
    ["metadata.name==x", true],
    ["metadata.name!=x", false],
    ["metadata.name=y", false],
    ["metadata.name!=y", true],
    ["metadata.name=x,type!=z", true],
    [String.raw`type=a\,b\=c\\d`, true],
    ["other=", true],
    [",metadata.name=x,", true],
    ["", true],
  ])("%j is %j", (text, fits) => {
    expect(parseFieldSelector(text).matches(read)).toBe(fits);
  });

  test.each(["metadata.name", "a!b", String.raw`a=\x`, "a=b\\", "a=b=c"])("%j is refused", (text) => {
    expect(refused(() => parseFieldSelector(text))).toMatch(/expected/);
  });

  test("terms are returned with the pairs for an index and in one order", () => {
    const selector = parseFieldSelector(String.raw`type!=b,metadata.name=a\,b`);
    expect(selector.text).toBe(String.raw`metadata.name=a\,b,type!=b`);
    expect([...selector.fields].map(([field, { only }]) => [field, only])).toEqual([
      ["metadata.name", "a,b"],
      ["type", undefined],
    ]);
    expect(parseFieldSelector(selector.text).text).toBe(selector.text);
  });
});
