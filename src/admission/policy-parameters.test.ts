import { describe, expect, test } from "vitest";
import type { RequestInfo } from "../meta/request-info.ts";
import { ApiError } from "../meta/status.ts";
import type { AdmissionRequest } from "./contract.ts";
import { policyParameters } from "./policy-parameters.ts";
import { lookupOf, objectOf, requestOf } from "./testing/requests.ts";

const group = "admissionregistration.k8s.io";
const POLICIES = { group, plural: "validatingadmissionpolicies", kind: "ValidatingAdmissionPolicy" };
const BINDINGS = { group, plural: "mutatingadmissionpolicybindings", kind: "MutatingAdmissionPolicyBinding" };

/** Sends a write of a user who has no right; returns the checked rights, and the code and the field of the refusal. */
async function refused(
  more: Partial<AdmissionRequest>,
): Promise<{ checked: Partial<RequestInfo>[]; fields: string[] }> {
  const checked: Partial<RequestInfo>[] = [];
  const step = policyParameters({
    authorizer: {
      authorize(_, { verb, group: of, version, resource, namespace, name }) {
        checked.push({ verb, group: of, version, resource, namespace, name });
        return { allowed: false, reason: "" };
      },
      rightsOf: () => ({ resourceRules: [], pathRules: [], incomplete: false }),
    },
    resourcesOf: (_, kind) =>
      kind === "Widget" ? [{ group: "example.com", version: "v1", plural: "widgets", namespaced: true }] : [],
  });
  try {
    await step.validate?.(requestOf(more));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    return { checked, fields: error.status.details?.causes?.map(({ field }) => field ?? "") ?? [] };
  }
  return { checked, fields: [] };
}

const withKind = (kind: string) =>
  objectOf({ name: "p" }, { spec: { paramKind: { apiVersion: "example.com/v1", kind } } });

describe("a policy with a kind of parameters", () => {
  test("needs the right to get all of its objects", async () => {
    const right = { verb: "get", group: "example.com", version: "v1", namespace: "*", name: "*" };
    expect(await refused({ ref: POLICIES, object: withKind("Widget") })).toEqual({
      checked: [{ ...right, resource: "widgets" }],
      fields: ["spec.paramKind"],
    });
    const unknown = await refused({ ref: POLICIES, object: withKind("Gadget") });
    expect(unknown.checked).toEqual([{ ...right, resource: "*" }]);
  });

  test("needs it again where the kind changes, and not where it stays", async () => {
    const update = { operation: "UPDATE", ref: POLICIES, old: withKind("Widget") } as const;
    expect((await refused({ ...update, object: withKind("Widget") })).checked).toEqual([]);
    expect((await refused({ ...update, object: withKind("Gadget") })).fields).toEqual(["spec.paramKind"]);
  });

  test("needs none for an admin, for a status, and without parameters", async () => {
    const object = withKind("Widget");
    const identity = { user: "a", groups: ["system:masters"] };
    expect((await refused({ ref: POLICIES, object, identity })).checked).toEqual([]);
    expect((await refused({ ref: POLICIES, object, subresource: "status" })).checked).toEqual([]);
    expect((await refused({ ref: POLICIES, object: objectOf({ name: "p" }, { spec: {} }) })).checked).toEqual([]);
  });
});

describe("a binding with parameters", () => {
  const lookup = lookupOf({ [`mutatingadmissionpolicies.${group}`]: [withKind("Widget")] });
  const binding = (policyName: string, paramRef: object) => objectOf({ name: "b" }, { spec: { policyName, paramRef } });
  const write = (object: AdmissionRequest["object"]) => refused({ ref: BINDINGS, lookup, object });

  test("needs the right to read them: by name, or all that a selector may find", async () => {
    const right = { group: "example.com", version: "v1", resource: "widgets" };
    const named = await write(binding("p", { name: "w", namespace: "n" }));
    expect(named).toEqual({
      checked: [{ ...right, verb: "get", namespace: "n", name: "w" }],
      fields: ["spec.paramRef"],
    });
    const selected = await write(binding("p", { selector: {} }));
    expect(selected.checked).toEqual([{ ...right, verb: "list", namespace: "", name: "" }]);
  });

  test("needs the right to all kinds while its policy does not exist", async () => {
    const { checked } = await write(binding("other", { name: "w" }));
    expect(checked).toEqual([{ verb: "get", group: "*", version: "*", resource: "*", namespace: "", name: "w" }]);
  });
});
