import { describe, expect, test } from "vitest";
import { anything, int32, int64, map, optional, pointer, struct, text } from "../meta/types.ts";
import { DeleteOptionsSchema } from "../meta/delete-options.ts";
import type { ResourceDefinition } from "../schema/definition.ts";
import { objectSchema } from "../schema/object-schema.ts";
import type { Resource } from "../registry/contract.ts";
import { CALLER, WRITE, bodyOf, named, read, twoServers } from "../registry/testing/registry.ts";
import { actionsOf } from "./testing/actions.ts";
import { pods as podsOf } from "./testing/pods.ts";

const about = "A kind of the test.";

/** What an eviction needs of its kinds, with objects of the cluster. */
const base = (group: string, kind: string, schema: ResourceDefinition["schema"]): ResourceDefinition => ({
  group,
  version: "v1",
  kind,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  scope: "Cluster",
  description: about,
  schema,
  deleteReturns: "object",
});

const eviction = base("policy", "Eviction", objectSchema(about, { deleteOptions: pointer(DeleteOptionsSchema) }));

const status = { verbs: ["update"] } as const;

const pods = podsOf("Cluster", eviction);

const budgets: ResourceDefinition = {
  ...base(
    "policy",
    "PodDisruptionBudget",
    objectSchema(about, {
      spec: pointer(struct("Which Pods.", { selector: pointer(anything("The selector.")) })),
      status: optional(
        struct("What was counted.", {
          observedGeneration: optional(int64("The generation.")),
          disruptionsAllowed: optional(int32("How many.")),
          currentHealthy: optional(int32("How many are healthy.")),
          desiredHealthy: optional(int32("How many must be healthy.")),
          disruptedPods: optional(map(text(), "Which.")),
          conditions: optional(anything("Conditions.")),
        }),
      ),
    }),
  ),
  subresources: { status },
};

const EVICTION = named("p", "eviction");
const READY = [{ type: "Ready", status: "True" }];

/** Two servers with a Pod and a budget that selects it; the eviction goes to the first, the second writes meanwhile. */
async function servers(pod: object, budget: object) {
  const { one, other, around, otherOf } = await twoServers(pods, { actions: actionsOf }, [budgets]);
  const theirs = otherOf(budgets);
  const write = async (resource: Resource, name: string, of: object): Promise<unknown> => {
    const before = await read(resource, name);
    const body = { ...before, metadata: { name }, status: { ...(before["status"] as object), ...of } };
    return resource.update(named(name, "status"), bodyOf(body), WRITE, CALLER);
  };
  await other.create(named(""), bodyOf({ metadata: { name: "p" }, status: pod }), WRITE, CALLER);
  const spec = { selector: {} };
  await theirs.create(named(""), bodyOf({ metadata: { name: "b" }, spec, status: budget }), WRITE, CALLER);
  return {
    around,
    podBecomes: (now: object) => write(other, "p", now),
    budgetBecomes: (now: object) => write(theirs, "b", now),
    evict: (deleteOptions: object = {}) =>
      one.ask(EVICTION, bodyOf({ metadata: { name: "p" }, deleteOptions }), WRITE, CALLER),
    budget: async () => (await read(theirs, "b"))["status"],
  };
}

const REFUSED = { code: 429, status: { details: { causes: [{ reason: "DisruptionBudget" }] } } };
const CONFLICT = { code: 409, reason: "Conflict" };

describe("KIND-PodDisruptionBudget-9: a Pod that needed no budget", () => {
  test("asks for one if it begins to run meanwhile", async () => {
    const { around, podBecomes, evict } = await servers({ phase: "Pending" }, { disruptionsAllowed: 0 });
    around.before = () => podBecomes({ phase: "Running", conditions: READY });
    await expect(evict()).rejects.toMatchObject(REFUSED);
  });

  test("goes all the same if something else of it changes meanwhile", async () => {
    const { around, podBecomes, evict } = await servers({ phase: "Pending" }, { disruptionsAllowed: 0 });
    around.before = () => podBecomes({ conditions: [{ type: "Initialized", status: "True" }] });
    expect(await evict()).toMatchObject({ code: 201, status: { status: "Success" } });
  });

  test("is a conflict if the one who asks has named its version", async () => {
    const { around, podBecomes, evict } = await servers({ phase: "Pending" }, { disruptionsAllowed: 0 });
    around.before = () => podBecomes({ phase: "Running" });
    await expect(evict({ preconditions: { resourceVersion: "1" } })).rejects.toMatchObject(CONFLICT);
  });
});

test("KIND-PodDisruptionBudget-14: the eviction of a Pod that was not Ready, and changes meanwhile, gets the advice to retry", async () => {
  const enough = { currentHealthy: 1, desiredHealthy: 1 };
  const { around, podBecomes, evict } = await servers({ phase: "Running" }, enough);
  around.before = () => podBecomes({ conditions: READY });
  await expect(evict()).rejects.toMatchObject({ ...REFUSED, status: { details: { retryAfterSeconds: 10 } } });
});

test("KIND-PodDisruptionBudget-13: the last disruption that another server gives is not given twice", async () => {
  const { around, budgetBecomes, evict, budget } = await servers(
    { phase: "Running", conditions: READY },
    { disruptionsAllowed: 1 },
  );
  around.before = () => budgetBecomes({ disruptionsAllowed: 0, disruptedPods: { other: "2026-01-01T00:00:00Z" } });
  await expect(evict()).rejects.toMatchObject(REFUSED);
  expect(await budget()).toEqual({ disruptedPods: { other: expect.any(String) } });
});

test("KIND-PodDisruptionBudget-13: one of several is taken from what another server has left", async () => {
  const { around, budgetBecomes, evict, budget } = await servers(
    { phase: "Running", conditions: READY },
    { disruptionsAllowed: 5 },
  );
  around.before = () => budgetBecomes({ disruptionsAllowed: 3 });
  expect(await evict()).toMatchObject({ code: 201 });
  expect(await budget()).toMatchObject({ disruptionsAllowed: 2, disruptedPods: { p: expect.any(String) } });
});
