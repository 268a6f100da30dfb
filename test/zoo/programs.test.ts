import { expect, test } from "vitest";
import { sampled } from "../../src/util/testing/amount.ts";
import { entries } from "./entries.ts";
import { exploreEntry, lineOf } from "./explore-entry.ts";
import { toolchains } from "./toolchains.ts";

/** A plan takes seconds, as programs start; the last fault shows in the nineteenth. */
const PLANS = 30;
const PLANS_OF_TWINS = 8;
const seed = Number(process.env["SEED"]);
const tools = await toolchains();
const others = entries.filter(({ language }) => language !== "TypeScript" && tools[language] !== undefined);

test.skipIf(others.length === 0).each(sampled(others, 6))(
  "$name in $language: $class; the fault is found, and the twin without it is not accused",
  { timeout: 400_000 },
  async (entry) => {
    const options = { seed, plans: PLANS, toolchains: tools };
    const { found, findings } = await exploreEntry(entry, { ...options, mended: false });
    expect({ found: found?.fault.kind, findings: findings.map(lineOf) }).toMatchObject({
      found: expect.stringMatching(`^(${entry.kinds.join("|")})$`) as string,
    });
    const twin = await exploreEntry(entry, { ...options, plans: PLANS_OF_TWINS, mended: true });
    expect(twin.findings.map(lineOf)).toEqual([]);
  },
);
