import { expect, test } from "vitest";
import type { Decision, Identity } from "../auth/contract.ts";
import { authenticationGroup } from "../kinds/authentication/v1/group.ts";
import { authorizationGroup } from "../kinds/authorization/v1/group.ts";
import { kubernetes } from "../meta/dialect.ts";
import type { RequestInfo } from "../meta/request-info.ts";
import type { ApiObject } from "../schema/definition.ts";
import { contextOf } from "../schema/testing/kind.ts";
import { CALLER, WRITE, bodyOf, registryOf } from "../registry/testing/registry.ts";
import { actionsOf } from "./testing/actions.ts";

const ctx = contextOf(kubernetes);
const RIGHTS = {
  resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
  pathRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
  incomplete: false,
};

/** Sends reviews to an authorizer that has one decision for all requests; returns the statuses and the requests that it got. */
async function asking(decision: Decision = { allowed: false, reason: "" }) {
  const asked: { identity: Identity; info: RequestInfo }[] = [];
  const authorizer = {
    authorize(identity: Identity, info: RequestInfo) {
      asked.push({ identity, info });
      return decision;
    },
    rightsOf: () => RIGHTS,
  };
  const definitions = [...authorizationGroup(ctx), ...authenticationGroup(ctx)];
  const { kinds } = await registryOf(definitions, { actions: (access) => actionsOf(access, { authorizer }) });
  const ask = async (plural: string, question: object, namespace = "", group = "authorization"): Promise<ApiObject> => {
    const resource = kinds.find(`${group}.k8s.io`, "v1", plural)!;
    const result = await resource.ask({ namespace, name: "", subresource: "" }, bodyOf(question), WRITE, CALLER);
    if ("status" in result) throw new Error("expected the question with its answer");
    return result.object;
  };
  /** The reasons and fields of the errors of a review. */
  const wrong = async (...question: Parameters<typeof ask>): Promise<string[]> => {
    const error = await ask(...question).then(
      () => undefined,
      (refused: { status: { details?: { causes?: { reason: string; field: string }[] } } }) => refused,
    );
    return (error?.status.details?.causes ?? []).map(({ reason, field }) => `${reason} ${field}`);
  };
  return { ask, wrong, asked };
}

const ABOUT = { verb: "get", resource: "things", group: "x.example.com" };
const SUBJECT = "subjectaccessreviews";
const LOCAL = "localsubjectaccessreviews";
const SELF = "selfsubjectaccessreviews";

test("RBAC-48, RBAC-50: a review of another user is evaluated as it is sent, and the response has its spec", async () => {
  const { ask, asked } = await asking({ allowed: false, denied: true, reason: "no", error: "half" });
  const spec = { user: "u", groups: ["g"], uid: "1", extra: { k: ["v"] }, resourceAttributes: ABOUT };
  const status = { allowed: true, reason: "believe me" };
  expect(await ask(SUBJECT, { spec, status, metadata: { uid: "x", creationTimestamp: null, labels: {} } })).toEqual({
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec,
    status: { allowed: false, denied: true, reason: "no", evaluationError: "half" },
  });
  expect(asked).toMatchObject([
    { identity: { user: "u", groups: ["g"], uid: "1", extra: { k: ["v"] } }, info: { ...ABOUT, version: "*" } },
  ]);
});

test("RBAC-49: exactly one kind of attributes is asked about", async () => {
  const { wrong, ask, asked } = await asking();
  expect(await wrong(SELF, {})).toEqual(["FieldValueInvalid spec.resourceAttributes"]);
  const both = { resourceAttributes: {}, nonResourceAttributes: {} };
  expect(await wrong(SELF, { spec: both })).toEqual(["FieldValueInvalid spec.nonResourceAttributes"]);
  await ask(SELF, { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } });
  expect(asked).toMatchObject([
    { identity: { user: CALLER.user }, info: { isResource: false, path: "/x", verb: "get" } },
  ]);
});

test("RBAC-50: a user or a group is asked about, be it of no name", async () => {
  const { wrong, ask } = await asking();
  expect(await wrong(SUBJECT, { spec: { resourceAttributes: ABOUT } })).toEqual(["FieldValueInvalid spec.user"]);
  await ask(SUBJECT, { spec: { groups: [""], resourceAttributes: ABOUT } });
});

test.each([
  [{ name: "x" }],
  [{ generateName: "x" }],
  [{ labels: { a: "b" } }],
  [{ finalizers: ["a/b"] }],
  [{ resourceVersion: "1" }],
])("RBAC-51: a question has no metadata: %j", async (metadata) => {
  const { wrong } = await asking();
  expect(await wrong(SELF, { metadata, spec: { resourceAttributes: ABOUT } })).toEqual(["FieldValueInvalid metadata"]);
});

test("RBAC-51: a question in a namespace is about that namespace and not about paths", async () => {
  const { ask, wrong } = await asking();
  const here = { user: "u", resourceAttributes: { ...ABOUT, namespace: "n" } };
  expect((await ask(LOCAL, { metadata: { namespace: "n" }, spec: here }, "n")).metadata).toEqual({ namespace: "n" });
  expect(await wrong(LOCAL, { spec: here }, "m")).toEqual(["FieldValueInvalid spec.resourceAttributes.namespace"]);
  const path = { user: "u", nonResourceAttributes: { path: "/" } };
  expect(await wrong(LOCAL, { spec: path }, "n")).toEqual(["FieldValueInvalid spec.nonResourceAttributes"]);
  await expect(ask(LOCAL, { metadata: { namespace: "m" }, spec: here }, "n")).rejects.toMatchObject({ code: 400 });
});

test.each([
  ["fieldSelector", {}, ["FieldValueRequired .requirements"]],
  ["labelSelector", { requirements: [], rawSelector: "" }, ["FieldValueRequired .requirements"]],
  [
    "fieldSelector",
    { rawSelector: "a=b", requirements: [{ key: "a", operator: "Exists" }] },
    ["FieldValueInvalid .rawSelector"],
  ],
  ["fieldSelector", { requirements: [{}] }, ["FieldValueRequired .requirements[0].key"]],
  ["labelSelector", { requirements: [{}] }, ["FieldValueInvalid .requirements[0].key"]],
  [
    "labelSelector",
    { requirements: [{ key: "a", operator: "NotIn" }] },
    ["FieldValueRequired .requirements[0].values"],
  ],
  [
    "fieldSelector",
    { requirements: [{ key: "a", operator: "Exists", values: ["b"] }] },
    ["FieldValueForbidden .requirements[0].values"],
  ],
  [
    "labelSelector",
    { requirements: [{ key: "a", operator: "In", values: ["b c"] }] },
    ["FieldValueInvalid .requirements[0].values[0]"],
  ],
  ["fieldSelector", { requirements: [{ key: "a b", operator: "In", values: ["b c"] }] }, []],
  ["labelSelector", { requirements: [{ key: "a", operator: "Near", values: ["b"] }] }, []],
])("RBAC-52: %s %j", async (member, selector, expected) => {
  const { wrong } = await asking();
  const spec = { resourceAttributes: { ...ABOUT, [member]: selector } };
  const found = await wrong(SELF, { spec });
  expect(found).toEqual(expected.map((cause) => cause.replace(" ", ` spec.resourceAttributes.${member}`)));
});

test("RBAC-52: readable requirements of selectors are evaluated, and unreadable ones are reported", async () => {
  const { ask, asked } = await asking();
  const fieldSelector = { rawSelector: "a=b,c!=d" };
  const requirements = [
    { key: "a", operator: "Near", values: ["b"] },
    { key: "c", operator: "Exists" },
  ];
  const spec = { resourceAttributes: { ...ABOUT, fieldSelector, labelSelector: { requirements } } };
  expect(await ask(SELF, { spec })).toMatchObject({
    spec,
    status: { evaluationError: "spec.resourceAttributes.labelSelector is partly ignored: it cannot be read" },
  });
  expect(asked[0]!.info).toMatchObject({
    fieldSelector: {
      requirements: [
        { key: "a", operator: "In", values: ["b"] },
        { key: "c", operator: "NotIn", values: ["d"] },
      ],
    },
    labelSelector: { requirements: [{ key: "c", operator: "Exists", values: [] }] },
  });
  const unreadable = { resourceAttributes: { ...ABOUT, fieldSelector: { rawSelector: "(" } } };
  expect((await ask(SELF, { spec: unreadable }))["status"]).toEqual({
    allowed: false,
    evaluationError: "spec.resourceAttributes.fieldSelector is ignored: it cannot be read",
  });
});

test("RBAC-52: a requirement of a field has one value", async () => {
  const { ask, asked } = await asking();
  const requirements = [
    { key: "a", operator: "In", values: ["b", "c"] },
    { key: "d", operator: "Exists" },
    { key: "e", operator: "NotIn", values: ["f"] },
  ];
  await ask(SELF, { spec: { resourceAttributes: { ...ABOUT, fieldSelector: { requirements } } } });
  expect(asked[0]!.info.fieldSelector?.requirements).toEqual([{ key: "e", operator: "NotIn", values: ["f"] }]);
});

test("RBAC-53: rules need a namespace, and are answered without the question", async () => {
  const { ask } = await asking();
  for (const spec of [{}, { namespace: "" }]) {
    await expect(ask("selfsubjectrulesreviews", { spec })).rejects.toMatchObject({ code: 400 });
  }
  expect(await ask("selfsubjectrulesreviews", { metadata: { name: "x" }, spec: { namespace: "No Space" } })).toEqual({
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectRulesReview",
    metadata: {},
    spec: {},
    status: { incomplete: false, resourceRules: RIGHTS.resourceRules, nonResourceRules: RIGHTS.pathRules },
  });
});

test("AUTHN-38: a SelfSubjectReview returns the user of the request, whatever was sent", async () => {
  const { ask } = await asking();
  const sent = { metadata: { name: "x", labels: { a: "b" } }, status: { userInfo: { username: "root" } } };
  expect(await ask("selfsubjectreviews", sent, "", "authentication")).toEqual({
    apiVersion: "authentication.k8s.io/v1",
    kind: "SelfSubjectReview",
    metadata: { creationTimestamp: expect.any(String) },
    status: { userInfo: { username: CALLER.user, groups: CALLER.groups } },
  });
});
