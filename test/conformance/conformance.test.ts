import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LONG } from "../../src/util/testing/amount.ts";
import { loadScenarios } from "./scenario.ts";
import { playOnOwnServers } from "./server.ts";

/** Most of what the stories of controllers take is waiting. */
const SIDE_BY_SIDE = 32;

const folder = new URL(".", import.meta.url).pathname;
const results = new URL("../../.results/", import.meta.url).pathname;
const known = JSON.parse(readFileSync(`${folder}known.json`, "utf8")) as Record<string, string>;

const played = loadScenarios(folder).filter(({ scenario }) => LONG || !scenario.long);
const outcomes = await playOnOwnServers(played, "x7q", SIDE_BY_SIDE);
mkdirSync(results, { recursive: true });
writeFileSync(`${results}conformance.json`, JSON.stringify(outcomes));

describe("the recorded answers of a real API server", () => {
  const named = outcomes.map((outcome) => [outcome.name, outcome] as const);

  test.each(named.filter(([name]) => !(name in known)))("%s", (_, { differences }) => {
    expect(differences).toEqual([]);
  });

  test.each(named.filter(([name]) => name in known))("%s: differs, for a reason that is written down", (_, outcome) => {
    expect(outcome.differences, "is equal now: take it out of known.json").not.toEqual([]);
  });

  test("known differences name scenarios that exist", () => {
    expect(Object.keys(known).filter((name) => !outcomes.some((outcome) => outcome.name === name))).toEqual([]);
  });
});
