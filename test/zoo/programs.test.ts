import { expect, test } from "vitest";
import { sampled } from "../../src/util/testing/amount.ts";
import { entries } from "./entries.ts";
import { exploreEntry, lineOf } from "./explore-entry.ts";
import { toolchains } from "./toolchains.ts";

/** A plan takes seconds, as programs start. */
const PLANS = 15;
const seed = Number(process.env["SEED"]);
const tools = await toolchains();
const others = entries.filter(({ language }) => language !== "TypeScript" && tools[language] !== undefined);

test.skipIf(others.length === 0).each(sampled(others, 6))(
  "$name in $language: $class; the fault is found, and the twin without it is not accused",
  { timeout: 300_000 },
  async (entry) => {
    const options = { seed, plans: PLANS, toolchains: tools };
    const { found, findings } = await exploreEntry(entry, { ...options, mended: false });
    expect({ found: found?.fault.kind, findings: findings.map(lineOf) }).toMatchObject({
      found: expect.stringMatching(`^(${entry.kinds.join("|")})$`) as string,
    });
    const twin = await exploreEntry(entry, { ...options, mended: true });
    expect(twin.findings.map(lineOf)).toEqual([]);
  },
);
