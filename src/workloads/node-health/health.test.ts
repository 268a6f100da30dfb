import { describe, expect, test } from "vitest";
import type { Lease, Node } from "../../client/kinds/index.ts";
import { heartbeatsOf, silentConditions } from "./health.ts";

const nodeOf = (ready: object, uid = "u", others: readonly object[] = []): Node =>
  ({
    metadata: { name: "a", uid },
    status: { conditions: [{ type: "Ready", status: "True", ...ready }, ...others] },
  }) as unknown as Node;
const leaseOf = (renewTime: string): Lease => ({ spec: { renewTime } }) as unknown as Lease;
const SILENT = { status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: "2026-01-01T00:01:00Z" };

describe("heartbeatsOf", () => {
  const first = heartbeatsOf(undefined, nodeOf({ lastHeartbeatTime: "x" }), leaseOf("1"), 1000);
  const seenAt = (node: Node, lease = leaseOf("1")): number => heartbeatsOf(first, node, lease, 5000).seenAt;

  test("counts from when a change of Ready or of the lease is seen", () => {
    expect(first.seenAt).toBe(1000);
    expect(seenAt(nodeOf({ lastHeartbeatTime: "x" }))).toBe(1000);
    expect(seenAt(nodeOf({ lastHeartbeatTime: "y" }))).toBe(5000);
    expect(seenAt(nodeOf({ lastHeartbeatTime: "x" }), leaseOf("2"))).toBe(5000);
  });

  test("takes what a controller has written of a silent node for no heartbeat, an Unknown of its agent for one", () => {
    expect(seenAt(nodeOf(SILENT))).toBe(1000);
    expect(seenAt(nodeOf({ ...SILENT, reason: "KubeletSaysSo" }))).toBe(5000);
  });

  test("starts again with another node of the same name", () => {
    expect(seenAt(nodeOf({ lastHeartbeatTime: "x" }, "other"))).toBe(5000);
  });
});

test("silentConditions leaves conditions that are Unknown already as they are", () => {
  const memory = { type: "MemoryPressure", status: "Unknown", reason: "Own" };
  const types = silentConditions(nodeOf({}, "u", [memory]), 0)?.map(({ type }) => type);
  expect(types).toEqual(["Ready", "DiskPressure", "PIDPressure"]);
  expect(silentConditions(nodeOf(SILENT), 0)).toBeUndefined();
});
