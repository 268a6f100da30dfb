import { describe, expect, test } from "vitest";
import { serveFlags } from "./flags.ts";
import { OPTIONS, OPTION_KEYS, OPTION_NAMES, valuesOf } from "./table.ts";

describe.each(OPTION_KEYS)("%s", (key) => {
  const { type, about, also, since, default: preset } = OPTIONS[key];

  test("says what it does in whole sentences", () => {
    expect(about).toMatch(/^[A-Z].*\.$/);
    expect(since).toMatch(/^\d+\.\d+$/);
  });

  test("has a default that can be read, and words that can be said", () => {
    const words = type.name === "word" ? type.words : [];
    const texts = [...words, ...(preset === undefined ? [] : [preset])];
    expect(texts.filter((text) => type.read(text) === undefined)).toEqual([]);
  });

  test("has names of its own", () => {
    const names = [key, ...(also === undefined ? [] : [also])];
    expect(names.map((name) => OPTION_NAMES.get(name))).toEqual(names.map(() => key));
  });
});

test("no name means two options", () => {
  const names = OPTION_KEYS.flatMap((key) => [key, ...(OPTIONS[key].also === undefined ? [] : [OPTIONS[key].also])]);
  expect(new Set(names).size).toBe(names.length);
});

test("no property is the value of two options", () => {
  expect(Object.keys(valuesOf({}))).toHaveLength(OPTION_KEYS.length);
});

test("what a row needs or excludes is an option", () => {
  const others = OPTION_KEYS.flatMap((key) => [OPTIONS[key].needs ?? key, ...(OPTIONS[key].excludes ?? [])]);
  expect(others.filter((key) => !OPTION_NAMES.has(key))).toEqual([]);
});

test("help tells where data goes on this machine, and what each gate and controller is", () => {
  const flags = new Map(serveFlags().map((flag) => [flag.key, flag]));
  expect(flags.get("data-dir")!.default).toMatch(/^\/.*keelson$/);
  expect(flags.get("port")!.words).toEqual([]);
  expect(flags.get("feature-gates")!.words).toContainEqual({
    word: "VolumeAttributesClass",
    about: "On by default in the kubernetes dialect.",
  });
  expect(flags.get("controllers")!.words.map(({ word }) => word)).toContain("namespace");
});
