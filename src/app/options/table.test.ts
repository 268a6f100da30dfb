import { describe, expect, test } from "vitest";
import { serveFlags } from "./flags.ts";
import { OPTIONS, OPTION_KEYS, OPTION_NAMES, valuesOf } from "./table.ts";

describe.each(OPTION_KEYS)("%s", (key) => {
  const { type, about, also, since, default: preset } = OPTIONS[key];

  test("is described in full sentences", () => {
    expect(about).toMatch(/^[A-Z].*\.$/);
    expect(since).toMatch(/^\d+\.\d+$/);
  });

  test("has a valid default and valid words", () => {
    const words = type.name === "word" ? type.words : [];
    const texts = [...words, ...(preset === undefined ? [] : [preset])];
    expect(texts.filter((text) => type.read(text) === undefined)).toEqual([]);
  });

  test("has unique names", () => {
    const names = [key, ...(also === undefined ? [] : [also])];
    expect(names.map((name) => OPTION_NAMES.get(name))).toEqual(names.map(() => key));
  });
});

test("every name belongs to one option", () => {
  const names = OPTION_KEYS.flatMap((key) => [key, ...(OPTIONS[key].also === undefined ? [] : [OPTIONS[key].also])]);
  expect(new Set(names).size).toBe(names.length);
});

test("every property belongs to one option", () => {
  expect(Object.keys(valuesOf({}))).toHaveLength(OPTION_KEYS.length);
});

test("`needs` and `excludes` name options", () => {
  const others = OPTION_KEYS.flatMap((key) => [OPTIONS[key].needs ?? key, ...(OPTIONS[key].excludes ?? [])]);
  expect(others.filter((key) => !OPTION_NAMES.has(key))).toEqual([]);
});

test("help has the data directory of this machine, and describes gates and controllers", () => {
  const flags = new Map(serveFlags().map((flag) => [flag.key, flag]));
  expect(flags.get("data-dir")!.default).toMatch(/^\/.*keelson$/);
  expect(flags.get("port")!.words).toEqual([]);
  expect(flags.get("feature-gates")!.words).toContainEqual({
    word: "VolumeAttributesClass",
    about: "On by default in the kubernetes dialect.",
  });
  expect(flags.get("controllers")!.words.map(({ word }) => word)).toContain("namespace");
});
