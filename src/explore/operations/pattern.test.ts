import { describe, expect, it } from "vitest";
import { textsOf } from "./pattern.ts";

describe("texts of a pattern", () => {
  it.each([
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    "^(\\d+(\\.\\d+)?(ms|s|m|h))+$",
    "^v[0-9]+((alpha|beta)[0-9]+)?$",
    "^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$",
    "^(?P<major>\\d+)\\.(?P<minor>\\d+)$",
    "^[^/]+/[^/]+$",
    "^\\S+@\\S+\\.\\w{2,}$",
    "^(on|off)$",
    "^(\\+|-)?[0-9]+%$",
    "^[A-Z][A-Za-z]{0,10}$",
    "^$|^x-[a-f0-9]{8}$",
    "\\Aab?c\\z",
  ])("match %s", (pattern) => {
    const texts = textsOf(pattern);
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts)
      expect(text).toMatch(
        new RegExp(pattern.replace("(?P", "(?").replace("(?P", "(?").replace("\\A", "^").replace("\\z", "$")),
      );
  });

  it.each([
    "(",
    "^(?i)a$",
    "^\\p{L}+$",
    "[[:alpha:]]",
    "a{300}",
    "x".repeat(1001),
    "*",
    "[a",
    "(?:a{250}){250}",
    "a{1",
    "(?=a)b",
    "\\",
  ])("are none for %s", (pattern) => {
    expect(textsOf(pattern)).toEqual([]);
  });
});
