import { expect, test } from "vitest";
import type { Compared } from "./findings.ts";
import { restartsOf } from "./restarts.ts";

test("a change of a DaemonSet with many nodes pauses after each of them", async () => {
  const nodes = Array.from({ length: 500 }, (_, i) => ({ metadata: { name: `n-${i}` }, spec: {} }));
  const setOf = (image: string) => ({
    metadata: { name: "d", namespace: "n", uid: "u" },
    spec: { updateStrategy: {}, template: { metadata: {}, spec: { containers: [{ name: "c", image }] } } },
  });
  const lookupOf = (image: string) => ({
    get: () => setOf(image),
    collect: async (resource: string) => (resource === "nodes" ? nodes : []),
  });
  let pauses = 0;
  const compared = {
    before: lookupOf("a"),
    after: lookupOf("b"),
    now: 0,
    pause: async () => void pauses++,
    mayList: async () => true,
  } as unknown as Compared;
  await restartsOf(compared, [{ resource: "daemonsets.apps", namespace: "n", name: "d" }]);
  expect(pauses).toBeGreaterThanOrEqual(nodes.length);
});
