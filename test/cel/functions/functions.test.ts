import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { formatOf } from "../../../src/schema/structural/formats.ts";
import { type AnsweredArea, isSame, keptOf, readAnswers } from "./answers.ts";
import { ask } from "./ask.ts";
import { askedOf } from "./draw.ts";

/** Expressions that are answered otherwise, with the reason. */
const known = JSON.parse(readFileSync(new URL("known.json", import.meta.url), "utf8")) as Readonly<
  Record<string, string>
>;
const { answers, areas } = readAnswers();

/** What is answered otherwise than expected, or against expectation not. */
function differences(area: AnsweredArea): unknown[] {
  const found: unknown[] = [];
  for (const [expression, places] of area.expressions) {
    const asked = new Map<string, ReturnType<typeof ask>>();
    for (const [i, pair] of area.pairs.entries()) {
      const want = answers[places[i]!];
      if (typeof want !== "object" || want === null) continue;
      const { expr, s, t } = askedOf(expression, area, pair);
      const run = asked.get(expr) ?? ask(expr);
      asked.set(expr, run);
      const got = keptOf(run(s, t));
      if (isSame(want, got) === expr in known) found.push({ expr, s, t, want, got });
    }
  }
  return found;
}

/** The rules that areas are about, of those that are about one. */
const RULES: Readonly<Record<string, string>> = {
  texts: "CEL-14: ",
  patterns: "CEL-19: ",
  urls: "CEL-20: ",
  addresses: "CEL-21, CEL-22: ",
  quantities: "CEL-23: ",
  versions: "CEL-24: ",
  names: "CEL-25: ",
};

const named = (area: AnsweredArea): readonly [string, string, AnsweredArea] => [
  RULES[area.area] ?? "",
  area.area,
  area,
];

test.each(areas.filter(({ expressions }) => expressions.length > 0).map(named))(
  "%sfunctions of expressions answer as in a real server: %s",
  (_rules, _area, area) => {
    expect(differences(area)).toEqual([]);
  },
);

test.each(areas.flatMap(({ formats, pairs }) => formats.map(([name, places]) => [name, places, pairs] as const)))(
  "the format %s has the texts that it has in a real server",
  (name, places, pairs) => {
    const has = formatOf(name)!;
    const wrong = pairs.filter(([text], i) => has(text) !== answers[places[i]!]).map(([text]) => text);
    expect(wrong).toEqual([]);
  },
);

test("as many questions are answered as are worth asking", () => {
  const rows = areas.flatMap(({ expressions, formats }) => [...expressions, ...formats]);
  expect(rows.reduce((sum, [, places]) => sum + places.length, 0)).toBeGreaterThan(20_000);
});
