import { describe, expect, test } from "vitest";
import { findExpressions } from "./find.ts";

const found = (text: string) => findExpressions("src/a.ts", text);
const sources = (text: string) => found(text).expressions.map(({ source, flags }) => `/${source}/${flags}`);

test("literals are found wherever they stand, with flags and place", () => {
  const text = "const A = /a[/]b/gu;\n\nexport class C { readonly x = { of: [/c/] }; f = () => d / e / f; }";
  expect(found(text).expressions).toEqual([
    { source: "a[/]b", flags: "gu", place: "src/a.ts:1", name: "A" },
    { source: "c", flags: "", place: "src/a.ts:3" },
  ]);
});

test("comments, texts and types have none", () => {
  expect(
    sources("// /a/\nconst a = '/b/', c = `/d/`;\ntype E = RegExp; const f = (g: RegExp) => h instanceof RegExp;"),
  ).toEqual([]);
  expect(found("type E = RegExp; const f = (g: RegExp) => h instanceof RegExp;").hidden).toEqual([]);
});

describe("constructed expressions", () => {
  test.each([
    [`new RegExp("a+", "g")`, "/a+/g"],
    ["RegExp(`a`)", "/a/"],
    ["const N = '[0-9]'; const T = `${N}{2}`; const D = new RegExp(`^${T}-${T}$`);", "/^[0-9]{2}-[0-9]{2}$/"],
    ["const N = String.raw`\\d`; const D = new RegExp(String.raw`^${N}\\.$`, 'u');", "/^\\d\\.$/u"],
    [`const A = "a" + ("b" + "c"); new RegExp(A);`, "/abc/"],
  ])("%s is seen through", (text, expression) => {
    expect(sources(text)).toEqual([expression]);
    expect(found(text).hidden).toEqual([]);
  });

  test.each([
    "const f = (a: string) => new RegExp(a);",
    "let a = 'b'; new RegExp(a);",
    "const f = () => { const a = g(); return new RegExp(`^${a}$`); };",
    "import { A } from './b.ts'; new RegExp(A);",
    "new RegExp('a', flags);",
    "new RegExp();",
    "const R = RegExp;",
    "globalThis.RegExp('a');",
    "globalThis['RegExp']('a');",
    "Reflect.construct(RegExp, ['a']);",
    "class A extends RegExp {}",
    "const { RegExp: R } = globalThis;",
  ])("%s is one that cannot be seen", (text) => {
    expect(found(text).hidden).toHaveLength(1);
  });
});

describe("methods that make an expression of a text", () => {
  test.each([
    "text.match(/a/)",
    "text?.search(/a/)",
    "'a'.matchAll(/a/g)",
    "text.replace('a', 'b')",
    "text.split(by())",
  ])("%s does not", (text) => {
    expect(found(text)).toMatchObject({ hidden: [], matchers: [] });
  });

  test.each([
    "text.match('a')",
    "text.search(a + b)",
    "text?.matchAll(`${a}`)",
    "text['match'](f(a))",
    "text.match(a[0])",
  ])("%s does", (text) => {
    expect(found(text).hidden).toHaveLength(1);
  });

  test("a name is found: it may be that of an expression", () => {
    expect(found("text.match(PATTERN); text.search(this.#of);").matchers).toEqual([
      { name: "PATTERN", place: "src/a.ts:1" },
      { name: "#of", place: "src/a.ts:1" },
    ]);
  });
});

test("the separator of a split is found", () => {
  const { expressions, splitters } = found("a.split(/b/); a.split(SEPARATOR); a.split(x.by, 2); a.split(',');");
  expect(expressions).toEqual([{ source: "b", flags: "", place: "src/a.ts:1", splits: true }]);
  expect([...splitters]).toEqual(["SEPARATOR", "by"]);
});
