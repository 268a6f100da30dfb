import { afterEach, describe, expect, test } from "vitest";
import type { RunOrder } from "../../explore/contract/laboratory.ts";
import type { Exploration } from "../../explore/exploration.ts";
import { explore } from "../../explore/explore.ts";
import { makeJudge } from "../../explore/judge/index.ts";
import { systemClock } from "../../util/clock.ts";
import { LaboratoryPool, type PoolLimits } from "./pool.ts";
import { createSecret, openLaboratory, closeLaboratories } from "./testing/certificates.ts";

const opened: LaboratoryPool[] = [];
const CERTIFICATES = new URL("./testing/modules/certificates.ts", import.meta.url);
const EXITS = new URL("./testing/modules/exits.ts", import.meta.url);
const NOTHING = new URL("./testing/modules/nothing.ts", import.meta.url);
const BLOCKS = new URL("./testing/modules/blocks.ts", import.meta.url);
const pool = async (module: URL, workers = 2, limits: Partial<PoolLimits> = {}): Promise<LaboratoryPool> => {
  const made = await LaboratoryPool.of(module, workers, { clock: systemClock, ...limits });
  opened.push(made);
  return made;
};
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
  await closeLaboratories();
});

const exploreAll = (lab: LaboratoryPool, plans: number): Promise<Exploration> =>
  explore(lab, (clean) => makeJudge(clean, []), {
    clock: systemClock,
    origin: { scenario: { name: "s" }, versions: { keelson: "0", node: "0", platform: "test" } },
    seed: 1,
    plans,
    only: ["crash"],
  });

describe("a pool of worker threads", () => {
  test("plays each order as a laboratory in this thread does, as many at once as there are workers", async () => {
    const lab = await pool(CERTIFICATES);
    const alone = await openLaboratory();
    expect(lab.parallel).toBe(2);
    expect(lab.scenario).toEqual(alone.scenario);
    expect([...lab.perturbations].sort()).toEqual([...alone.perturbations].sort());
    const orders: RunOrder[] = [
      { seed: 1, plan: [] },
      { seed: 2, plan: [{ type: "crash", at: createSecret, when: "after", downMillis: 1000 }] },
      { seed: 3, plan: [{ type: "answer-lost", at: createSecret }], steps: [0] },
      { seed: 1, plan: [] },
    ];
    const records = await Promise.all(orders.map((order) => lab.run(order)));
    for (const [i, record] of records.entries()) {
      const { trace, states, met, order } = await alone.run(orders[i]!);
      expect(JSON.parse(JSON.stringify(record))).toMatchObject(
        JSON.parse(JSON.stringify({ trace, states, met, order })),
      );
    }
  });

  test("explores with two workers", async () => {
    const { plans, findings, coverage } = await exploreAll(await pool(CERTIFICATES), 10);
    expect(plans).toBe(10);
    expect(coverage.types).toEqual([{ type: "crash", planned: 7, tried: 7, met: 7 }]);
    expect(coverage.combinations).toBe(3);
    // A create of a generated name that is handled after a restart makes a second one.
    expect(findings.map(({ fault, replayed }) => [fault.kind, replayed])).toEqual([["leaked", { shown: 3, of: 3 }]]);
  });

  test("a thread that ends is replaced, and the plans that end it are counted", { timeout: 120_000 }, async () => {
    const { plans, coverage, ended, failure } = await exploreAll(await pool(EXITS, 1), 3);
    expect([plans, ended, failure]).toEqual([3, "plans", undefined]);
    expect(coverage.unplayed).toBeGreaterThan(0);
    expect(coverage.types[0]!.tried).toBeGreaterThan(0);
    expect(coverage.sentences.at(-1)).toContain(
      "expected the worker thread to continue, but it ended with exit code 7",
    );
  });

  test("a run that is cancelled ends, and the thread plays the next one", async () => {
    const lab = await pool(CERTIFICATES, 1);
    const controller = new AbortController();
    const run = lab.run({ seed: 1, plan: [] }, controller.signal);
    controller.abort();
    const ended = await run.then(
      () => "played",
      () => "cancelled",
    );
    expect(["played", "cancelled"]).toContain(ended);
    expect((await lab.run({ seed: 1, plan: [] })).order.seed).toBe(1);
    await expect(lab.run({ seed: 1, plan: [] }, AbortSignal.abort())).rejects.toThrow("aborted");
  });

  test("a thread whose loop stands still is given up, and so is one that does not end when it is cancelled", async () => {
    const blocked = await pool(BLOCKS, 1, { blockedMillis: 500 });
    await expect(blocked.run({ seed: 1, plan: [] })).rejects.toThrow(
      "expected the loop of a worker thread to continue, but it was blocked for 500 ms",
    );
    const cancelled = await pool(BLOCKS, 1, { cancelMillis: 200 });
    await expect(cancelled.run({ seed: 1, plan: [] }, AbortSignal.timeout(200))).rejects.toThrow(
      "expected a run to end within 200 ms when it is cancelled",
    );
    // One that responds continues, however long it takes.
    const slow = await pool(CERTIFICATES, 1, { blockedMillis: 5000 });
    expect((await slow.run({ seed: 1, plan: [] })).complaints).toEqual([]);
  });

  test("a module that is no exploration is refused, and so is one that is not there", async () => {
    await expect(pool(NOTHING)).rejects.toThrow(
      /^expected file:.*nothing\.ts to export by default what defineExploration\(\{ scenario, \.\.\. \}\) returns, got number$/,
    );
    await expect(pool(new URL("missing.ts", NOTHING))).rejects.toThrow("Cannot find module");
    await expect(pool(CERTIFICATES, 0)).rejects.toThrow("expected 1 to 256 workers, got 0");
  });
});
