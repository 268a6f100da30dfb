/** What a run shows to be wrong by itself, and where it stops. */
import { afterEach, describe, expect, test } from "vitest";
import { ConfigMap, Secret } from "../../client/kinds/index.ts";
import { defineController } from "../../runtime/index.ts";
import { sleep } from "../../util/clock.ts";
import type { Scenario } from "./scenario.ts";
import {
  WEB,
  asking,
  asks,
  certificates,
  closeLaboratories,
  createSecret,
  forever,
  linesOf,
  mainOf,
  openLaboratory,
  playPlan,
  writesOf,
} from "./testing/certificates.ts";

afterEach(closeLaboratories);

const idle = mainOf(forever);
const controllerOf = (reconcile: Parameters<typeof defineController>[0]["reconcile"]) => ({
  controllers: () => defineController({ name: "operator", for: asks, reconcile: reconcile as never }),
});

describe("complaints", () => {
  test("a program that ends by itself again and again", async () => {
    const program = mainOf(async () => {
      throw new TypeError("x is not a function");
    });
    const run = await playPlan([], program);
    expect(run.complaints).toEqual([
      { type: "crash-loop", actor: "operator", step: 0, detail: "TypeError: x is not a function" },
    ]);
    const ends = run.trace.filter((entry) => entry.type === "life" && entry.event === "exited");
    expect(ends.slice(0, 4).map(({ at }) => at)).toEqual([0, 10_000, 30_000, 70_000]);
  });

  test("an error for which a retry is useless", async () => {
    const program = controllerOf(() => {
      throw new TypeError("no size");
    });
    const { complaints } = await playPlan([], program);
    expect(complaints).toEqual([
      { type: "failed", actor: "operator", step: 0, detail: "operator default/web: TypeError: no size" },
    ]);
  });

  test("work without end while the clock stands still", async () => {
    const program = mainOf(async ({ client }) => {
      for (let n = 0; ; n++) {
        await client
          .resource(ConfigMap)
          .apply({ metadata: { namespace: "default", name: "own" }, data: { n: String(n) } }, { fieldManager: "own" });
      }
    });
    const { complaints, states } = await playPlan([], program);
    expect(complaints).toEqual([
      { type: "unsettled", step: -1, detail: "operator sent 2000 requests while the clock stood still" },
    ]);
    expect(states).toEqual([]);
  });

  test("a step that is refused; those behind it are played", async () => {
    const scenario: Scenario = {
      name: "s",
      pause: "1s",
      quiet: "1s",
      steps: [{ delete: { ...WEB, name: "x" } }, asking.steps[0]!],
    };
    const run = await playPlan([], idle, scenario);
    expect(run.complaints).toMatchObject([{ type: "step-failed", step: 0 }]);
    expect(run.states[1]!.state.objects.map(({ metadata }) => metadata.name)).toEqual(["web"]);
  });

  test("a step may patch a subresource", async () => {
    const ready = { conditions: [{ type: "Ready", status: "True" }] };
    const scenario: Scenario = {
      name: "s",
      pause: "1s",
      quiet: "1s",
      steps: [
        { apply: { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } } },
        { patch: { apiVersion: "v1", kind: "Service", name: "web", subresource: "status", with: { status: ready } } },
      ],
    };
    const { complaints, states } = await playPlan([], idle, scenario);
    expect(complaints).toEqual([]);
    expect(states[1]!.state.objects.find(({ kind }) => kind === "Service")).toMatchObject({ status: ready });
  });

  test("rules that do not hold: always, after a change; eventually, at rest", async () => {
    const kind = { group: "", kind: "ConfigMap" };
    const scenario: Scenario = {
      ...asking,
      always: [
        {
          name: "small",
          holds: (state) =>
            state.all(kind, "default").every((one) => (one["data"] as { size?: string } | undefined)?.size !== "2"),
        },
      ],
      eventually: [
        { name: "there", holds: (state) => state.find(kind, "web", "default") !== undefined || "web is gone" },
        { name: "base", holds: (state) => state.all({ group: "", kind: "Namespace" }).length > 0 },
      ],
    };
    const run = await playPlan([], idle, scenario);
    const change = run.trace.find((entry) => entry.type === "change" && entry.change === "updated");
    expect(run.complaints).toEqual([
      { type: "always", rule: "small", seq: change!.seq, detail: "it does not hold" },
      { type: "eventually", rule: "there", step: 2, detail: "web is gone" },
      { type: "eventually", rule: "there", step: 3, detail: "web is gone" },
    ]);
  });

  test("a rule that must always hold is reported once, at the first change that breaks it", async () => {
    const scenario: Scenario = {
      ...asking,
      steps: [asking.steps[0]!, ...["2", "3", "4"].map((size) => ({ patch: { ...WEB, with: { data: { size } } } }))],
      always: [{ name: "unchanged", holds: (state) => state.objects().every((one) => one["data"] === undefined) }],
    };
    const run = await playPlan([], idle, scenario);
    const first = run.trace.find((entry) => entry.type === "change" && entry.change === "updated");
    expect(run.complaints).toEqual([
      { type: "always", rule: "unchanged", seq: first!.seq, detail: "it does not hold" },
    ]);
  });
});

describe("the quiet at the end", () => {
  test("counts writes of its second half", async () => {
    const hourly = mainOf(async ({ client, clock }) => {
      for (let n = 0; ; n++) {
        await client
          .resource(ConfigMap)
          .apply({ metadata: { namespace: "default", name: "own" }, data: { n: String(n) } }, { fieldManager: "own" });
        await sleep(clock, 3_600_000);
      }
    });
    const run = await playPlan([], hourly);
    expect(run.restlessWrites).toBe(12);
  });

  test("ends early where writes have no end", async () => {
    const busy = mainOf(async ({ client, clock }) => {
      for (let n = 0; ; n++) {
        await client
          .resource(ConfigMap)
          .apply({ metadata: { namespace: "default", name: "own" }, data: { n: String(n) } }, { fieldManager: "own" });
        await sleep(clock, 10_000);
      }
    });
    const run = await playPlan([], busy);
    expect(run.restlessWrites).toBe(501);
  });

  test("is left out of a brief run", async () => {
    const run = await playPlan([], undefined, undefined, { brief: true });
    expect(run.states.map(({ step }) => step)).toEqual([0, 1, 2]);
    expect(run.trace.at(-1)!.at).toBe(900_000);
  });
});

describe("orders", () => {
  test("play the steps that they name, in their order", async () => {
    const run = await playPlan([], idle, asking, { steps: [0, 2], brief: true });
    expect(linesOf(run.trace, "step").filter((line) => line.endsWith("begun"))).toEqual([
      "0 apply ConfigMap web begun",
      "2 delete ConfigMap web begun",
    ]);
  });

  test("stop before a write, with the cluster as it is then", async () => {
    const lab = await openLaboratory();
    await using played = await lab.open({ seed: 1, plan: [], beforeWrite: 2 });
    expect(writesOf(played.record).map(({ verb }) => verb)).toEqual(["create"]);
    const client = played.cluster.client();
    const { items } = await client.resource(Secret).list({ namespace: "default" });
    expect(items).toHaveLength(1);
    const web = await client.resource(ConfigMap).get({ namespace: "default", name: "web" });
    expect(web.data).toBeUndefined();
  });

  test("of other seeds give other names and the same work", async () => {
    const lab = await openLaboratory({ controllers: certificates });
    const run = (seed: number) => lab.run({ seed, plan: [], steps: [0], brief: true });
    const [one, other, again] = [await run(1), await run(2), await run(1)];
    const nameOf = ({ states }: typeof one) =>
      states[0]!.state.objects.find(({ kind }) => kind === "Secret")!.metadata.name;
    expect(nameOf(one)).not.toBe(nameOf(other));
    expect(nameOf(one)).toBe(nameOf(again));
    expect(linesOf(one.trace, "change")).toEqual(linesOf(other.trace, "change"));
  });

  test("of a step that does not exist are the laboratory's fault", async () => {
    await expect(playPlan([], idle, asking, { steps: [7] })).rejects.toThrow(
      "expected a step of certificates (0 to 2), got 7",
    );
  });

  test("run no program that cannot be started", async () => {
    const program = {
      controllers: () => defineController({ name: "operator", for: UNKNOWN, reconcile: () => undefined }),
    };
    await expect(playPlan([], program)).rejects.toThrow("operator could not be started");
  });
});

const UNKNOWN = { group: "example.com", version: "v1", kind: "Thing", plural: "things", scope: "Namespaced" } as const;

test("a crash that the plan asks for is no complaint", async () => {
  const run = await playPlan([{ type: "crash", at: createSecret, when: "after", downMillis: 1000 }]);
  expect(run.complaints).toEqual([]);
});

describe("built-in controllers of a run", () => {
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const remove = { delete: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: "data" } };

  test.each([
    ["of a step", { steps: [{ apply: claim }, remove] }],
    ["of the start", { start: [claim], steps: [{ wait: "1s" as const }, remove] }],
  ])("let go of a claim %s", async (_, more) => {
    const run = await playPlan([], idle, { name: "claims", ...more });
    expect(linesOf(run.trace, "change").at(-1)).toBe("cluster deleted PersistentVolumeClaim");
    expect(run.states.at(-1)!.state.objects).toEqual([]);
  });

  test("collect what the start has left, when its owner goes", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner", namespace: "default" } };
    const scenario: Scenario = {
      name: "owners",
      start: [owner],
      steps: [
        async (cluster) => {
          const { metadata } = await cluster.client().resource(ConfigMap).get({ namespace: "default", name: "owner" });
          const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid }];
          await cluster
            .client()
            .resource(Secret)
            .create({ metadata: { namespace: "default", name: "owned", ownerReferences } });
        },
        { delete: { ...WEB, name: "owner" } },
      ],
    };
    const run = await playPlan([], idle, scenario);
    expect(linesOf(run.trace, "change")).toEqual([
      "user created Secret",
      "user deleted ConfigMap",
      "cluster deleted Secret",
    ]);
  });
});

test("a run that is cancelled ends at once, whatever it waits for", async () => {
  const controller = new AbortController();
  const steps = [
    () => {
      controller.abort();
      return forever();
    },
  ];
  const lab = await openLaboratory(idle, { name: "cancelled", steps } as Scenario);
  await expect(lab.run({ seed: 1, plan: [] }, controller.signal)).rejects.toThrow("aborted");
  expect((await lab.run({ seed: 1, plan: [], steps: [] })).complaints).toEqual([]);
});

test("controllers that cannot be made after a restart are a crash loop", async () => {
  let starts = 0;
  const program = {
    controllers: () => {
      if (starts++ > 0) throw new Error("the file is gone");
      return certificates();
    },
  };
  const run = await playPlan([{ type: "crash", at: createSecret, when: "after", downMillis: 1000 }], program);
  expect(run.complaints).toEqual([{ type: "crash-loop", actor: "operator", step: 0, detail: "the file is gone" }]);
});

test("a program is notified when the run is over, and not when it is killed", async () => {
  const told: number[] = [];
  let starts = 0;
  const program = mainOf(async ({ client, signal }) => {
    const start = starts++;
    signal.addEventListener("abort", () => told.push(start));
    await client.resource(Secret).create({ metadata: { namespace: "default", name: `own-${start}` } });
    await forever();
  });
  const at = { ...createSecret, name: "own-0" };
  await playPlan([{ type: "crash", at, when: "after", downMillis: 1000 }], program);
  expect([starts, told]).toEqual([2, [1]]);
});
