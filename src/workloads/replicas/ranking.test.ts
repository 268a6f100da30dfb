import { describe, expect, test } from "vitest";
import type { Pod } from "../../client/kinds/index.ts";
import { deletionOrder } from "./ranking.ts";

const NOW = Date.parse("2026-01-10T00:00:00Z");
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString().replace(".000", "");

interface Given {
  readonly node?: string;
  readonly phase?: string;
  /** Seconds since it became ready. */
  readonly ready?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  /** Seconds since it was created. */
  readonly age?: number;
  readonly isGoing?: boolean;
}

const podOf = (name: string, given: Given): Pod =>
  ({
    metadata: {
      name,
      uid: name,
      creationTimestamp: ago(given.age ?? 100_000),
      ...(given.cost === undefined
        ? {}
        : { annotations: { "controller.kubernetes.io/pod-deletion-cost": given.cost } }),
      ...(given.isGoing ? { deletionTimestamp: ago(1) } : {}),
    },
    spec: { nodeName: given.node ?? "n", initContainers: [{ name: "s", restartPolicy: "Always" }, { name: "i" }] },
    status: {
      phase: given.phase ?? "Running",
      ...(given.ready === undefined
        ? {}
        : { conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(given.ready) }] }),
      containerStatuses: [{ name: "c", restartCount: given.restarts ?? 0 }],
      initContainerStatuses: [
        { name: "s", restartCount: given.sidecarRestarts ?? 0 },
        { name: "i", restartCount: 50 },
      ],
    },
  }) as unknown as Pod;

const podsOf = (given: Readonly<Record<string, Given>>): readonly Pod[] =>
  Object.entries(given).map(([name, one]) => podOf(name, one));
const order = (given: Readonly<Record<string, Given>>, related: Readonly<Record<string, Given>> = {}): string =>
  deletionOrder(
    podsOf(related),
    NOW,
  )(podsOf(given))
    .map(({ metadata }) => metadata.name)
    .join(" ");

const READY = { ready: 1000 };

describe("WL-RS-4: who goes first", () => {
  test.each<[string, Readonly<Record<string, Given>>, string]>([
    ["not bound", { bound: { phase: "Pending" }, free: { node: "" } }, "free bound"],
    [
      "Pending, then Unknown, then Running",
      { r: {}, u: { phase: "Unknown", ...READY }, p: { phase: "Pending", ...READY } },
      "p u r",
    ],
    ["not ready, whatever the cost", { ready: { ...READY, cost: "-5" }, not: { cost: "9" } }, "not ready"],
    [
      "the lower cost; none and a wrong one are 0",
      {
        high: { cost: "7" },
        none: { age: 10 },
        wrong: { cost: "+1", age: 100 },
        zeros: { cost: "007", age: 1000 },
        large: { cost: "2147483648", age: 10_000 },
        low: { cost: "-1" },
      },
      "low none wrong zeros large high",
    ],
    ["ready for a shorter time", { long: { ready: 5000 }, short: { ready: 10 } }, "short long"],
    ["more restarts", { few: { ...READY, restarts: 1 }, many: { ...READY, restarts: 3 } }, "many few"],
    [
      "more restarts of sidecars where those of containers are equal; other init containers do not count",
      { few: READY, many: { ...READY, sidecarRestarts: 1 } },
      "many few",
    ],
    ["newer", { old: { ...READY, age: 90_000 }, young: { ...READY, age: 20 } }, "young old"],
  ])("%s", (_, given, expected) => {
    expect(order(given)).toBe(expected);
    const turned = Object.fromEntries(Object.entries(given).toReversed());
    expect(order(turned)).toBe(expected);
  });

  test("on a node with more related Pods; those that are going do not count", () => {
    const given = { alone: { ...READY, node: "a", ready: 10 }, crowded: { ...READY, node: "b", ready: 90_000 } };
    const related = { r1: { node: "b" }, r2: { node: "b" }, r3: { node: "a" }, g: { node: "a", isGoing: true } };
    expect(order(given)).toBe("alone crowded");
    expect(order(given, related)).toBe("crowded alone");
  });

  test("times are compared by the whole logarithm, and the uid decides between equal ones", () => {
    // 2^40 ns are 1099.5 s: 600 and 1000 s are in one bucket, 1200 s are in the next one.
    expect(order({ b: { ready: 600 }, a: { ready: 1000 }, z: { ready: 1200 } })).toBe("a b z");
    expect(order({ a: { ready: 1000 }, b: { ready: 1200 } })).toBe("a b");
    expect(order({ b: { ready: 1000 }, a: { ready: 1200 } })).toBe("b a");
  });
});
