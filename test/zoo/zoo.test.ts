import { expect, test } from "vitest";
import { amount, sampled } from "../../src/util/testing/amount.ts";
import { entries } from "./entries.ts";
import { exploreEntry, lineOf, replayEntry } from "./explore-entry.ts";

/** Each shows within a few plans; a twin is tried with as many. */
const PLANS = 45;
const seed = Number(process.env["SEED"]);
const REPLAYS = amount("ZOO_REPLAYS", 5, 100);

test("a third of the controllers are programs in other languages, and each has a class of its own in its language", () => {
  const others = entries.filter(({ language }) => language !== "TypeScript");
  expect(others.length).toBeGreaterThanOrEqual(entries.length / 3);
  const classes = entries.map(({ language, class: of }) => `${language}: ${of}`);
  expect(new Set(classes).size).toBe(entries.length);
});

test.each(
  sampled(
    entries.filter(({ language }) => language === "TypeScript"),
    4,
  ),
)(
  "$name: $class; the fault is found and plays again, and the twin without it is not accused",
  { timeout: 300_000 },
  async (entry) => {
    const options = { seed, plans: PLANS, toolchains: {} };
    const { found, findings } = await exploreEntry(entry, { ...options, mended: false });
    expect({ found: found?.fault.kind, findings: findings.map(lineOf) }).toMatchObject({
      found: expect.stringMatching(`^(${entry.kinds.join("|")})$`) as string,
    });
    // What was shrunk still shows the fault, each time.
    expect(await replayEntry(entry, found!, { mended: false, times: REPLAYS, toolchains: {} })).toBe(REPLAYS);
    const twin = await exploreEntry(entry, { ...options, mended: true });
    expect(twin.findings.map(lineOf)).toEqual([]);
  },
);
