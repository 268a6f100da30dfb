import { expect, test } from "vitest";
import { qosClass } from "./qos.ts";
import type { PodSpec } from "./spec-schema.ts";

const BOTH = { cpu: "1", memory: "1Gi" };
const FULL = { limits: BOTH, requests: BOTH };
const specOf = (parts: object[], more: object = {}): PodSpec =>
  ({ containers: parts.map((resources, i) => ({ name: `c${i}`, resources })), ...more }) as unknown as PodSpec;

test.each([
  ["nothing", specOf([{}]), "BestEffort"],
  ["other resources", specOf([{ requests: { "ephemeral-storage": "1" } }]), "BestEffort"],
  ["zeros", specOf([{ requests: { cpu: "0" }, limits: { cpu: "0" } }]), "BestEffort"],
  ["a request", specOf([{ requests: { cpu: "1" } }]), "Burstable"],
  ["one limit", specOf([{ limits: { cpu: "1" }, requests: { cpu: "1" } }]), "Burstable"],
  ["both limits", specOf([FULL]), "Guaranteed"],
  [
    "both limits in other words",
    specOf([{ limits: BOTH, requests: { cpu: "1000m", memory: "1024Mi" } }]),
    "Guaranteed",
  ],
  ["less than its limit", specOf([{ limits: BOTH, requests: { ...BOTH, cpu: "500m" } }]), "Burstable"],
  ["nothing of what it has a limit of", specOf([{ limits: BOTH, requests: { ...BOTH, cpu: "0" } }]), "Burstable"],
  ["both limits in one of two", specOf([FULL, {}]), "Burstable"],
  ["both limits, but not before", specOf([FULL], { initContainers: [{ name: "i", resources: {} }] }), "Burstable"],
  ["what the Pod says, whatever its containers do", specOf([{}], { resources: FULL }), "Guaranteed"],
  ["a request of the Pod", specOf([FULL], { resources: { requests: { cpu: "1" } } }), "Burstable"],
  ["nothing of the Pod", specOf([FULL], { resources: {} }), "BestEffort"],
  ["no containers", {} as PodSpec, "BestEffort"],
])("KIND-Pod-5: the quality of service of who asks for %s", (_what, spec, expected) => {
  expect(qosClass(spec)).toBe(expected);
});
