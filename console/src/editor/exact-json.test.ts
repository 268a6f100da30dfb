import { expect, test } from "vitest";
import { encodeYaml } from "../../../src/value/yaml-encode.ts";
import { parseExact, parseValue } from "./exact-json.ts";

test("an integer beyond 2^53 keeps its digits, in JSON and in YAML", () => {
  const text = '{"big":9223372036854775807,"small":-9007199254740993,"usual":[1,2.5,1e3],"text":"1234567890123456789"}';
  expect(JSON.stringify(parseExact(text))).toBe(text.replace("1e3", "1000"));
  expect(encodeYaml(parseValue(text))).toContain("big: 9223372036854775807\n");
  expect(encodeYaml(parseValue(text))).toContain('text: "1234567890123456789"\n');
});

test.each(["[N]", "[1,N]", '{"a":N}', '{\n  "a": N\n}', "N", " N"])("it keeps them wherever it stands: %j", (shape) => {
  for (const number of ["9007199254740993", "-9007199254740993"])
    expect(JSON.stringify(parseExact(shape.replace("N", number)))).toBe(shape.replace("N", number).replace(/\s/g, ""));
});

test("members that are called as members of the prototype are data", () => {
  expect(Object.keys(parseExact('{"__proto__":{"a":1234567890123456},"constructor":1}') as object)).toEqual([
    "__proto__",
    "constructor",
  ]);
});
