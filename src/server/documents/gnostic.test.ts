import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { gnosticAround, gnosticDefinition, gnosticPath } from "./gnostic.ts";
import type { Json } from "./openapi-schemas.ts";

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../test/fixtures/openapi/${name}`, import.meta.url));

/** A whole document, its parts written one by one. */
function document({ paths = {}, definitions = {}, ...around }: Json): Buffer {
  const each = (members: unknown, write: (name: string, member: Json) => Buffer): Buffer[] =>
    Object.entries(members as Record<string, Json>).map(([name, member]) => write(name, member));
  const [written, defined] = [
    Buffer.concat(each(paths, gnosticPath)),
    Buffer.concat(each(definitions, gnosticDefinition)),
  ];
  const [before, between, behind] = gnosticAround(around, written.length, defined.length);
  return Buffer.concat([before, written, between, defined, behind]);
}

// Made by ParseDocument of google/gnostic-models v0.7.0 and proto.Marshal, with values of any form as JSON texts.
test("a document is written byte by byte as gnostic-models writes it", () => {
  const read = JSON.parse(fixture("v2.json").toString()) as Json;
  expect(document(read).toString("latin1")).toBe(fixture("v2.pb").toString("latin1"));
});

test("names that JavaScript knows are names like others", () => {
  const definitions = JSON.parse('{"constructor":{"type":"string"},"__proto__":{"type":"object"}}') as Json;
  const text = document({ swagger: "2.0", definitions }).toString("latin1");
  expect(text).toContain("constructor");
  expect(text).toContain("__proto__");
});
