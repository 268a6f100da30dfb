import { describe, expect, test } from "vitest";
import type { Authorizer } from "../auth/contract.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { AdmissionRequest } from "./contract.ts";
import { nodeRestriction } from "./node-restriction.ts";
import { atOnce, lookupOf, objectOf, requestOf } from "./testing/requests.ts";

const NOBODY: Authorizer = {
  authorize: () => Promise.reject(new Error("expected no question about rights")),
} as unknown as Authorizer;
const step = nodeRestriction(NOBODY);

const team = (name: string, more: object = {}) => ({ name, namespace: "team", ...more });
const pod = (name: string, nodeName: string, annotations?: object): ApiObject =>
  objectOf(team(name, { uid: `uid-${name}`, annotations }), { spec: { nodeName, serviceAccountName: "robot" } });
const lookup = lookupOf({
  nodes: [objectOf({ name: "a", uid: "uid-a" })],
  serviceaccounts: [objectOf(team("robot", { uid: "uid-robot" }))],
  pods: [pod("mine", "a"), pod("other", "b"), pod("mirror", "a", { "kubernetes.io/config.mirror": "x" })],
});

/** Why a write of the agent of the node `a` is refused; undefined where it is not. */
function refused(resource: string, more: Partial<AdmissionRequest>): string | undefined {
  const [plural = "", ...group] = resource.split(".");
  const ref = { group: group.join("."), plural, kind: "X" };
  const identity = { user: "system:node:a", groups: ["system:nodes"] };
  try {
    atOnce(step.mutate!(requestOf({ ref, identity, lookup, ...more })));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe("an agent", () => {
  test("evicts and deletes Pods on its node only", () => {
    for (const write of [{ operation: "CREATE", subresource: "eviction" }, { operation: "DELETE" }] as const) {
      expect(refused("pods", { ...write, name: "mine" })).toBeUndefined();
      expect(refused("pods", { ...write, name: "other" })).toContain("the Pod is not on the node a");
      expect(refused("pods", { ...write, name: "none" })).toContain('"none" not found');
    }
    expect(refused("pods", { operation: "UPDATE", name: "mine" })).toContain("and nothing else");
  });

  const owner = { apiVersion: "v1", kind: "Node", name: "a", uid: "uid-a", controller: true };
  const mirror = (spec: object): ApiObject =>
    objectOf(team("m", { annotations: { "kubernetes.io/config.mirror": "x" }, ownerReferences: [owner] }), {
      spec: { nodeName: "a", ...spec },
    });

  test.each([
    "azureFile",
    "cephfs",
    "cinder",
    "configMap",
    "csi",
    "ephemeral",
    "flexVolume",
    "glusterfs",
    "iscsi",
    "persistentVolumeClaim",
    "projected",
    "rbd",
    "scaleIO",
    "secret",
    "storageos",
  ])("makes no mirror of a Pod with a volume %s", (source) => {
    expect(refused("pods", { object: mirror({ volumes: [{ name: "v", [source]: {} }] }) })).toContain("spec.volumes");
  });

  test("makes mirrors of Pods that refer to nothing", () => {
    const container = { name: "c", image: "i", env: [{ name: "E", value: "1" }], envFrom: [] };
    const volumes = [{ name: "v", emptyDir: {} }];
    const plain = mirror({ containers: [container], volumes, imagePullSecrets: [], serviceAccountName: "" });
    expect(refused("pods", { object: plain })).toBeUndefined();
    const reading = { ...container, envFrom: [{ configMapRef: { name: "c" } }] };
    expect(refused("pods", { object: mirror({ containers: [reading] }) })).toContain("the environment of a container");
    expect(refused("pods", { object: mirror({ serviceAccountName: "x" }) })).toContain("spec.serviceAccountName");
  });

  test.each([
    ["kubernetes.io/os", false],
    ["kubelet.kubernetes.io/x", false],
    ["a.node.kubernetes.io/x", false],
    ["example.com/x", false],
    ["plain", false],
    ["kubernetes.io/x", true],
    ["a.k8s.io/x", true],
    ["node-restriction.kubernetes.io/x", true],
    ["node-role.kubernetes.io/control-plane", true],
  ])("sets the label %s of its Node: refused is %s", (label, isRefused) => {
    const object = objectOf({ name: "a", labels: { [label]: "1" } });
    expect(refused("nodes", { object }) !== undefined).toBe(isRefused);
  });

  test("lists every label that it may not set, in order", () => {
    const object = objectOf({ name: "a", labels: { "b.k8s.io/x": "1", "a.k8s.io/x": "1" } });
    expect(refused("nodes", { object })).toContain("the labels a.k8s.io/x, b.k8s.io/x");
  });

  const claim = (status: object): ApiObject => objectOf(team("c"), { status });
  test.each([
    ["capacity", false],
    ["conditions", false],
    ["allocatedResources", false],
    ["allocatedResourceStatuses", false],
    ["phase", true],
  ])("writes %s of the status of a claim: refused is %s", (member, isRefused) => {
    const write = {
      operation: "UPDATE",
      subresource: "status",
      object: claim({ [member]: "x" }),
      old: claim({}),
    } as const;
    expect(refused("persistentvolumeclaims", write) !== undefined).toBe(isRefused);
  });

  test("lists what it may write of the status of a claim", () => {
    const write = {
      operation: "UPDATE",
      subresource: "status",
      object: claim({ phase: "x" }),
      old: claim({}),
    } as const;
    expect(refused("persistentvolumeclaims", write)).toContain(
      "only capacity, conditions, allocatedResources, allocatedResourceStatuses of a claim's status",
    );
  });

  test("has a Lease and a CSINode of its own name, and slices of its own", () => {
    const named = (name: string, namespace = "") => ({ name, namespace, object: objectOf({ name }) });
    expect(refused("leases.coordination.k8s.io", named("a", "kube-node-lease"))).toBeUndefined();
    expect(refused("leases.coordination.k8s.io", named("b", "kube-node-lease"))).toContain("of its own name only, a");
    expect(refused("leases.coordination.k8s.io", named("a", "team"))).toContain("in kube-node-lease only");
    expect(refused("csinodes.storage.k8s.io", named("b"))).toContain("of its own name only, a");
    const slice = (nodeName: string) => ({ object: objectOf({ name: "s" }, { spec: { nodeName } }) });
    expect(refused("resourceslices.resource.k8s.io", slice("a"))).toBeUndefined();
    expect(refused("resourceslices.resource.k8s.io", slice("b"))).toContain("expected spec.nodeName a");
  });

  const right = {
    nodeName: "a",
    nodeUID: "uid-a",
    podName: "mine",
    podUID: "uid-mine",
    serviceAccountName: "robot",
    serviceAccountUID: "uid-robot",
  };
  test.each([
    [{}, "it is not"],
    [{ nodeName: "b" }, "expected spec.nodeName a"],
    [{ nodeUID: "x" }, "the Node a has another UID"],
    [{ podUID: "x" }, "the Pod mine has another UID"],
    [{ podName: "other", podUID: "uid-other" }, "the Pod other is not on the node a"],
    [{ podName: "mirror", podUID: "uid-mirror" }, "a mirror of a Pod has no certificates"],
    [{ serviceAccountName: "x" }, "the Pod has another account"],
    [{ serviceAccountUID: "x" }, "the account has another UID"],
  ])("asks for a certificate of a Pod with %j, and is refused: %s", (more, expected) => {
    const found = refused("podcertificaterequests.certificates.k8s.io", {
      object: objectOf(team("r"), { spec: { ...right, ...more } }),
    });
    expect(found ?? "it is not").toContain(expected);
  });
});

test("others than agents pass", () => {
  const other = { user: "u", groups: ["system:authenticated"] };
  expect(refused("pods", { operation: "UPDATE", name: "other", identity: other })).toBeUndefined();
});
