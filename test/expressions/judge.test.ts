import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Expression, whyNotLinear } from "./judge.ts";
import { stepsOf } from "./model.ts";

const why = (source: RegExp): Promise<string | undefined> => whyNotLinear(source);

// oxlint-disable no-control-regex, prefer-named-capture-group -- as somebody may write them
test.each<[RegExp, string]>([
  [/^(?:(?:\d+\.?\d*|\.\d+)(?:ms|s|m|h))+$/, "exponential"],
  [/^(?:a+)+$/, "exponential"],
  [/^(?:a|a)*$/, "exponential"],
  [/^(?:a|ab|b)*c/, "exponential"],
  [/^(?:a*)*b/, "exponential"],
  [/(\d*)\.?(\d*)(ms|s)/, "polynomial of degree 3"],
  [/^a*a*$/, "polynomial of degree 2"],
  [/^.*:.*:.*$/, "polynomial of degree 3"],
  [/^(.+?)\['(.*)'\]$/s, "polynomial of degree 2"],
  [/^\s+|\s+$/, "polynomial of degree 2"],
  [/\/+$/, "polynomial of degree 2"],
  [/x+y/, "polynomial of degree 2"],
  [/%.*$/, "polynomial of degree 2"],
  [/\$\{([^}]*)\}/, "polynomial of degree 2"],
  [/[.-]*\.[.-]*/, "polynomial of degree 2"],
  // A bound is no excuse, wherever it stands.
  [/^(?:a|a){0,60}$/, "exponential"],
  [/^(?:a{1,50}){1,50}$/, "exponential"],
  [/a{1,1000}b/, "polynomial of degree 2"],
  [/a*.{0,3}$/, "polynomial of degree 3"],
  [/[ab]{2000}c/, "polynomial of degree 2"],
  // What looks ahead or behind makes a try fail.
  [/a*(?=b)/, "polynomial of degree 2"],
  [/(?<!\\)(?:\\\\)*\\u/, "polynomial of degree 2"],
  // One match is found soon, all of them are not.
  [/a(?:.*b)?/g, "polynomial of degree 2"],
  [/a*(?:b+c)?/g, "polynomial of degree 2"],
  [/(?:a+;)|a/g, "polynomial of degree 2"],
  [/(?:a+;)|a/y, "polynomial of degree 2"],
])("%s is not linear: %s", async (expression, reason) => {
  expect(await why(expression)).toContain(reason);
});

test.each<[RegExp, string]>([
  [/^(a|b)\1$/, "it has a backreference"],
  [/^(?=.{1,253}$)[a-z]+$/, "it looks ahead or behind with a loop"],
  [/(?<!a+)b/, "it looks ahead or behind with a loop"],
  [/^(?:a?){1,30}$/, "it repeats what may be nothing"],
  [/[a&&b]/v, "it has the flag v"],
])("of %s nothing is proven: %s", async (expression, reason) => {
  expect(await why(expression)).toContain(reason);
});

test.each([
  /^\d+$/,
  /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  /^(?:\d+(?:\.\d*)?|\.\d+)$/,
  /^(?:25[0-5]|2[0-4]\d|1\d\d|\d\d|\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|\d\d|\d)){3}$/,
  /^"(?:[^"\\]|\\.)*"$/s,
  /[A-Z]+/g,
  /\s+/g,
  /(\d+)/g,
  /,\s*/g,
  /--.*/g,
  /__([^_]+)__/g,
  /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y,
  /\{(\d{1,4})(?:,(\d{0,4}))?\}/y,
  /^0+(?=\d)/,
  /\n(?=[^\n])/g,
  /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i,
  /.{1,64}/g,
  /(?:a+b?)*/g,
  /^(?:a{2}){3,}$/,
  /[<>&\u2028\u2029]/g,
])("%s is linear", async (expression) => {
  expect(await why(expression)).toBeUndefined();
});

const { RUNS = "15" } = process.env;

/** The largest number of steps that is counted. */
const MOST_STEPS = 100_000;

describe("beside a matcher that tries one way after another", () => {
  const texts = words(["a", "b"], 3).flatMap((pump) =>
    ["", "a", "b", "ab", "c"].flatMap((start) =>
      ["", "a", "b", "c", "cccc"].map((end) => (times: number) => start + pump.repeat(times) + end),
    ),
  );

  test("texts are found that a bad expression takes long for", () => {
    for (const { source, flags } of [/a+b/, /a+$/, /(?:a|a)*c/, /a(?:.*b)?/g, /a*(?=b)/, /a*.{0,3}$/]) {
      expect(growth({ source, flags }, texts)).toBeGreaterThan(MOST_GROWTH);
    }
  });

  test(
    "what is linear by the judge is linear there",
    async () => {
      await fc.assert(
        fc.asyncProperty(expressions(), async (expression) => {
          if ((await whyNotLinear(expression)) !== undefined) return;
          expect(growth(expression, texts)).toBeLessThan(MOST_GROWTH);
        }),
        { numRuns: Number(RUNS) },
      );
    },
    Math.max(60_000, Number(RUNS) * 2000),
  );
});

/** A text of four times the length may take this many times as many steps; what grows with the square takes sixteen. */
const MOST_GROWTH = 7;

function growth(expression: Expression, texts: readonly ((times: number) => string)[]): number {
  const ratios = texts.map((textOf) => {
    const steps = stepsOf(expression, textOf(80), MOST_STEPS);
    return steps === MOST_STEPS ? Infinity : steps / (stepsOf(expression, textOf(20), MOST_STEPS) + 1);
  });
  return Math.max(...ratios);
}

function words(letters: readonly string[], most: number): string[] {
  const longer = (shorter: readonly string[]): string[] => shorter.flatMap((word) => letters.map((x) => word + x));
  const all: string[] = [];
  for (let last = [""], i = 0; i < most; i++) all.push(...(last = longer(last)));
  return all;
}

function expressions(): fc.Arbitrary<Expression> {
  const times = fc.constantFrom("", "", "", "*", "+", "?", "*?", "+?", "{2}", "{0,3}", "{2,}");
  const { any } = fc.letrec<Record<"any" | "row" | "part" | "group", string>>((tie) => ({
    any: fc.array(tie("row"), { minLength: 1, maxLength: 2 }).map((rows) => rows.join("|")),
    row: fc.array(tie("part"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    part: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      {
        weight: 6,
        arbitrary: fc.tuple(fc.constantFrom("a", "b", "a", ".", "[ab]", "[^a]"), times).map(([x, y]) => x + y),
      },
      { weight: 1, arbitrary: fc.constantFrom("(?=a)", "(?!b)", "$") },
      { weight: 3, arbitrary: tie("group") },
    ),
    group: fc.tuple(tie("any"), times).map(([inner, often]) => `(?:${inner})${often}`),
  }));
  return fc.record({
    source: fc.tuple(fc.constantFrom("", "", "^"), any, fc.constantFrom("", "", "$")).map((parts) => parts.join("")),
    flags: fc.constantFrom("", "", "g", "y"),
  });
}
