import { describe, expect, test } from "vitest";
import { kubernetes } from "../meta/dialect.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { AdmissionRequest, AdmissionStep } from "./contract.ts";
import {
  extendedResourceToleration,
  limitPodHardAntiAffinityTopology,
  podNodeSelector,
  podTolerationRestriction,
  podTopologyLabels,
} from "./placement.ts";
import { atOnce, lookupOf, objectOf, requestOf } from "./testing/requests.ts";

const PODS = { group: "", plural: "pods", kind: "Pod" };

/** A Pod after a step in a namespace with annotations, or why it is refused. */
function admit(
  step: AdmissionStep,
  spec: object,
  annotations: Readonly<Record<string, string>> = {},
  more: Partial<AdmissionRequest> = {},
): ApiObject | string {
  const object = objectOf({ name: "p", namespace: "team" }, { kind: "Pod", spec: structuredClone(spec) });
  const namespaces = [objectOf({ name: "team", annotations })];
  const nodes = [
    objectOf({
      name: "n",
      labels: { "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r", x: "y" },
    }),
  ];
  const request = requestOf({ ref: PODS, name: "p", object, lookup: lookupOf({ namespaces, nodes }), ...more });
  try {
    atOnce(step.mutate?.(request));
    atOnce(step.validate?.(request));
  } catch (error) {
    return (error as Error).message;
  }
  return request.object!;
}

test("a required anti-affinity by another topology than the host name is refused", () => {
  const step = limitPodHardAntiAffinityTopology(kubernetes);
  const spec = (...keys: string[]) => ({
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: keys.map((topologyKey) => ({ topologyKey })) },
    },
  });
  expect(admit(step, spec("kubernetes.io/hostname"))).toBeTypeOf("object");
  expect(admit(step, {})).toBeTypeOf("object");
  expect(admit(step, spec("kubernetes.io/hostname", "zone"))).toBe(
    'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
  );
});

describe("PodNodeSelector", () => {
  const step = podNodeSelector(kubernetes);
  const selector = (text: string) => ({ "scheduler.alpha.kubernetes.io/node-selector": text });

  test("Pods get the node selector of their namespace beside their own", () => {
    const pod = admit(step, { nodeSelector: { disk: "fast" } }, selector("zone=a, disk=fast"));
    expect(pod).toMatchObject({ spec: { nodeSelector: { zone: "a", disk: "fast" } } });
    expect(admit(step, { x: 1 }, selector(""))).toMatchObject({ spec: { x: 1 } });
    expect(admit(step, {})).not.toHaveProperty("spec.nodeSelector");
  });

  test("a Pod that contradicts its namespace is refused, and one in a namespace with another text", () => {
    expect(admit(step, { nodeSelector: { zone: "b" } }, selector("zone=a"))).toContain(
      "pod node label selector conflicts with its namespace node label selector",
    );
    expect(admit(step, {}, selector("zone"))).toContain('to be key=value pairs, got "zone"');
    expect(admit(step, { nodeSelector: { zone: "b" } }, selector("zone=a"), { operation: "UPDATE" })).toBeTypeOf(
      "object",
    );
  });
});

describe("PodTolerationRestriction", () => {
  const step = podTolerationRestriction(kubernetes);
  const PRESSURE = { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };
  const ann = (name: string, value: unknown) => ({ [`scheduler.alpha.kubernetes.io/${name}`]: JSON.stringify(value) });
  const own = { key: "a", operator: "Equal", value: "v", effect: "NoSchedule" };

  test("Pods get the tolerations of their namespace, and those that ask for memory one of its pressure", () => {
    const given = [{ key: "b", operator: "Exists", tolerationSeconds: 5, effect: "NoExecute" }];
    const pod = admit(step, { tolerations: [own], containers: [] }, ann("defaultTolerations", given));
    expect(pod).toMatchObject({ spec: { tolerations: [own, ...given] } });
    const asking = { containers: [{ name: "a", resources: { requests: { memory: "1" } } }] };
    expect(admit(step, asking)).toMatchObject({ spec: { tolerations: [PRESSURE] } });
    const changed = admit(step, asking, ann("defaultTolerations", given), { operation: "UPDATE" });
    expect(changed).toMatchObject({ spec: { tolerations: [PRESSURE] } });
  });

  test("tolerations that a list of the namespace does not cover are refused", () => {
    const spec = { tolerations: [own], containers: [] };
    expect(admit(step, spec, ann("tolerationsWhitelist", [{ key: "a", operator: "Exists" }]))).toBeTypeOf("object");
    expect(admit(step, spec, ann("tolerationsWhitelist", []))).toBeTypeOf("object");
    expect(admit(step, spec, ann("tolerationsWhitelist", [{ key: "b", operator: "Exists" }]))).toContain(
      "conflict with its namespace whitelist",
    );
    const many = { tolerations: Array(1001).fill(own), containers: [] };
    expect(admit(step, many, ann("tolerationsWhitelist", [{ key: "a" }]))).toContain(
      "expected at most 1000 tolerations",
    );
  });

  test.each([["no JSON"], ["{}"], ["[1]"]])("the annotation %j is refused", (text) => {
    const annotations = { "scheduler.alpha.kubernetes.io/defaultTolerations": text };
    expect(admit(step, { containers: [] }, annotations)).toContain("to be a JSON list of tolerations");
  });
});

test("Pods tolerate the taints of the extended resources that they request", () => {
  const step = extendedResourceToleration(kubernetes);
  const asking = (...names: string[]) => [
    { name: "a", resources: { requests: Object.fromEntries(names.map((name) => [name, "1"])) } },
  ];
  const of = (key: string) => ({ key, operator: "Exists", effect: "NoSchedule" });
  expect(
    admit(step, { containers: asking("x.io/b", "cpu"), initContainers: asking("x.io/a"), tolerations: [of("x.io/b")] }),
  ).toMatchObject({
    spec: { tolerations: [of("x.io/b"), of("x.io/a")] },
  });
  expect(admit(step, { containers: asking("cpu", "hugepages-2Mi") })).not.toHaveProperty("spec.tolerations");
  // What is wrong with such a Pod, its rules tell.
  for (const spec of [{}, { containers: null, initContainers: null, tolerations: null }]) {
    expect(admit(step, spec)).not.toHaveProperty("spec.tolerations.0");
  }
});

describe("PodTopologyLabels", () => {
  const step = podTopologyLabels(kubernetes);
  const copied = { "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r" };

  test("a binding gets the zone and the region of its node, in the place of its own", () => {
    const binding = (target: object) =>
      objectOf({ name: "p", labels: { "topology.kubernetes.io/zone": "own", a: "b" } }, { kind: "Binding", target });
    const bind = (target: object) => admit(step, {}, {}, { subresource: "binding", object: binding(target) });
    expect(bind({ kind: "Node", name: "n" })).toMatchObject({ metadata: { labels: { ...copied, a: "b" } } });
    const untouched = { metadata: { labels: { "topology.kubernetes.io/zone": "own", a: "b" } } };
    expect(bind({ kind: "Node", name: "gone" })).toMatchObject(untouched);
    expect(bind({ kind: "Other", name: "n" })).toMatchObject(untouched);
  });

  test("so does a new Pod that names its node, and no other", () => {
    expect(admit(step, { nodeName: "n" })).toMatchObject({ metadata: { labels: copied } });
    expect(admit(step, {})).not.toHaveProperty("metadata.labels");
    expect(admit(step, { nodeName: "n" }, {}, { operation: "UPDATE" })).not.toHaveProperty("metadata.labels");
    expect(admit(step, { nodeName: "n" }, {}, { subresource: "status" })).not.toHaveProperty("metadata.labels");
  });
});
