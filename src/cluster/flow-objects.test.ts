import { describe, expect, test } from "vitest";
import { FlowSchema, PriorityLevelConfiguration } from "../client/kinds/index.ts";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import type { Store } from "../storage/contract.ts";
import { Activity } from "../util/activity.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type Cluster, createCluster } from "./index.ts";

const MINUTE = 60_000;

/** A cluster, what it is asked by, and how it comes to rest. */
async function started(store: Store, dialect = kubernetes) {
  const clock = new ManualClock();
  const activity = new Activity(clock);
  const cluster: Cluster = await createCluster({
    store,
    dialect,
    clock,
    random: seededRandom(1),
    server: { activity },
  });
  const client = cluster.client("test");
  return {
    cluster,
    schemas: client.resource(FlowSchema),
    levels: client.resource(PriorityLevelConfiguration),
    settled: () => activity.idle(),
    pass: (ms: number) => clock.advanceSettled(ms, () => activity.idle()),
    [Symbol.asyncDispose]: () => cluster.close(0),
  };
}

const dangling = ({ status }: FlowSchema) => {
  const [condition] = status?.conditions ?? [];
  return [condition?.type, condition?.status, condition?.reason];
};

describe.each([neutral, kubernetes])("in the $name dialect", (dialect) => {
  test("APF-2, APF-7: eleven schemas and eight levels are there at first, and no schema lacks its level", async () => {
    await using at = await started(await openMemoryStore(), dialect);
    const { items } = await at.schemas.list();
    expect(items).toHaveLength(11);
    expect((await at.levels.list()).items).toHaveLength(8);
    for (const one of items) {
      expect(one.metadata.annotations).toEqual({ "apf.kubernetes.io/autoupdate-spec": "true" });
      expect(dangling(one)).toEqual(["Dangling", "False", "Found"]);
      expect(one.metadata.managedFields!.map(({ manager, operation }) => [manager, operation])).toEqual([
        ["api-priority-and-fairness-config-consumer-v1", "Apply"],
        ["api-priority-and-fairness-config-producer-v1", "Update"],
      ]);
    }
    const election = items.find(({ metadata }) => metadata.name === "system-leader-election")!;
    expect(election.spec!.rules![0]!.resourceRules![0]!.apiGroups).toEqual([`coordination.${dialect.domain}`]);
  });
});

test("APF-7: a schema says whether its level is there", async () => {
  await using at = await started(await openMemoryStore());
  const level = { metadata: { name: "l" }, spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } };
  await at.schemas.create({ metadata: { name: "s" }, spec: { priorityLevelConfiguration: { name: "l" } } } as never);
  const seen = async () => {
    await at.settled();
    return dangling(await at.schemas.get({ name: "s" }));
  };
  expect(await seen()).toEqual(["Dangling", "True", "NotFound"]);
  await at.levels.create(level as never);
  expect(await seen()).toEqual(["Dangling", "False", "Found"]);
  await at.levels.delete({ name: "l" });
  expect(await seen()).toEqual(["Dangling", "True", "NotFound"]);
});

test("APF-2: mandatory objects come back within a minute, others at the next start", async () => {
  const store = await openMemoryStore();
  const names = async (at: { schemas: { list(): Promise<{ items: readonly FlowSchema[] }> } }) =>
    (await at.schemas.list()).items.map(({ metadata }) => metadata.name);
  {
    await using at = await started(store);
    for (const name of ["catch-all", "probes"]) await at.schemas.delete({ name });
    await at.levels.delete({ name: "catch-all" });
    expect(await names(at)).toHaveLength(9);
    await at.pass(MINUTE);
    expect(await names(at)).toContain("catch-all");
    expect(await names(at)).not.toContain("probes");
    expect((await at.levels.list()).items).toHaveLength(8);
  }
  await using again = await started(store);
  expect(await names(again)).toHaveLength(11);
});

test("APF-2: at start specs are reset while the annotation allows it, or they are unchanged", async () => {
  const store = await openMemoryStore();
  const annotation = (value: string | null) => ({
    metadata: { annotations: { "apf.kubernetes.io/autoupdate-spec": value } },
  });
  const spec = { spec: { matchingPrecedence: 7777 } };
  {
    await using at = await started(store);
    await at.schemas.patch({ name: "probes" }, spec);
    await at.schemas.patch({ name: "service-accounts" }, { ...spec, ...annotation("false") });
    await at.schemas.patch({ name: "global-default" }, { ...spec, ...annotation(null) });
    await at.schemas.patch({ name: "system-nodes" }, annotation(null));
    await at.levels.patch({ name: "exempt" }, { spec: { exempt: { lendablePercent: 20 } } });
  }
  await using again = await started(store);
  const seen = async (name: string) => {
    const { metadata, spec: found } = await again.schemas.get({ name });
    return [found!.matchingPrecedence, metadata.annotations?.["apf.kubernetes.io/autoupdate-spec"]];
  };
  expect(await seen("probes")).toEqual([2, "true"]);
  expect(await seen("service-accounts")).toEqual([7777, "false"]);
  expect(await seen("global-default")).toEqual([7777, "false"]);
  expect(await seen("system-nodes")).toEqual([500, "true"]);
  expect((await again.levels.get({ name: "exempt" })).spec!.exempt).toMatchObject({ lendablePercent: 20 });
});
