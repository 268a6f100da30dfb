import { describe, expect, test } from "vitest";
import type { ResourceDefinition } from "../../src/schema/definition.ts";
import { type Answers, countAnswers } from "../../tools/compatibility/answers.ts";
import { page } from "../../tools/compatibility/page.ts";
import { sortRules } from "../../tools/compatibility/rules.ts";
import type { Difference, Outcome } from "../conformance/player.ts";
import type { Scenario, Step } from "../conformance/scenario.ts";

const SERVED = [
  { group: "", version: "v1", plural: "configmaps" },
  {
    group: "storage.k8s.io",
    version: "v1",
    plural: "volumes",
    verbs: ["get"],
    subresources: { status: { verbs: ["patch"] } },
  },
] as unknown as ResourceDefinition[];

const CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps";
const APPLY = "application/apply-patch+yaml";

const ask = (method: string, path: string, more: Partial<Step> = {}): Step => ({ do: method, path, ...more });
const difference = (step: number): Difference => ({ step, request: `step ${step}`, lines: ["x"] });

/** Counts one scenario whose steps with these numbers differ. */
function count(steps: readonly Step[], wrong: readonly number[] = [], known = {}): Answers {
  const scenario: Scenario = { name: "core/story", steps };
  const outcome: Outcome = {
    name: "core/story",
    area: "core",
    steps: steps.length,
    differences: wrong.map(difference),
  };
  return countAnswers([scenario], [outcome], SERVED, known);
}

const cellsOf = ({ rows }: Answers, name: string): unknown =>
  Object.fromEntries([...rows.find((row) => row.name === name)!.cells].filter(([, { all }]) => all > 0));

describe("countAnswers", () => {
  test("finds resource, subresource, verb and patch type of each step, in the names of the dialect", () => {
    const answers = count([
      ask("GET", `${CONFIG_MAPS}/a`),
      ask("GET", CONFIG_MAPS),
      ask("GET", CONFIG_MAPS, { watch: {} }),
      ask("GET", `${CONFIG_MAPS}?watch=true`),
      ask("PATCH", `${CONFIG_MAPS}/a?fieldManager=x`, { type: APPLY }),
      ask("PATCH", "/apis/storage.{d}/v1/volumes/a/status", { type: "application/merge-patch+json" }),
      ask("GET", "/apis/storage.{d}/v1/volumes/a"),
    ]);
    const one = { equal: 1, all: 1 };
    expect(cellsOf(answers, "v1 configmaps")).toEqual({ get: one, list: one, watch: { equal: 2, all: 2 }, apply: one });
    expect(cellsOf(answers, "storage.k8s.io/v1 volumes/status")).toEqual({ "merge patch": one });
    expect(cellsOf(answers, "storage.k8s.io/v1 volumes")).toEqual({ get: one });
    expect(answers.notServed.all).toBe(0);
  });

  test("what is not served, and paths of other kinds, are counted apart", () => {
    const answers = count([
      ask("DELETE", "/apis/storage.{d}/v1/volumes/a"),
      ask("GET", "/api/v1/nothings"),
      ask("PATCH", `${CONFIG_MAPS}/a`, { type: "text/plain" }),
      ask("GET", "/openapi/v3/apis/x"),
      ask("GET", "/apis"),
    ]);
    expect(answers.notServed).toEqual({ equal: 3, all: 3 });
    expect([...answers.others.keys()]).toEqual(["/openapi/v3", "/apis"]);
  });

  test("a step that differs is counted where it belongs, across pauses and branches, with its reason", () => {
    const steps: Step[] = [
      { wait: 5 },
      ask("GET", `${CONFIG_MAPS}/a`),
      { parallel: [[ask("GET", CONFIG_MAPS)], [{ wait: 1 }, ask("POST", CONFIG_MAPS)]] },
    ];
    const answers = count(steps, [4], { "core/story": "because" });
    expect(cellsOf(answers, "v1 configmaps")).toMatchObject({
      get: { equal: 1 },
      list: { equal: 1 },
      create: { equal: 0, all: 1 },
    });
    expect([answers.scenarios, answers.steps]).toEqual([
      { equal: 0, all: 1 },
      { equal: 2, all: 3 },
    ]);
    expect(answers.deviations).toEqual([{ scenario: "core/story", requests: ["step 4"], reason: "because" }]);
  });

  test("a result of a scenario that is no longer there is an error", () => {
    const outcome: Outcome = { name: "core/gone", area: "core", steps: 1, differences: [] };
    expect(() => countAnswers([], [outcome], SERVED, {})).toThrow('expected a scenario named "core/gone"');
  });
});

describe("the page", () => {
  const sections = sortRules(
    [{ kind: "rule", section: "Rules", ids: "AA-1..3" }],
    [{ fullName: "AA-1", status: "passed" }],
    { "AA-2": "others act on it" },
  );

  test("shows equal, differing and missing answers, proven and open rules, and who acts on the rest", () => {
    const text = page(count([ask("GET", CONFIG_MAPS), ask("GET", CONFIG_MAPS)], [1]), sections, {
      "AA-2": "others act on it",
    });
    expect(text).toMatch(/\| v1 configmaps \| · \| 1\/2 \| · \|/);
    expect(text).toMatch(/\| storage\.k8s\.io\/v1 volumes \| · \| {2}\| {2}\|/);
    expect(text).toContain("- **core/story** (`step 1`): not explained yet");
    expect(text).toContain("| Rules | 3 | 1 | 1 | AA-3 |");
    expect(text).toContain("- others act on it: AA-2");
    expect(text.endsWith("\n")).toBe(true);
  });
});
