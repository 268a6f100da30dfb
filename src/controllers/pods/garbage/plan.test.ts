import { describe, expect, test } from "vitest";
import type { Node, Pod } from "../../../client/kinds/index.ts";
import { kubernetes } from "../../../meta/dialect.ts";
import { atOnce, inSlices } from "../../../util/steps.ts";
import { longestSlice, sliceBound } from "../../../util/testing/slices.ts";
import { systemClock } from "../../../util/clock.ts";
import { attachNames } from "../../../claims/attachment.ts";
import { type NodePlan, QUARANTINE_MS, podsBeyond, isTerminated, planForNode } from "./plan.ts";

const NOW = 5_000_000;
const names = attachNames(kubernetes);
const OFF = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];

interface Made {
  readonly name?: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly born?: string;
  /** The grace period in seconds; undefined where it is not being deleted. */
  readonly grace?: number;
}
const podOf = ({ name = "p", phase = "Running", reason, born = "2026-01-01T00:00:00Z", grace }: Made = {}) =>
  ({
    metadata: {
      name,
      creationTimestamp: born,
      ...(grace === undefined ? {} : { deletionTimestamp: born, deletionGracePeriodSeconds: grace }),
    },
    spec: { nodeName: "n" },
    status: { phase, reason },
  }) as unknown as Pod;
const nodeOf = (ready: string | undefined, taints: readonly object[] = []) =>
  ({
    spec: { taints },
    status: { conditions: ready === undefined ? undefined : [{ type: "Ready", status: ready }] },
  }) as unknown as Node;
const namesIn = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name);

describe("the pods of a node", () => {
  const told = (pods: readonly Pod[], node: Node | undefined, missingSince?: number): NodePlan =>
    planForNode({ node, pods, missingSince }, names, NOW);
  const stays = podOf({ name: "stays" });
  const leaves = podOf({ name: "leaves", grace: 30 });

  test("CTL-PODGC-6: those that leave a node which is switched off are removed, and no others", () => {
    for (const ready of ["False", "Unknown", undefined]) {
      expect(told([stays, leaves], nodeOf(ready, OFF))).toEqual({ is: "settled", removes: [leaves] });
    }
  });

  test("CTL-PODGC-6: a node that is ready, or has no such taint, removes no Pod", () => {
    expect(told([leaves], nodeOf("True", OFF))).toEqual({ is: "settled", removes: [] });
    expect(told([leaves], nodeOf("False"))).toEqual({ is: "settled", removes: [] });
    expect(told([leaves], nodeOf("False", [{ key: "other", effect: "NoExecute" }]))).toMatchObject({ removes: [] });
  });

  test("CTL-PODGC-7: those that are as far as can be are left alone", () => {
    const done = podOf({ phase: "Failed", grace: 0 });
    expect(told([done], nodeOf("False", OFF))).toEqual({ is: "settled", removes: [] });
    expect(told([done], undefined)).toEqual({ is: "settled", removes: [] });
    for (const more of [podOf({ phase: "Failed", grace: 30 }), podOf({ grace: 0 })]) {
      expect(told([more], nodeOf("False", OFF))).toEqual({ is: "settled", removes: [more] });
    }
  });

  test("CTL-PODGC-1: a node that is not there is waited for from when it was first missed", () => {
    expect(told([stays], undefined)).toEqual({ is: "missing", since: NOW, left: QUARANTINE_MS });
    expect(told([stays], undefined, NOW - 39_000)).toEqual({ is: "missing", since: NOW - 39_000, left: 1000 });
    expect(told([stays, leaves], undefined, NOW - 40_000)).toEqual({ is: "lost", removes: [stays, leaves] });
    expect(told([stays], nodeOf("True"), NOW - 40_000)).toEqual({ is: "settled", removes: [] });
  });
});

describe("pods that have ended", () => {
  const evicted = podOf({ name: "evicted", phase: "Failed", reason: "Evicted", born: "2026-01-03T00:00:00Z" });
  const young = podOf({ name: "young", phase: "Succeeded", born: "2026-01-02T00:00:00Z" });
  const old = podOf({ name: "old", phase: "Failed" });
  const older = podOf({ name: "a-same-age", phase: "Failed" });
  const all = [young, old, evicted, older];

  test.each([
    [4, []],
    [9, []],
    [3, ["evicted"]],
    [1, ["evicted", "a-same-age", "old"]],
  ])("CTL-PODGC-5: beyond %i of them the evicted ones go, then the oldest", (threshold, gone) => {
    expect(namesIn([...atOnce(podsBeyond(all, threshold))])).toEqual(gone);
  });

  test("the oldest of a hundred thousand are found in many turns", async () => {
    const born = (i: number): string => new Date(1_700_000_000_000 + ((i * 7919) % 100_000) * 1000).toISOString();
    const made = Array.from({ length: 100_000 }, (_, i) => podOf({ name: `p-${i}`, phase: "Failed", born: born(i) }));
    let found: readonly Pod[] = [];
    const longest = await longestSlice(
      () => made,
      async (pods) => {
        const limit = systemClock.loop.slice();
        const gone: Pod[] = [];
        for (const pod of await inSlices(podsBeyond(pods, 90_000), limit)) {
          gone.push(pod);
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          await limit.pause();
        }
        found = gone;
      },
    );
    expect(longest).toBeLessThan(sliceBound(50));
    const ages = found.map(({ metadata }) => metadata.creationTimestamp);
    expect(ages).toEqual(
      made
        .map(({ metadata }) => metadata.creationTimestamp)
        .toSorted()
        .slice(0, 10_000),
    );
  });

  test("CTL-PODGC-5: a Pod that does not wait, run or lack a phase has ended", () => {
    expect(["Pending", "Running", "Unknown"].some((phase) => isTerminated(podOf({ phase })))).toBe(false);
    expect(["Succeeded", "Failed"].every((phase) => isTerminated(podOf({ phase })))).toBe(true);
  });
});
