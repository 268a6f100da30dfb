import { expect, test } from "vitest";
import { fieldPath } from "./field-path.ts";

test.each([
  ["", "."],
  ["/data/colour", ".data.colour"],
  ["/spec/ports/0/name", ".spec.ports[0].name"],
  ["/data/a.b", '.data["a.b"]'],
  ["/metadata/labels/example.com~1x", '.metadata.labels["example.com/x"]'],
  ["/data/a\u001b[2J", '.data["a\\u001b[2J"]'],
  ["/data/a\u009b2J", '.data["a\uFFFD2J"]'],
])("%j is formatted as %s", (pointer, expected) => {
  expect(fieldPath(pointer)).toBe(expected);
});
