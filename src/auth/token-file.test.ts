import fc from "fast-check";
import { expect, test } from "vitest";
import { expectLinear } from "../util/testing/linear.ts";
import { digestOf } from "./opaque-tokens.ts";
import { readTokens } from "./token-file.ts";

test("AUTHN-19: each line has a token, a user, a uid and perhaps groups", () => {
  const users = readTokens('t1,pat,7,"team-a, team-b"\n\n t2 , kim , , ops\r\nt3,"Doe, ""Jo""",9\n', "tokens.csv");
  expect(users.size).toBe(3);
  expect(users.get(digestOf("t1"))).toEqual({ user: "pat", uid: "7", groups: ["team-a", "team-b"] });
  expect(users.get(digestOf("t2"))).toEqual({ user: "kim", uid: "", groups: ["ops"] });
  expect(users.get(digestOf("t3"))).toEqual({ user: 'Doe, "Jo"', uid: "9", groups: [] });
});

test.each(["t1", "t1,pat", ",pat,7", "t1,,7"])("the line %j is refused", (line) => {
  expect(() => readTokens(`a,b,c\n${line}\n`, "tokens.csv")).toThrow(
    "expected line 2 of tokens.csv to have a token, a user and a uid with commas between them",
  );
});

const listOf = (line: string): readonly string[] => [...readTokens(`t,u,7,${line}`, "tokens.csv").values()][0]!.groups;

test.each([
  ['"a,b"', ["a", "b"]],
  ['"a""b"', ['a"b']],
  ['"a', ['"a']],
  ['"a" b', ['"a" b']],
  ['"a" ,c', ["a"]],
  ["a,b", ["a"]],
])("AUTHN-19: groups written as %s are %j", (line, groups) => {
  expect(listOf(line)).toEqual(groups);
});

test("cells are equal to those of a regular expression", () => {
  const cell = /(?:^|,) *(?:"((?:[^"]|"")*)" *(?=,|$)|([^,]*))/g;
  const texts = fc.string({ unit: fc.constantFrom('"', ",", " ", "a", "b"), maxLength: 12 });
  fc.assert(
    fc.property(texts, (text) => {
      const line = `t,u,7,${text}`;
      const cells = Array.from(
        line.matchAll(cell),
        ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain.trim(),
      );
      expect(listOf(text)).toEqual(
        cells[3]!
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== ""),
      );
    }),
    { numRuns: 3000 },
  );
});

test.each(['"', '""', '"a', ",", '," ', '"",', " "])(
  "%j again and again costs a time that grows with the line",
  async (part) => {
    await expectLinear(
      (size) => `t,u,7,${part.repeat(size / part.length)}`,
      (text) => readTokens(text, "tokens.csv"),
    );
  },
);
