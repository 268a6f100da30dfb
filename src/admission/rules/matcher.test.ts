import { describe, expect, test } from "vitest";
import type { AdmissionRequest } from "../contract.ts";
import { lookupOf, objectOf, requestOf } from "../testing/requests.ts";
import type { Matching, Rule } from "./contract.ts";
import { compileMatching } from "./matcher.ts";

const PODS = { group: "", plural: "pods", kind: "Pod" };
const NAMESPACES = { group: "", plural: "namespaces", kind: "Namespace" };
const NODES = { group: "", plural: "nodes", kind: "Node" };

const rule = (more: Partial<Rule> = {}): Rule => ({
  operations: ["*"],
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources: ["*"],
  ...more,
});

const pods = (more: Partial<AdmissionRequest> = {}): AdmissionRequest => requestOf({ ref: PODS, ...more });

const matches = (one: Partial<Rule>, request: AdmissionRequest): boolean =>
  compileMatching({ resourceRules: [rule(one)] }).match(request) !== undefined;

const decided = (matching: Matching, request: AdmissionRequest): string =>
  compileMatching(matching).decide(request).mismatch ?? "matched";

describe("rules", () => {
  test.each([
    [["CREATE"], "CREATE", true],
    [["UPDATE", "DELETE"], "CREATE", false],
    [["UPDATE", "DELETE"], "DELETE", true],
    [["*"], "CONNECT", true],
    [[], "CREATE", false],
  ] as const)("HOOK-13: a rule of the operations %j meets %s: %j", (operations, operation, expected) => {
    expect(matches({ operations }, pods({ operation }))).toBe(expected);
  });

  test.each([
    ["pods", "", true],
    ["pods", "status", false],
    ["pods/status", "status", true],
    ["pods/status", "", false],
    ["pods/*", "", true],
    ["pods/*", "status", true],
    ["services/*", "status", false],
    ["*", "", true],
    ["*", "status", false],
    ["*/*", "", true],
    ["*/*", "exec", true],
    ["*/status", "status", true],
    ["*/status", "exec", false],
    ["*/status", "", false],
    ["services", "", false],
  ])("HOOK-13: a rule of %s meets pods and the subresource %j: %j", (resource, subresource, expected) => {
    expect(matches({ resources: [resource] }, pods({ subresource }))).toBe(expected);
  });

  test("HOOK-13: groups and versions are compared by name", () => {
    const deployments = requestOf({ ref: { group: "apps", plural: "deployments", kind: "Deployment" }, version: "v1" });
    expect(matches({ apiGroups: ["apps"], apiVersions: ["v1"] }, deployments)).toBe(true);
    expect(matches({ apiGroups: [""], apiVersions: ["v1"] }, deployments)).toBe(false);
    expect(matches({ apiGroups: ["apps"], apiVersions: ["v1beta1"] }, deployments)).toBe(false);
    expect(matches({ apiGroups: ["batch", "apps"] }, deployments)).toBe(true);
  });

  test("HOOK-13: a Namespace counts as an object of the cluster", () => {
    const namespace = requestOf({ ref: NAMESPACES, namespaced: false, namespace: "" });
    const all = [pods(), namespace].map((request) =>
      ["Namespaced", "Cluster", "*", undefined].map((scope) => matches({ scope }, request)),
    );
    expect(all).toEqual([
      [true, false, true, true],
      [false, true, true, true],
    ]);
  });

  test("POL-A-7: names are compared with that of the object, and an excluded rule wins", () => {
    const matching = {
      resourceRules: [rule({ resourceNames: ["a", "b"] })],
      excludeResourceRules: [rule({ resourceNames: ["b"], operations: ["UPDATE"] })],
    };
    expect(decided(matching, pods({ name: "a" }))).toBe("matched");
    expect(decided(matching, pods({ name: "c" }))).toBe("resourceRules");
    expect(decided(matching, pods({ name: "b" }))).toBe("matched");
    expect(decided(matching, pods({ name: "b", operation: "UPDATE" }))).toBe("excludeResourceRules");
  });

  test("HOOK-1: without the list everything matches, with an empty one nothing", () => {
    expect(decided({}, pods())).toBe("matched");
    expect(decided({ resourceRules: [] }, pods())).toBe("resourceRules");
  });

  test("HOOK-20: what the rule names is the resource and the kind of the request", () => {
    expect(compileMatching({ resourceRules: [rule()] }).match(pods())).toEqual({
      apiVersion: "v1",
      resource: { group: "", version: "v1", resource: "pods" },
      kind: { group: "", version: "v1", kind: "Pod" },
    });
  });
});

describe("equivalent versions", () => {
  const EVENTS = { group: "", plural: "events", kind: "Event" };
  const others = [{ group: "events.k8s.io", version: "v1", plural: "events", kind: "Event" }];
  const event = requestOf({ ref: EVENTS, equivalents: others, object: objectOf({ name: "e" }, { kind: "Event" }) });
  const ofOther = [rule({ apiGroups: ["events.k8s.io"] })];

  test("HOOK-14: a rule about another version matches, and names that one", () => {
    expect(compileMatching({ resourceRules: ofOther }).match(event)).toEqual({
      apiVersion: "events.k8s.io/v1",
      resource: { group: "events.k8s.io", version: "v1", resource: "events" },
      kind: { group: "events.k8s.io", version: "v1", kind: "Event" },
    });
  });

  test("HOOK-14: an exact rule does not", () => {
    expect(decided({ resourceRules: ofOther, matchPolicy: "Exact" }, event)).toBe("resourceRules");
  });

  test("HOOK-14: a rule about the version of the request is preferred to an earlier one about another version", () => {
    const matched = compileMatching({ resourceRules: [...ofOther, rule({ apiGroups: [""] })] }).match(event);
    expect(matched?.apiVersion).toBe("v1");
  });

  test("HOOK-14: excluded rules are equivalent, too", () => {
    expect(decided({ excludeResourceRules: ofOther }, event)).toBe("excludeResourceRules");
  });

  test("HOOK-14: a scale has the same kind in all versions of its resource", () => {
    const scale = requestOf({
      ref: { group: "apps", plural: "deployments", kind: "Deployment" },
      subresource: "scale",
      operation: "UPDATE",
      object: objectOf({ name: "d" }, { apiVersion: "autoscaling/v1", kind: "Scale" }),
      equivalents: [{ group: "apps", version: "v1beta1", plural: "deployments", kind: "Deployment" }],
    });
    const ofBeta = [rule({ apiVersions: ["v1beta1"], resources: ["deployments/scale"] })];
    expect(compileMatching({ resourceRules: ofBeta }).match(scale)).toEqual({
      apiVersion: "apps/v1",
      resource: { group: "apps", version: "v1beta1", resource: "deployments" },
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
    });
  });
});

describe("selectors", () => {
  const team = objectOf({ name: "team", labels: { env: "prod" } });
  const lookup = lookupOf({ namespaces: [team] });
  const inProd: Matching = { namespaceSelector: { matchLabels: { env: "prod" } } };

  test("HOOK-15: the labels of the namespace choose", () => {
    expect(decided(inProd, pods({ lookup }))).toBe("matched");
    const inTest = { namespaceSelector: { matchExpressions: [{ key: "env", operator: "In", values: ["test"] }] } };
    expect(decided(inTest, pods({ lookup }))).toBe("namespaceSelector");
  });

  test("HOOK-15: objects of the cluster always match", () => {
    const node = requestOf({ ref: NODES, namespaced: false, namespace: "", lookup });
    expect(decided(inProd, node)).toBe("matched");
  });

  test("HOOK-15: a Namespace matches by its own labels, and by the old ones when it is deleted", () => {
    const namespace = (more: Partial<AdmissionRequest>): AdmissionRequest =>
      requestOf({ ref: NAMESPACES, namespaced: false, namespace: "", name: "team", lookup, ...more });
    const [prod, other] = [team, objectOf({ name: "team", labels: { env: "test" } })];
    expect(decided(inProd, namespace({ object: prod }))).toBe("matched");
    expect(decided(inProd, namespace({ operation: "UPDATE", object: other, old: prod }))).toBe("namespaceSelector");
    const request = { ...namespace({ operation: "DELETE", old: prod }), object: undefined };
    expect(decided(inProd, request)).toBe("matched");
    const status = namespace({ operation: "UPDATE", subresource: "status", object: other, old: other });
    expect(decided(inProd, status)).toBe("matched");
  });

  test("HOOK-15: a namespace that does not exist is 404 where it would decide, and nothing else matters before", () => {
    const gone = pods({ namespace: "gone", lookup });
    expect(() => decided(inProd, gone)).toThrow('namespaces "gone" not found');
    expect(decided({ ...inProd, resourceRules: [] }, gone)).toBe("resourceRules");
    expect(decided({ namespaceSelector: {} }, gone)).toBe("matched");
  });

  test("HOOK-15: the new or the old object has to be selected", () => {
    const matching: Matching = { objectSelector: { matchLabels: { app: "x" } } };
    const [labelled, plain] = [objectOf({ name: "a", labels: { app: "x" } }), objectOf({ name: "a" })];
    expect(decided(matching, pods({ object: labelled }))).toBe("matched");
    expect(decided(matching, pods({ object: plain }))).toBe("objectSelector");
    expect(decided(matching, pods({ operation: "UPDATE", object: plain, old: labelled }))).toBe("matched");
    expect(decided(matching, { ...pods({ operation: "DELETE", old: labelled }), object: undefined })).toBe("matched");
    const absent: Matching = { objectSelector: { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] } };
    expect(decided(absent, pods({ object: labelled }))).toBe("objectSelector");
  });
});
