import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { Player } from "./player.ts";
import { loadScenarios } from "./scenario.ts";
import { startConformanceServer } from "./server.ts";

const folder = new URL(".", import.meta.url).pathname;
const results = new URL("../../.results/", import.meta.url).pathname;
const known = JSON.parse(readFileSync(`${folder}known.json`, "utf8")) as Record<string, string>;

const scenarios = loadScenarios(folder);
const server = await startConformanceServer();
const player = new Player({ url: server.url, token: server.pki.adminToken, domain: "k8s.io" }, "x7q");
const outcomes = await player.playAll(scenarios, 8);
mkdirSync(results, { recursive: true });
writeFileSync(`${results}conformance.json`, JSON.stringify(outcomes));

afterAll(() => server.close());

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
