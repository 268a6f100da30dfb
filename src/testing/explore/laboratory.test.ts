import { afterEach, describe, expect, test } from "vitest";
import type { RunOrder } from "../../explore/contract/laboratory.ts";
import type { Plan } from "../../explore/contract/plan.ts";
import type { RequestEntry, TraceEntry } from "../../explore/contract/trace.ts";
import type { Scenario } from "./scenario.ts";
import {
  asking,
  closeLaboratories,
  createSecret,
  linesOf,
  openLaboratory,
  playPlan,
  writesOf,
} from "./testing/certificates.ts";

afterEach(closeLaboratories);

const order = (plan: Plan = []): RunOrder => ({ seed: 1, plan });

describe("a clean run", () => {
  test("has changes, requests, deliveries, steps and states", async () => {
    const lab = await openLaboratory();
    const { trace, states, complaints, restlessWrites } = await lab.run(order());
    expect(complaints).toEqual([]);
    expect(restlessWrites).toBe(0);
    expect(trace.map(({ seq }) => seq)).toEqual([...trace.keys()]);
    expect(linesOf(trace, "change", "step", "life")).toEqual([
      "operator 0 started",
      "0 apply ConfigMap web begun",
      "user created ConfigMap",
      "operator created Secret",
      "operator updated ConfigMap",
      "0 apply ConfigMap web quiet",
      "1 patch ConfigMap web begun",
      "user updated ConfigMap",
      "1 patch ConfigMap web quiet",
      "2 delete ConfigMap web begun",
      "user deleted ConfigMap",
      "cluster deleted Secret",
      "2 delete ConfigMap web quiet",
      "3 the quiet at the end begun",
      "3 the quiet at the end quiet",
    ]);
    expect(states.map(({ step, state }) => [step, state.objects.map(({ kind }) => kind)])).toEqual([
      [0, ["ConfigMap", "Secret"]],
      [1, ["ConfigMap", "Secret"]],
      [2, []],
      [3, []],
    ]);
  });

  test("knows the revision of what a response said, and of what was delivered", async () => {
    const { trace } = await (await openLaboratory()).run(order());
    const created = trace.find((entry) => entry.type === "change" && entry.object.kind === "Secret");
    const responded = trace.find(
      (entry) => entry.type === "request" && entry.object.kind === "Secret" && entry.verb === "create",
    );
    const delivered = trace.find((entry) => entry.type === "delivery" && entry.object.kind === "Secret");
    const { revision, uid } = created as Extract<TraceEntry, { type: "change" }>;
    expect(responded).toMatchObject({ revision, changed: true, code: 201, life: 0, generateName: "cert-" });
    expect(delivered).toMatchObject({ revision, uid, change: "ADDED", life: 0 });
    const listed = trace.filter((entry) => entry.type === "request" && entry.verb === "list") as RequestEntry[];
    expect(listed.map((entry) => typeof entry.revision)).toEqual(listed.map(() => "number"));
    expect(listed.length).toBeGreaterThan(1);
  });

  test("is the same each time, byte for byte", { timeout: 120_000 }, async () => {
    const lab = await openLaboratory();
    const run = async (): Promise<string> => {
      const { cpuMillis: _, ...record } = await lab.run(
        order([{ type: "crash", at: createSecret, when: "after", downMillis: 10_000 }]),
      );
      return JSON.stringify(record);
    };
    const first = await run();
    for (let i = 0; i < 100; i++) expect(await run()).toBe(first);
  });
});

test("another laboratory of the same scenario gives the same run", async () => {
  const run = async (): Promise<string> => {
    const { cpuMillis: _, ...record } = await playPlan([
      { type: "crash", at: createSecret, when: "late", downMillis: 10_000 },
    ]);
    return JSON.stringify(record);
  };
  expect(await run()).toBe(await run());
});

test("only simulated nodes can be lost", async () => {
  const plain = { apiVersion: "v1", kind: "Node", metadata: { name: "plain" } };
  const nodesOf = async (nodes?: number) => {
    const scenario: Scenario = { ...asking, start: [plain], ...(nodes !== undefined && { nodes }) };
    const lab = await openLaboratory(undefined, scenario);
    return [lab.scenario.nodes, lab.perturbations.has("node-lost")];
  };
  expect(await nodesOf(1)).toEqual([["node-1"], true]);
  expect(await nodesOf(0)).toEqual([[], false]);
  expect(await nodesOf()).toEqual([[], false]);
});

describe("a crash", () => {
  test("before a write: it is lost, and done by the next start", async () => {
    const run = await playPlan([{ type: "crash", at: createSecret, when: "before", downMillis: 10_000 }]);
    expect(run.met).toEqual([true]);
    expect(linesOf(run.trace, "life")).toEqual(["operator 0 started", "operator 0 killed", "operator 1 started"]);
    expect(writesOf(run).map(({ verb, life, code, changed }) => [verb, life, code, changed])).toEqual([
      ["create", 0, undefined, false],
      ["create", 1, 201, true],
      ["apply", 1, 200, true],
      ["apply", 1, 200, false],
      ["apply", 1, 200, false],
    ]);
  });

  test("after a write: it is stored, and its response is lost", async () => {
    const run = await playPlan([{ type: "crash", at: createSecret, when: "after", downMillis: 10_000 }]);
    expect(writesOf(run)[0]).toMatchObject({ verb: "create", changed: true, perturbation: 0 });
    expect(writesOf(run)[0]!.code).toBeUndefined();
    expect(writesOf(run)[1]).toMatchObject({ verb: "apply", life: 1, code: 200 });
    expect(linesOf(run.trace, "change").filter((line) => line.includes("created Secret"))).toHaveLength(1);
  });

  test("while a write is on its way: it is handled after the next start has done its work", async () => {
    const run = await playPlan([{ type: "crash", at: createSecret, when: "late", downMillis: 10_000 }]);
    // The second start saw no Secret and made one, then the first one's came.
    expect(linesOf(run.trace, "change").filter((line) => line.includes("created Secret"))).toHaveLength(2);
    expect(linesOf(run.trace, "perturbation")).toHaveLength(2);
    expect(run.states[0]!.state.objects.map(({ kind }) => kind)).toEqual(["ConfigMap", "Secret", "Secret"]);
  });
});
