import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LONG } from "../../src/util/testing/amount.ts";
import type { Outcome } from "./player.ts";
import { type Step, loadScenarios } from "./scenario.ts";
import { playOnOwnServers } from "./server.ts";

/** Most of what the stories of controllers take is waiting. */
const SIDE_BY_SIDE = 32;

/**
 * The areas whose stories wait for controllers in real time. One that a busy machine has spoiled is played once more, where it is not
 * many: what we do otherwise differs twice.
 */
const TIMED = new Set(["controllers", "rollouts", "scheduling"]);
const MOST_AGAIN = 40;

interface StoredPolicy {
  readonly kind?: string;
  readonly spec?: {
    readonly matchConstraints?: { readonly namespaceSelector?: unknown; readonly objectSelector?: unknown };
  };
}

const folder = new URL(".", import.meta.url).pathname;
const results = new URL("../../.results/", import.meta.url).pathname;
const known = JSON.parse(readFileSync(`${folder}known.json`, "utf8")) as Record<string, string>;

const played = loadScenarios(folder).filter(({ scenario }) => LONG || !scenario.long);
const first = await playOnOwnServers(played, "x7q", SIDE_BY_SIDE);
const isSpoiled = ({ name, area, differences }: Outcome): boolean =>
  TIMED.has(area) && !(name in known) && differences.length > 0;
const spoiled = played.filter((_, i) => isSpoiled(first[i]!));
const again = spoiled.length > MOST_AGAIN ? [] : await playOnOwnServers(spoiled, "x8q", SIDE_BY_SIDE / 4);
const second = new Map(again.map((outcome) => [outcome.name, outcome]));
const outcomes = first.map((outcome) => second.get(outcome.name) ?? outcome);
mkdirSync(results, { recursive: true });
writeFileSync(`${results}conformance.json`, JSON.stringify(outcomes));

/** Whether the step stores a policy of admission that other scenarios would meet, too. */
function hasPolicyForAll(step: Step): boolean {
  if (step.parallel !== undefined) return step.parallel.some((branch) => branch.some(hasPolicyForAll));
  const policy = step.body as StoredPolicy | undefined;
  const { namespaceSelector, objectSelector } = policy?.spec?.matchConstraints ?? {};
  return (
    step.query?.["dryRun"] === undefined &&
    /^(?:Mutating|Validating)AdmissionPolicy$/u.test(policy?.kind ?? "") &&
    namespaceSelector === undefined &&
    objectSelector === undefined
  );
}

describe("the recorded answers of a real API server", () => {
  const named = outcomes.map((outcome) => [outcome.name, outcome] as const);

  test.each(named.filter(([name]) => !(name in known)))("%s", (_, { differences }) => {
    expect(differences).toEqual([]);
  });

  test.each(named.filter(([name]) => name in known))("%s: differs, for a reason that is written down", (_, outcome) => {
    expect(outcome.differences, "is equal now: take it out of known.json").not.toEqual([]);
  });

  test("a scenario whose policy acts on every object is played alone", () => {
    const spread = played.filter(({ scenario }) => scenario.steps.some(hasPolicyForAll));
    expect(spread.length).toBeGreaterThan(0);
    expect(spread.filter(({ scenario }) => !scenario.alone).map(({ scenario }) => scenario.name)).toEqual([]);
  });

  test("known differences name scenarios that exist", () => {
    expect(Object.keys(known).filter((name) => !outcomes.some((outcome) => outcome.name === name))).toEqual([]);
  });
});
