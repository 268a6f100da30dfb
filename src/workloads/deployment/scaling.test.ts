import { describe, expect, test } from "vitest";
import type { Deployment, ReplicaSet } from "../../client/kinds/index.ts";
import { scaleAnnotations } from "./revisions.ts";
import { growNew, isScaled, nextSize, scale, shrinkOld } from "./scaling.ts";
import { SetDraft } from "./set-draft.ts";
import { maxSurge, maxUnavailable } from "./shares.ts";

const deploymentOf = (replicas: number, rollingUpdate?: object, status: object = {}): Deployment =>
  ({
    metadata: { name: "w" },
    spec: {
      replicas,
      strategy: rollingUpdate
        ? { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%", ...rollingUpdate } }
        : { type: "Recreate" },
    },
    status,
  }) as unknown as Deployment;

/** @param of the Deployment when the ReplicaSet was sized */
const setOf = (name: string, size: number, available = size, of?: Deployment): SetDraft =>
  SetDraft.of({
    metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z", annotations: of ? scaleAnnotations(of) : {} },
    spec: { replicas: size },
    status: { replicas: size, availableReplicas: available },
  } as unknown as ReplicaSet);

describe("WL-DEP-10: surge and unavailable", () => {
  test.each([
    [4, {}, 1, 1],
    [10, {}, 3, 2],
    [1, {}, 1, 0],
    [3, { maxSurge: 0 }, 0, 1],
    [3, { maxSurge: 0, maxUnavailable: "1%" }, 0, 1],
    [5, { maxSurge: "30%", maxUnavailable: "30%" }, 2, 1],
    [2, { maxUnavailable: 7 }, 1, 2],
    [0, {}, 0, 0],
  ])("of %i with %j are %i and %i", (replicas, given, surge, unavailable) => {
    const deployment = deploymentOf(replicas, given);
    expect([maxSurge(deployment), maxUnavailable(deployment)]).toEqual([surge, unavailable]);
  });

  test("with Recreate there is neither", () => {
    expect([maxSurge(deploymentOf(4)), maxUnavailable(deploymentOf(4))]).toEqual([0, 0]);
  });
});

/** Simulates a rollout whose Pods become available at once where permitted; returns the sizes of both sides after each step. */
function played(deployment: Deployment): readonly string[] {
  const replicas = deployment.spec.replicas ?? 0;
  let old = setOf("old", replicas);
  let young = setOf("new", nextSize(undefined, [old], deployment), 0);
  const seen: string[] = [];
  for (let i = 0; i < 20; i++) {
    if (!growNew(young, [old], deployment)) shrinkOld(young, [old], deployment);
    const now = `${old.size}+${young.size}`;
    if (now === seen.at(-1)) {
      if (young.available === young.size) return seen;
      young = setOf("new", young.size, young.available + 1);
    } else {
      seen.push(now);
      young = setOf("new", young.size, young.available);
    }
    old = setOf("old", old.size);
  }
  return seen;
}

describe("WL-DEP-11, WL-DEP-12: a rolling update, one change at a time", () => {
  test.each([
    [4, {}, ["3+1", "3+2", "2+2", "2+3", "1+3", "1+4", "0+4"]],
    [3, { maxSurge: 0, maxUnavailable: 1 }, ["2+0", "2+1", "1+1", "1+2", "0+2", "0+3"]],
    [3, { maxSurge: "100%", maxUnavailable: 0 }, ["3+3", "2+3", "1+3", "0+3"]],
    [2, { maxSurge: 0, maxUnavailable: "1%" }, ["1+0", "1+1", "0+1", "0+2"]],
  ])("%i with %j", (replicas, given, steps) => {
    expect(played(deploymentOf(replicas, given))).toEqual(steps);
  });

  test("5 with 30 % and 30 % begin with 4 + 3", () => {
    expect(played(deploymentOf(5, { maxSurge: "30%", maxUnavailable: "30%" })).slice(0, 2)).toEqual(["4+2", "4+3"]);
  });

  test("old Pods that are not available go first, the oldest ReplicaSet first, however many new ones wait", () => {
    const sets = [setOf("a", 3, 1), setOf("b", 4, 4)];
    const young = setOf("c", 3, 0);
    shrinkOld(young, sets, deploymentOf(8, { maxSurge: 2, maxUnavailable: 3 }));
    // All are 10, 5 have to stay, 3 new ones are not available: 2 may be deleted.
    expect(sets.map(({ size }) => size)).toEqual([1, 4]);
  });

  test("a ReplicaSet whose status is behind its size is not taken for more than it wants", () => {
    const old = setOf("old", 3, 4);
    shrinkOld(setOf("new", 1, 0), [old], deploymentOf(4, {}));
    expect(old.size).toBe(3);
  });

  test("too many new ones are set back", () => {
    const young = setOf("new", 9);
    expect(growNew(young, [], deploymentOf(4, {}))).toBe(true);
    expect(young.size).toBe(4);
  });
});

describe("WL-DEP-16: a change of replicas on the way", () => {
  /** Scales; returns the new sizes, in the order of the input. */
  const scaled = (before: Deployment, to: Deployment, sizes: readonly number[]): readonly number[] => {
    const sets = sizes.map((size, i) => setOf(`s${i}`, size, size, before));
    const current = sets.at(-1);
    expect(isScaled({ current, old: sets.slice(0, -1) }, to)).toBe(true);
    scale({ current, old: sets.slice(0, -1) }, to);
    for (const { annotations, size } of sets) if (size > 0) expect(annotations).toMatchObject(scaleAnnotations(to));
    return sets.map(({ size }) => size);
  };

  test.each([
    ["4+2 of 4 with surge 2 to 10", { maxSurge: 2 }, 4, 10, [4, 2], [8, 4]],
    ["down", { maxSurge: 2 }, 10, 4, [8, 4], [4, 2]],
    ["to nothing", { maxSurge: 1 }, 4, 0, [3, 2], [0, 0]],
    ["equal ones, growing: the newest first gets the rest", { maxSurge: 0 }, 4, 5, [2, 2], [2, 3]],
    ["equal ones, shrinking: the oldest first", { maxSurge: 0 }, 4, 3, [2, 2], [1, 2]],
  ])("%s", (_, given, from, to, sizes, expected) => {
    expect(scaled(deploymentOf(from, given), deploymentOf(to, given), sizes)).toEqual(expected);
  });

  test("if only one has replicas that one is scaled, else the newest", () => {
    const before = deploymentOf(4, {});
    expect(scaled(before, deploymentOf(6, {}), [4, 0])).toEqual([6, 0]);
    const sets = [setOf("a", 0), setOf("b", 0)];
    scale({ current: undefined, old: sets }, deploymentOf(2, {}));
    expect(sets.map(({ size }) => size)).toEqual([0, 2]);
  });

  test("if the newest is saturated the old ones go", () => {
    const to = deploymentOf(3, {});
    const sets = [setOf("old", 2, 2, deploymentOf(2, {})), setOf("new", 3, 3, to)];
    scale({ current: sets[1], old: [sets[0]!] }, to);
    expect(sets.map(({ size }) => size)).toEqual([0, 3]);
  });

  test("an annotation that is no number counts as the Pods that there are", () => {
    const to = deploymentOf(8, { maxSurge: 0 }, { replicas: 4 });
    const sets = [setOf("old", 2), setOf("new", 2)];
    scale({ current: sets[1], old: [sets[0]!] }, to);
    expect(sets.map(({ size }) => size)).toEqual([4, 4]);
  });
});
