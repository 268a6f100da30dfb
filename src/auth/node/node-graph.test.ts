import { expect, test } from "vitest";
import type { ApiObject } from "../../schema/definition.ts";
import type { Lookup, ObjectName } from "../../schema/lookup.ts";
import { expectNoLongSlice } from "../../util/testing/slices.ts";
import { NodeGraph } from "./node-graph.ts";
import { systemClock } from "../../util/clock.ts";

/** Pods that are created while they are followed. */
class Pods {
  readonly #objects = new Map<string, ApiObject>();
  readonly #changes: ObjectName[] = [];
  /** Reads of a Pod of this name fail. */
  broken = "";

  readonly lookup: Lookup = {
    get: (plural, _namespace, name) => {
      if (name === this.broken) throw new Error("cannot be read");
      return plural === "pods" ? this.#objects.get(name) : undefined;
    },
    collect: async (plural, read) =>
      plural === "pods" ? [...this.#objects.values()].flatMap((pod) => read(pod) ?? []) : [],
    first: () => [],
    follow: (plural) => {
      const changes = plural === "pods" ? this.#changes : [];
      return {
        get mark() {
          return changes.length;
        },
        changedSince: (mark) => changes.slice(mark),
      };
    },
  };

  /** A Pod on the node `n` with a Secret of its own, and so many more. */
  put(name: string, secrets = 0): void {
    const names = [`of-${name}`, ...Array.from({ length: secrets }, (_, i) => `${name}-${i}`)];
    const volumes = names.map((secretName) => ({ name: secretName, secret: { secretName } }));
    const pod = { kind: "Pod", metadata: { namespace: "a", name }, spec: { nodeName: "n", volumes } };
    this.#objects.set(name, pod as unknown as ApiObject);
    this.#changes.push({ namespace: "a", name });
  }
}

async function graphOf(): Promise<{ pods: Pods; graph: NodeGraph }> {
  const pods = new Pods();
  pods.put("first");
  const graph = new NodeGraph(pods.lookup, systemClock.loop);
  await graph.catchUp();
  return { pods, graph };
}

const reads = (graph: NodeGraph, name: string): boolean => graph.refers("n", "secrets", "a", `of-${name}`);

test("RBAC-38: a few changes are applied at once, and thousands of them in short slices", async () => {
  const { pods, graph } = await graphOf();
  expect([reads(graph, "first"), reads(graph, "p0")]).toEqual([true, false]);
  pods.put("p0");
  expect(graph.catchUp()).toBeUndefined();
  expect(reads(graph, "p0")).toBe(true);

  const many = async () => {
    const made = await graphOf();
    for (let i = 0; i < 4900; i++) made.pods.put(`p${i}`, 100);
    return made;
  };
  const work = async (made: Awaited<ReturnType<typeof many>>): Promise<void> => {
    const [one, other] = [made.graph.catchUp(), made.graph.catchUp()];
    expect(other).toBe(one);
    await one;
    expect([reads(made.graph, "p0"), reads(made.graph, "p4899")]).toEqual([true, true]);
  };
  await expectNoLongSlice(many, work);
});

test("RBAC-38: changes that come while others are applied are known afterwards", async () => {
  const { pods, graph } = await graphOf();
  for (let i = 0; i < 4000; i++) pods.put(`p${i}`, 30);
  const caught = graph.catchUp();
  pods.put("late");
  await caught;
  expect([reads(graph, "p3999"), reads(graph, "late")]).toEqual([true, true]);
});

test("RBAC-38: after a failure everything is read again", async () => {
  const { pods, graph } = await graphOf();
  for (const name of ["a", "b", "c"]) pods.put(name);
  pods.broken = "b";
  expect(() => graph.catchUp()).toThrow("cannot be read");
  pods.broken = "";
  await graph.catchUp();
  expect(["first", "a", "b", "c"].map((name) => reads(graph, name))).toEqual([true, true, true, true]);
});
