/**
 * All regular expressions of the sources are linear: the author of a text may make it long.
 */
import { describe, expect, test } from "vitest";
import { type FoundExpression, findExpressions } from "./find.ts";
import { type Expression, whyNotLinear } from "./judge.ts";
import { shippedModules } from "./sources.ts";

const modules = shippedModules().map(({ path, text }) => ({ path, ...findExpressions(path, text) }));
const expressions = modules.flatMap((module) => module.expressions);
const splitters = new Set(modules.flatMap((module) => [...module.splitters]));

/** Where a text is split, an expression is tried at each character, as with the flag `g`. */
const asUsed = ({ source, flags, name, splits }: FoundExpression): Expression => ({
  source,
  flags: splits || (name !== undefined && splitters.has(name)) ? `${flags.replace("g", "")}g` : flags,
});

/** The same expression stands in several modules. */
const judged = new Map<string, Promise<string | undefined>>();

function judge(expression: Expression): Promise<string | undefined> {
  const key = `/${expression.source}/${expression.flags}`;
  const known = judged.get(key) ?? whyNotLinear(expression);
  judged.set(key, known);
  return known;
}

async function faultsIn(room: string): Promise<string[]> {
  const faults: string[] = [];
  for (const found of expressions.filter(({ place }) => roomOf(place) === room)) {
    const why = await judge(asUsed(found));
    if (why !== undefined) faults.push(`${found.place} /${found.source}/${found.flags} is not linear: ${why}`);
  }
  return faults;
}

/** `src/meta` of `src/meta/names.ts:12`. */
const roomOf = (place: string): string =>
  place
    .split("/")
    .slice(0, place.startsWith("src/") ? 2 : 1)
    .join("/");

describe("the time of an expression grows with its text and no faster", () => {
  const rooms = [...new Set(expressions.map(({ place }) => roomOf(place)))].toSorted();

  test("expressions of all rooms are found", () => {
    expect(rooms).toEqual(expect.arrayContaining(["src/app", "src/cel", "src/kinds", "src/meta", "src/server"]));
    expect(expressions.length).toBeGreaterThan(300);
  });

  test.each(rooms)(
    "in %s",
    async (room) => {
      expect(await faultsIn(room)).toEqual([]);
    },
    60_000,
  );
});

test("no expression is made of what is not known before: those of others are read by util/regex.ts", () => {
  const names = new Set(expressions.map(({ name }) => name));
  const unknown = modules.flatMap(({ matchers }) => matchers.filter(({ name }) => !names.has(name)));
  expect(unknown.map(({ name, place }) => `${place} matches with ${name}, which is no expression`)).toEqual([]);
  expect(modules.flatMap(({ hidden }) => hidden)).toEqual([]);
});
