import { expect, test } from "vitest";
import { Places } from "./places.ts";

const FILE = `# a comment
kind: Other
metadata: { name: p }
---
kind: P
metadata: { name: p }
spec:
  a: "x == \\"y\\" && z"
  b: x && z
  c: |
    one &&
      two
  d: >-
    first ||

    second
  e:
    - 'it''s && b'
---
kind: List
items:
  - kind: P
    metadata: { name: in-list }
    spec: { a: last }
`;

const places = new Places(FILE);

const lineOf = (path: string, source: string, part: string): number | undefined =>
  places.find("P", "p", path)?.(source.indexOf(part));

test.each([
  ["spec.a", 'x == "y" && z', "&&", 8],
  ["spec.b", "x && z", "z", 9],
  ["spec.c", "one &&\n  two\n", "one", 11],
  ["spec.c", "one &&\n  two\n", "two", 12],
  ["spec.d", "first ||\nsecond", "||", 14],
  ["spec.d", "first ||\nsecond", "second", 16],
  ["spec.e[0]", "it's && b", "b", 18],
])("a position in %s has its line", (path, source, part, line) => {
  expect(lineOf(path, source, part)).toBe(line);
});

test("an item of a list is found", () => {
  expect(places.find("P", "in-list", "spec.a")?.(0)).toBe(24);
});

test("what is not there has no line", () => {
  expect(places.find("P", "q", "spec.a")).toBeUndefined();
  expect(places.find("P", "p", "spec.none")).toBeUndefined();
});
