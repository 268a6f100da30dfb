import { expect, test } from "vitest";
import { alias, literal, member } from "./types-text.ts";

test.each([
  ["a", `"a"`],
  [`a"b`, `'a"b'`],
  [`a"b'c`, `"a\\"b'c"`],
  [`a"\\"'`, `'a"\\\\"\\''`],
  ["a\nb", `"a\\nb"`],
  [1e21, "1e21"],
  [true, "true"],
  [null, "null"],
])("%j is the literal %s", (value, text) => {
  expect(literal(value)).toBe(text);
});

test("a long union type has a line for each value", () => {
  const values = Array.from({ length: 40 }, (_, i) => String(i));
  expect(alias("T", values)).toBe(`export type T =\n${values.map((value) => `  | ${value}`).join("\n")};\n`);
  const long = literal("x".repeat(120));
  expect(alias("T", [long])).toBe(`export type T =\n  ${long};\n`);
});

test("a long map type has several lines, also in another map", () => {
  const map = (values: string): string => `{ readonly [key: string]: ${values} }`;
  const name = "N".repeat(62);
  expect(member("readonly m", map(map(name)), "  ")).toBe(
    `  readonly m: {\n    readonly [key: string]: ${map(name)};\n  };\n`,
  );
  expect(member("readonly m", `${map("N".repeat(90))} | null`, "  ")).toBe(
    `  readonly m: {\n    readonly [key: string]: ${"N".repeat(90)};\n  } | null;\n`,
  );
});
