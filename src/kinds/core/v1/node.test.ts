import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { node } from "./node.ts";

const dialects = [neutral, kubernetes].map((dialect) => {
  const ctx = contextOf(dialect);
  return [dialect.name, new KindUnderTest(node(ctx), ctx), dialect] as const;
});

const taint = { key: "a.b/c", value: "d", effect: "NoSchedule" };

describe.each(dialects)("Node, %s", (_name, kind, dialect) => {
  const isStrict = dialect.name === "kubernetes";
  const domain = dialect.labelDomain;
  const causes = (body: object) => kind.create(body).causes.map((cause) => cause.replace("FieldValue", ""));
  const status = (members: object) => causes({ status: members });
  const { object: bare } = kind.create({});
  const report = (members: object, old = bare) => kind.update(old, { ...old, status: members }, "status");

  test("SUP-6: it is shown with its state, its roles and what runs on it", () => {
    const { object } = kind.create({
      metadata: { name: "x", labels: { [`node-role.${domain}/b`]: "", [`${domain}/role`]: "a" } },
      spec: { unschedulable: true, taints: [taint] },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
        nodeInfo: { kubeletVersion: "v1", osImage: "os" },
      },
    });
    expect(kind.cells(object)).toEqual([
      "Ready,SchedulingDisabled",
      "a,b",
      "0s",
      "v1",
      "10.0.0.1",
      "<none>",
      "os",
      "<unknown>",
      "<unknown>",
    ]);
    expect(kind.definition.selectableFields!["spec.unschedulable"]!(object)).toBe("true");
  });

  test("SUP-6: one of which nothing is known is shown as such", () => {
    expect(kind.cells(bare).slice(0, 4)).toEqual(["Unknown", "<none>", "0s", ""]);
    const notReady = { ...bare, status: { conditions: [{ type: "Ready", status: "Unknown" }] } };
    expect(kind.cells(notReady)[0]).toBe("NotReady");
  });

  test("SUP-6: it is made whole, and its agent says more of it", () => {
    const said = {
      capacity: { cpu: "2", memory: "1500000u" },
      conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "2031-02-03T04:05:06Z" }],
      nodeInfo: { swap: { capacity: 1 } },
      images: [{ names: ["i"], sizeBytes: 1 }],
      volumesInUse: ["v"],
      volumesAttached: [{ name: "v", devicePath: "/d" }],
      runtimeHandlers: [{ features: { recursiveReadOnlyMounts: false, userNamespaces: true } }],
      features: { supplementalGroupsPolicy: false },
    };
    const { object, causes: none, unknown } = kind.create({ status: said });
    expect([none, unknown]).toEqual([[], []]);
    expect(object["status"]).toMatchObject({
      ...said,
      capacity: { cpu: "2", memory: "1500m" },
      allocatable: { cpu: "2", memory: "1500m" },
      runtimeHandlers: [{ name: "", ...said.runtimeHandlers[0] }],
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    });
    const less = report({ ...said, allocatable: { cpu: "1" } }).object;
    expect(less["status"]).toMatchObject({ allocatable: { cpu: "1" } });
  });

  test("SUP-6: an update leaves the status, a status write the spec", () => {
    const old = { ...kind.create({ spec: { unschedulable: true } }).object, status: { phase: "p" } };
    const body = { spec: { taints: [taint] }, status: { phase: "q" } };
    expect(kind.update(old, body).object).toMatchObject({ spec: { taints: [taint] }, status: { phase: "p" } });
    expect(kind.update(old, body, "status").object).toMatchObject({
      spec: { unschedulable: true },
      status: { phase: "q" },
    });
  });

  test.each([
    [{ ...taint, key: "a b" }, "Invalid", ".key"],
    [{ ...taint, key: "" }, "Invalid", ".key"],
    [{ ...taint, value: "a b" }, "Invalid", ".value"],
    [{ ...taint, effect: "" }, "Required", ".effect"],
    [{ ...taint, effect: "Other" }, "NotSupported", ".effect"],
  ])("SUP-6: the taint %j is told as %s at %s", (wrong, reason, place) => {
    const at = isStrict ? "metadata.taints[0]" : "spec.taints[0]";
    expect(causes({ spec: { taints: [wrong] } })).toEqual([`${reason} ${at}${place}`]);
    expect(kind.update(bare, { spec: { taints: [wrong] } }).causes).toEqual([`FieldValue${reason} ${at}${place}`]);
  });

  test("SUP-6: two taints of one key and effect are reported", () => {
    const at = isStrict ? "metadata.taints" : "spec.taints";
    expect(causes({ spec: { taints: [taint, { ...taint, value: "e" }] } })).toEqual([`Duplicate ${at}[1]`]);
    expect(causes({ spec: { taints: [taint, { ...taint, effect: "NoExecute" }] } })).toEqual([]);
  });

  test("SUP-6: podCIDR is the first of podCIDRs and counts, networks are of two families at most", () => {
    expect(kind.create({ spec: { podCIDR: "10.0.0.0/24" } }).object["spec"]).toMatchObject({
      podCIDRs: ["10.0.0.0/24"],
    });
    const { object } = kind.create({ spec: { podCIDRs: ["10.0.0.0/24", "fd00::/64"] } });
    expect(object["spec"]).toMatchObject({ podCIDR: "10.0.0.0/24" });
    const other = { podCIDR: "10.1.0.0/24", podCIDRs: ["10.0.0.0/24", "fd00::/64"] };
    expect(kind.create({ spec: other }).object["spec"]).toMatchObject({ podCIDRs: ["10.1.0.0/24"] });
    expect(causes({ spec: { podCIDR: "10.0.0.0" } })).toEqual(["Invalid spec.podCIDRs[0]"]);
    expect(causes({ spec: { podCIDRs: ["10.0.0.0/24", "10.0.1.0/24"] } })).toEqual(["Invalid spec.podCIDRs"]);
    expect(causes({ spec: { podCIDRs: ["10.0.0.0/24", "fd00::/64", "10.0.1.0/24"] } })).toEqual([
      "Invalid spec.podCIDRs",
    ]);
    expect(causes({ spec: { podCIDRs: ["a", "fd00::/64"] } })).toEqual([
      "Invalid spec.podCIDRs",
      "Invalid spec.podCIDRs[0]",
      ...(isStrict ? ["InternalError spec.podCIDRs"] : []),
    ]);
  });

  test("SUP-6: what was said of the machine once stays", () => {
    const spec = { podCIDRs: ["10.0.0.0/24"], providerID: "p://x" };
    const { object } = kind.create({ spec });
    expect(kind.update(object, { spec }).causes).toEqual([]);
    expect(kind.update(bare, { spec }).causes).toEqual([]);
    expect(kind.update(object, { spec: { podCIDR: "10.0.1.0/24", providerID: "p://y" } }).causes).toEqual([
      "FieldValueForbidden spec.podCIDRs",
      "FieldValueForbidden spec.providerID",
    ]);
    expect(kind.update(bare, { spec: { externalID: "e" } }).causes).toEqual(["FieldValueForbidden spec.externalID"]);
  });

  test("SUP-6: what a node has is not negative, and whole where it is counted", () => {
    const wrong = { cpu: "-1", pods: "1500m", "example.com/gpu": "0.5", memory: "1Gi" };
    expect(status({ capacity: wrong, allocatable: { cpu: "1" } })).toEqual([
      "Invalid status.capacity.cpu",
      "Invalid status.capacity.example.com/gpu",
      "Invalid status.capacity.pods",
    ]);
    expect(report({ allocatable: { cpu: "-1" } }).causes).toEqual(["FieldValueInvalid status.allocatable.cpu"]);
    const swap = isStrict ? "metadata.nodeSwapStatus" : "status.nodeInfo.swap";
    expect(status({ nodeInfo: { swap: { capacity: 0 } } })).toEqual([`Invalid ${swap}.capacity`]);
    expect(report({ nodeInfo: { swap: { capacity: 0 } } }).causes).toEqual([]);
  });

  test("SUP-6: an address is listed once in what an agent says", () => {
    const address = { type: "InternalIP", address: "10.0.0.1" };
    const addresses = [address, { ...address, address: "10.0.0.2" }, address];
    expect(status({ addresses })).toEqual([]);
    expect(report({ addresses }).causes).toEqual(["FieldValueDuplicate status.addresses[2]"]);
  });

  test("SUP-6: features of an agent are named in order, each once", () => {
    const told = (...declaredFeatures: string[]) =>
      report({ declaredFeatures }).causes.map((cause) => cause.replace("FieldValue", ""));
    expect(told("A", "Ab/c1", "B")).toEqual([]);
    expect(told("a")).toEqual(["Invalid status.declaredFeatures[0]"]);
    expect(told("A/")).toEqual(["Invalid status.declaredFeatures[0]"]);
    expect(told("A".repeat(254))).toEqual(["Invalid status.declaredFeatures[0]"]);
    expect(told("A", "A", "B", "A")).toEqual([
      "Duplicate status.declaredFeatures[1]",
      "Invalid status.declaredFeatures[3]",
    ]);
  });

  test("KIND-All-23: members without a use are dropped, and those of features that are off", () => {
    const configMap = { namespace: "n", name: "c", kubeletConfigKey: "k" };
    const configSource = { configMap };
    const sent = {
      spec: { configSource },
      status: { config: { active: configSource, error: "e" }, declaredFeatures: ["A"] },
    };
    const { object, causes: none, unknown } = kind.create(sent);
    expect([none, unknown]).toEqual([[], []]);
    expect(object["spec"]).toEqual({});
    expect(object["status"]).not.toHaveProperty("config");
    expect(object["status"]).not.toHaveProperty("declaredFeatures");
    expect(kind.update(object, sent).object["spec"]).toEqual({});
    expect(report(sent.status).object["status"]).not.toHaveProperty("config");
    const ctx = contextOf(dialect, { NodeDeclaredFeatures: true });
    const open = new KindUnderTest(node(ctx), ctx);
    expect(open.create({ status: { declaredFeatures: ["A"] } }).object["status"]).toMatchObject({
      declaredFeatures: ["A"],
    });
    expect(open.create({ status: { declaredFeatures: ["a"] } }).causes).toHaveLength(1);
  });

  test("KIND-All-22: unusual networks and an identifier without a use are reported in Warnings", () => {
    const spec = { externalID: "e", podCIDRs: ["010.0.0.0/24", "fd00::1/64"] };
    const { object, warnings } = kind.create({ spec });
    expect(warnings.map((text) => text.replace(/:.*/, ""))).toEqual([
      "spec.externalID",
      "spec.podCIDRs[0]",
      "spec.podCIDRs[1]",
    ]);
    expect(kind.update(object, { spec }).warnings).toHaveLength(3);
    expect(report({ phase: "p" }, object).warnings).toEqual([]);
  });

  test("SUP-6: annotations of old say taints and owners of Pods in JSON", () => {
    const annotated = (name: string, value: unknown) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const annotations = { [`scheduler.alpha.${domain}/${name}`]: text };
      return causes({ metadata: { name: "x", annotations } }).map((cause) => cause.replace(domain, "D"));
    };
    expect(annotated("taints", [taint])).toEqual([]);
    expect(annotated("taints", "null")).toEqual([]);
    expect(annotated("taints", "{")).toEqual(["Invalid metadata.annotations"]);
    expect(annotated("taints", [{ key: 1 }])).toEqual(["Invalid metadata.annotations"]);
    expect(annotated("taints", [{ ...taint, effect: "" }])).toEqual([
      "Required metadata.annotations.scheduler.alpha.D/taints[0].effect",
    ]);
    const owner = { kind: "ReplicaSet", name: "r", uid: "u", apiVersion: "apps/v1", controller: true };
    const avoided = (podController?: object) =>
      annotated("preferAvoidPods", { preferAvoidPods: [{ podSignature: podController ? { podController } : {} }] });
    const at = "metadata.annotations.scheduler.alpha.D/preferAvoidPods[0].PodSignature";
    expect(avoided(owner)).toEqual([]);
    expect(avoided()).toEqual([`Required ${at}`]);
    expect(avoided({ ...owner, controller: false })).toEqual([`Invalid ${at}.PodController.Controller`]);
    expect(annotated("preferAvoidPods", "x")).toEqual(["Invalid metadata.annotations.AvoidPods"]);
    const wrong = { ...bare.metadata, annotations: { [`scheduler.alpha.${domain}/taints`]: "x" } };
    expect(report({ phase: "p" }).causes).toEqual([]);
    expect(kind.update(bare, { ...bare, metadata: wrong }, "status").causes).toEqual([
      "FieldValueInvalid metadata.annotations",
    ]);
  });
});
