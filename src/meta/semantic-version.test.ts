import { expect, test } from "vitest";
import { compareSemanticVersions, parseSemanticVersion } from "./semantic-version.ts";

test.each(["1.35.0", "0.0.1", "1.35.0-alpha.1", "1.35.0+build.05", "1.0.0-0a.-", "99999999999999999999.0.0"])(
  "LC-4, DEC-12: %j is a semantic version",
  (text) => {
    expect(parseSemanticVersion(text)).toBeDefined();
  },
);

test.each([
  "",
  "1",
  "1.35",
  "v1.35.0",
  "01.35.0",
  "1.35.0.1",
  "1.35.x",
  "abc",
  " 1.35.0",
  "1.35.0-",
  "1.0.0-01",
  "1.0.0-a..b",
  "1.0.0+",
  `1.0.0-${"a".repeat(300)}`,
])("LC-4, DEC-12: %j is none", (text) => {
  expect(parseSemanticVersion(text)).toBeUndefined();
});

test("DEC-12: the order is that of precedence", () => {
  // The list of semver.org, and numbers beyond the precision of doubles.
  const ordered = [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.9.0",
    "1.10.0",
    "9007199254740992.0.0",
    "9007199254740993.0.0",
  ].map((text) => parseSemanticVersion(text)!);
  ordered.forEach((a, i) => {
    ordered.forEach((b, j) => {
      expect(Math.sign(compareSemanticVersions(a, b))).toBe(Math.sign(i - j));
    });
  });
});

test("DEC-12: build metadata is no part of the order", () => {
  expect(compareSemanticVersions(parseSemanticVersion("1.0.0+a")!, parseSemanticVersion("1.0.0+b")!)).toBe(0);
});
