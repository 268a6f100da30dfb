import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../meta/dialect.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { increase, plus, sameAmounts, shownAmounts } from "./amounts.ts";
import { selects } from "./scopes.ts";
import { countedBy, isAbout, usageOf } from "./usage.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

const objectOf = (spec: object, status?: object, metadata: object = {}): ApiObject => ({
  apiVersion: "v1",
  kind: "X",
  metadata: { name: "x", ...metadata },
  spec,
  ...(status ? { status } : {}),
});

const asking = (requests: object, limits: object = {}, more: object = {}) => ({
  name: "c",
  image: "i",
  resources: { requests, limits },
  ...more,
});

describe.each([neutral, kubernetes])("what objects take in the $name dialect", (dialect) => {
  const { domain } = dialect;

  test.each([
    ["pods", "pods"],
    ["count/pods", "pods"],
    ["cpu", "pods"],
    ["requests.memory", "pods"],
    ["limits.ephemeral-storage", "pods"],
    ["hugepages-2Mi", "pods"],
    ["requests.hugepages-2Mi", "pods"],
    ["requests.example.com/gpu", "pods"],
    ["example.com/gpu", undefined],
    ["configmaps", "configmaps"],
    ["secrets", "secrets"],
    ["resourcequotas", "resourcequotas"],
    ["replicationcontrollers", "replicationcontrollers"],
    ["services", "services"],
    ["services.nodeports", "services"],
    ["services.loadbalancers", "services"],
    ["persistentvolumeclaims", "persistentvolumeclaims"],
    ["requests.storage", "persistentvolumeclaims"],
    [`gold.storageclass.storage.${domain}/requests.storage`, "persistentvolumeclaims"],
    [`gold.storageclass.storage.${domain}/nosuch`, undefined],
    [`gpus.deviceclass.resource.k8s.io/devices`, "resourceclaims.resource.k8s.io"],
    ["count/things.example.com", "things.example.com"],
  ])("QUOTA-1: %s counts %s", (name, resource) => {
    expect(countedBy(name, dialect)).toBe(resource);
  });

  test("QUOTA-7: an object of any kind takes one", () => {
    const taken = (resource: string) => usageOf(resource, dialect).of(objectOf({}), NOW);
    expect(taken("things.example.com")).toEqual({ "count/things.example.com": "1" });
    expect(taken("configmaps")).toEqual({ "count/configmaps": "1", configmaps: "1" });
  });

  describe("Pods", () => {
    const pods = usageOf("pods", dialect);
    const taken = (spec: object, status?: object, metadata?: object) => pods.of(objectOf(spec, status, metadata), NOW);

    test("what containers ask for, by every name that quotas have for it", () => {
      const containers = [
        asking({ cpu: "100m", memory: "1Gi" }, { cpu: "1" }),
        asking({ cpu: "1", "hugepages-2Mi": "2Mi", "example.com/gpu": "1" }),
      ];
      expect(taken({ containers })).toEqual({
        "count/pods": "1",
        pods: "1",
        cpu: "1100m",
        "requests.cpu": "1100m",
        "limits.cpu": "1",
        memory: "1Gi",
        "requests.memory": "1Gi",
        "hugepages-2Mi": "2Mi",
        "requests.hugepages-2Mi": "2Mi",
        "requests.example.com/gpu": "1",
      });
    });

    test("what the Pod says as a whole counts in place of that, and its runtime takes more", () => {
      const spec = {
        containers: [asking({ cpu: "1", memory: "1Gi" })],
        resources: { requests: { cpu: "2" }, limits: { memory: "4Gi" } },
        overhead: { cpu: "500m", memory: "1Gi" },
      };
      expect(taken(spec)).toMatchObject({ "requests.cpu": "2500m", "requests.memory": "2Gi", "limits.memory": "5Gi" });
      expect(taken(spec)["limits.cpu"]).toBeUndefined();
    });

    test("what a container has got counts while it is more than it asks for, or will not get what it asks for", () => {
      const spec = { containers: [asking({ cpu: "1" }, { cpu: "1" })] };
      const got = {
        name: "c",
        allocatedResources: { cpu: "2" },
        resources: { requests: { cpu: "1500m" }, limits: { cpu: "3" } },
      };
      expect(taken(spec, { containerStatuses: [got] })).toMatchObject({ "requests.cpu": "2", "limits.cpu": "3" });
      const small = { name: "c", resources: { requests: { cpu: "500m" }, limits: { cpu: "500m" } } };
      expect(taken(spec, { containerStatuses: [small] })).toMatchObject({ "requests.cpu": "1", "limits.cpu": "1" });
      const conditions = [{ type: "PodResizePending", status: "True", reason: "Infeasible" }];
      expect(taken(spec, { containerStatuses: [small], conditions })).toMatchObject({
        "requests.cpu": "500m",
        "limits.cpu": "500m",
      });
    });

    test("one that has ended takes its place in the store alone", () => {
      const spec = { containers: [asking({ cpu: "1" })] };
      const none = { "count/pods": "1" };
      for (const phase of ["Failed", "Succeeded"]) expect(taken(spec, { phase })).toEqual(none);
      expect(taken(spec, { phase: "Running" })["pods"]).toBe("1");
      const gone = { deletionTimestamp: "2025-12-31T23:59:00Z", deletionGracePeriodSeconds: 30 };
      expect(taken(spec, undefined, gone)).toEqual(none);
      expect(taken(spec, undefined, { ...gone, deletionGracePeriodSeconds: 90 })["pods"]).toBe("1");
    });

    const about = (scopeName: string, spec: object, operator = "Exists", values?: string[]): boolean =>
      isAbout(
        { scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values ? { values } : {}) }] } },
        objectOf({ containers: [asking({})], ...spec }),
        pods,
      );

    test.each([
      ["Terminating", { activeDeadlineSeconds: 5 }, {}],
      ["NotTerminating", {}, { activeDeadlineSeconds: 5 }],
      ["BestEffort", {}, { containers: [asking({ cpu: "1" })] }],
      ["NotBestEffort", { containers: [asking({ cpu: "1" })] }, {}],
      ["PriorityClass", { priorityClassName: "high" }, {}],
      [
        "CrossNamespacePodAffinity",
        {
          affinity: {
            podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", namespaces: ["n"] }] },
          },
        },
        { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k" }] } } },
      ],
      [
        "CrossNamespacePodAffinity",
        {
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 1, podAffinityTerm: { topologyKey: "k", namespaceSelector: {} } },
              ],
            },
          },
        },
        { affinity: {} },
      ],
    ])("QUOTA-6: the scope %s", (scope, within, without) => {
      expect([about(scope, within), about(scope, without)]).toEqual([true, false]);
      expect(isAbout({ scopes: [scope] }, objectOf({ containers: [asking({})], ...within }), pods)).toBe(true);
    });

    test("QUOTA-6: classes by name; what the scope is not about does not hold", () => {
      const high = { priorityClassName: "high" };
      expect(about("PriorityClass", high, "In", ["high", "low"])).toBe(true);
      expect(about("PriorityClass", {}, "In", ["high"])).toBe(false);
      expect(about("PriorityClass", {}, "DoesNotExist")).toBe(true);
      expect(about("VolumeAttributesClass", {})).toBe(false);
      expect(isAbout({ scopes: ["BestEffort"] }, objectOf({}), usageOf("configmaps", dialect))).toBe(false);
    });

    test("containers have to say what is limited, unless the Pod says it as a whole", () => {
      const spec = {
        containers: [asking({ cpu: "1" }), asking({}, {}, { name: "d" })],
        initContainers: [asking({}, {}, { name: "e" })],
      };
      const limited = ["requests.cpu", "limits.cpu", "requests.storage", "pods"];
      expect(pods.unsaid!(objectOf(spec), limited)).toBe("must specify limits.cpu for: c,d,e; requests.cpu for: d,e");
      expect(pods.unsaid!(objectOf(spec), ["pods"])).toBeUndefined();
      expect(pods.unsaid!(objectOf({ ...spec, resources: { requests: { cpu: "1" } } }), limited)).toBeUndefined();
      const many = { containers: Array.from({ length: 12 }, (_, i) => asking({}, {}, { name: `c${i + 10}` })) };
      expect(pods.unsaid!(objectOf(many), ["cpu"])).toContain("c18,c19 and 2 more");
    });

    test("only a deadline, or another size, changes what a Pod takes", () => {
      const [plain, ending] = [objectOf({}), objectOf({ activeDeadlineSeconds: 1 })];
      expect(pods.mayChange!("", plain, plain)).toBe(false);
      expect(pods.mayChange!("", ending, plain)).toBe(true);
      expect(pods.mayChange!("resize", plain, plain)).toBe(true);
      expect(pods.mayChange!("status", plain, plain)).toBe(false);
    });
  });

  test("Services: a balancer has ports of nodes unless they are disabled", () => {
    const taken = (spec: object) => usageOf("services", dialect).of(objectOf(spec), NOW);
    const ports = [{ port: 1 }, { port: 2, nodePort: 30_000 }];
    expect(taken({ type: "LoadBalancer", ports })).toMatchObject({
      "services.nodeports": "2",
      "services.loadbalancers": "1",
    });
    expect(taken({ type: "LoadBalancer", ports, allocateLoadBalancerNodePorts: false })).toMatchObject({
      "services.nodeports": "1",
    });
    expect(taken({ type: "NodePort", ports })).toMatchObject({
      "services.nodeports": "2",
      "services.loadbalancers": "0",
    });
    expect(taken({ ports: null })).toMatchObject({ services: "1", "services.nodeports": "0" });
  });

  test("QUOTA-5: the old annotation of a claim names its class", () => {
    const annotations = { [`volume.beta.${dialect.labelDomain}/storage-class`]: "gold" };
    const claims = usageOf("persistentvolumeclaims", dialect);
    expect(claims.of(objectOf({ storageClassName: "silver" }, undefined, { annotations }), NOW)).toEqual({
      "count/persistentvolumeclaims": "1",
      persistentvolumeclaims: "1",
      [`gold.storageclass.storage.${domain}/persistentvolumeclaims`]: "1",
    });
  });

  test("QUOTA-6: a claim has the classes that it wants, has and is about to get", () => {
    const claims = usageOf("persistentvolumeclaims", dialect);
    const status = {
      currentVolumeAttributesClassName: "b",
      modifyVolumeStatus: { targetVolumeAttributesClassName: "c" },
    };
    const claim = objectOf({ volumeAttributesClassName: "a" }, status);
    const of = (...values: string[]): boolean =>
      isAbout(
        { scopeSelector: { matchExpressions: [{ scopeName: "VolumeAttributesClass", operator: "In", values }] } },
        claim,
        claims,
      );
    expect([of("a"), of("b"), of("c"), of("d")]).toEqual([true, true, true, false]);
    expect(claims.mayChange!("status", claim, objectOf({ volumeAttributesClassName: "a" }))).toBe(true);
    expect(claims.mayChange!("status", claim, claim)).toBe(false);
  });

  test("claims of devices: the greatest of alternatives, class by class", () => {
    const devices = (spec: object) =>
      usageOf("resourceclaims.resource.k8s.io", dialect).of(objectOf({ devices: spec }), NOW);
    const exact = (deviceClassName: string, count: number) => ({
      deviceClassName,
      allocationMode: "ExactCount",
      count,
    });
    const requests = [
      { name: "a", exactly: exact("gpu", 2) },
      {
        name: "b",
        firstAvailable: [exact("gpu", 1), exact("gpu", 3), { deviceClassName: "tpu", allocationMode: "All" }],
      },
    ];
    expect(devices({ requests })).toEqual({
      [`count/resourceclaims.resource.k8s.io`]: "1",
      [`gpu.deviceclass.resource.k8s.io/devices`]: "5",
      [`tpu.deviceclass.resource.k8s.io/devices`]: "32",
    });
  });
});

test.each([
  ["Exists", [], [false, true]],
  ["DoesNotExist", [], [true, false]],
  ["In", ["a"], [false, true]],
  ["NotIn", ["a"], [true, false]],
  ["NotIn", ["b"], [true, true]],
  ["Near", [], [false, false]],
])("QUOTA-6: %s %j selects nobody and a: %j", (operator, values, expected) => {
  const requirement = { scopeName: "PriorityClass", operator, values };
  expect([selects(requirement, []), selects(requirement, ["a"])]).toEqual(expected);
});

test("amounts", () => {
  expect(plus({ a: "1", b: "1Gi" }, { b: "1Gi", c: "2" })).toEqual({ a: "1", b: "2Gi", c: "2" });
  expect(increase({ a: "3", b: "1", c: "0" }, { a: "1", b: "2" })).toEqual({ a: "2" });
  expect(sameAmounts({ a: "1" }, { a: "1000m" })).toBe(true);
  expect(sameAmounts({ a: "1" }, { b: "1" })).toBe(false);
  expect(sameAmounts(undefined, {})).toBe(true);
  expect(shownAmounts({ b: "2", a: "1" })).toBe("a=1,b=2");
});
