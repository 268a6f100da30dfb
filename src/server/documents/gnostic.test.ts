import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { gnosticDocument } from "./gnostic.ts";
import type { Json } from "./openapi-schemas.ts";

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../test/fixtures/openapi/${name}`, import.meta.url));

// Made by ParseDocument of google/gnostic-models v0.7.0 and proto.Marshal, with values of any form as JSON texts.
test("a document is written byte by byte as gnostic-models writes it", () => {
  const document = JSON.parse(fixture("v2.json").toString()) as Json;
  expect(gnosticDocument(document).toString("latin1")).toBe(fixture("v2.pb").toString("latin1"));
});

test("names that JavaScript knows are names like others", () => {
  const definitions = JSON.parse('{"constructor":{"type":"string"},"__proto__":{"type":"object"}}') as Json;
  const text = gnosticDocument({ swagger: "2.0", definitions }).toString("latin1");
  expect(text).toContain("constructor");
  expect(text).toContain("__proto__");
});
