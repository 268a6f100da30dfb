import { expect, test } from "vitest";
import type { Pod } from "../client/kinds/index.ts";
import { isAtRest } from "./rest.ts";

const podOf = ({ metadata = {}, spec = {}, status = {} }: { metadata?: object; spec?: object; status?: object }): Pod =>
  ({
    metadata: { name: "p", namespace: "n", uid: "u", generation: 1, ...metadata },
    spec: { nodeName: "n", containers: [{ name: "main", image: "web" }], ...spec },
    status: {
      phase: "Running",
      observedGeneration: 1,
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [{ name: "main", ready: true, state: { running: {} } }],
      ...status,
    },
  }) as unknown as Pod;
const isScripted = (image: string): boolean => image === "db";

test.each([
  [true, {}],
  [true, { status: { phase: "Succeeded" } }],
  [false, { status: { phase: "Pending" } }],
  [false, { status: { observedGeneration: 0 } }],
  [false, { status: { conditions: [{ type: "Ready", status: "False" }] } }],
  [false, { status: { containerStatuses: [] } }],
  [false, { status: { containerStatuses: [{ name: "main", ready: false, state: { running: {} } }] } }],
  [false, { spec: { readinessGates: [{ conditionType: "example.com/gate" }] } }],
  [false, { spec: { activeDeadlineSeconds: 60 } }],
  [false, { spec: { containers: [{ name: "main", image: "db" }] } }],
  [false, { metadata: { annotations: { "simulation.keelson.dev/flapping": "1m" } } }],
  [false, { metadata: { annotations: { "simulation.keelson.dev/run-for": "1m" } } }],
  [false, { metadata: { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 } }],
  [true, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0 } }],
])("is at rest: %s, with %j", (expected, pod) => {
  expect(isAtRest(podOf(pod), isScripted)).toBe(expected);
});
