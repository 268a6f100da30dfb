import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaim, Pod } from "../client/kinds/index.ts";
import { hasEnded, usesClaim, waitsForNode } from "./usage.ts";

const DELETED = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const claimOf = (owner?: string) =>
  ({
    metadata: { name: "p-v", ...(owner ? { ownerReferences: [{ uid: owner }] } : {}) },
  }) as unknown as PersistentVolumeClaim;
const podOf = (spec: object, metadata: object = {}, status: object = {}) =>
  ({ metadata: { name: "p", uid: "1", ...metadata }, spec, status }) as unknown as Pod;

const NAMED = { nodeName: "n", volumes: [{ name: "v", persistentVolumeClaim: { claimName: "p-v" } }] };
const EPHEMERAL = { nodeName: "n", volumes: [{ name: "v", ephemeral: {} }] };

describe("CTL-PVCP-2: a Pod uses a claim", () => {
  test.each<[string, Pod, PersistentVolumeClaim, boolean]>([
    ["that it names", podOf(NAMED), claimOf(), true],
    ["that it names, until it is gone", podOf(NAMED, { ...DELETED, deletionGracePeriodSeconds: 0 }), claimOf(), true],
    ["only on a node", podOf({ volumes: NAMED.volumes }), claimOf(), false],
    ["of another name not", podOf({ ...NAMED, volumes: [] }), claimOf(), false],
    ["that was made for it", podOf(EPHEMERAL), claimOf("1"), true],
    ["of its template that was made for another one not", podOf(EPHEMERAL), claimOf("2"), false],
    ["of its template without an owner not", podOf(EPHEMERAL), claimOf(), false],
    [
      "that was made for it while it ends",
      podOf(EPHEMERAL, { ...DELETED, deletionGracePeriodSeconds: 30 }),
      claimOf("1"),
      true,
    ],
    [
      "that was made for it no more when it runs nothing",
      podOf(EPHEMERAL, { ...DELETED, deletionGracePeriodSeconds: 0 }),
      claimOf("1"),
      false,
    ],
    [
      "that was made for it while nothing deletes it",
      podOf(EPHEMERAL, { deletionGracePeriodSeconds: 0 }),
      claimOf("1"),
      true,
    ],
  ])("%s", (_, pod, claim, uses) => {
    expect(usesClaim(pod, claim)).toBe(uses);
  });
});

test.each<[object, object, boolean]>([
  [{}, {}, true],
  [{ nodeName: "n" }, {}, false],
  [{}, { phase: "Failed" }, false],
  [{}, { phase: "Pending" }, true],
])("a Pod with %j and %j waits for a node: %s", (spec, status, waits) => {
  expect(waitsForNode(podOf(spec, {}, status))).toBe(waits);
});

const RUNNING = { containerStatuses: [{ state: { terminated: {} } }, { state: { running: {} } }] };
test.each<[object, object, boolean]>([
  [{}, {}, false],
  [{}, { phase: "Succeeded", ...RUNNING }, true],
  [DELETED, {}, true],
  [DELETED, RUNNING, false],
  [DELETED, { containerStatuses: [{ state: { terminated: {} } }, {}] }, true],
])("a Pod with %j and %j has ended: %s", (metadata, status, ended) => {
  expect(hasEnded(podOf({}, metadata, status))).toBe(ended);
});
