/**
 * A policy reads its parameters for the users whose requests it evaluates. So a user who writes a policy with a kind of
 * parameters must have the right to get all objects of that kind, and a user who writes a binding with parameters must have
 * the right to read those.
 *
 * As in Kubernetes, it runs after the rules of the kind, and the refusal is a field error.
 *
 * @module
 */
import { isMaster } from "../auth/admin.ts";
import type { Authorizer } from "../auth/contract.ts";
import { NO_REQUEST, type RequestInfo } from "../meta/request-info.ts";
import { invalid } from "../meta/status.ts";
import type { ApiObject } from "../schema/definition.ts";
import { equal } from "../value/value.ts";
import type { AdmissionRequest, AdmissionStep } from "./contract.ts";
import type { ResourceOfKind } from "./owner-references.ts";

/** The parts that the step needs. */
export interface PolicyParameterParts {
  readonly authorizer: Authorizer;
  /** The served resources of a kind in a version; none for one that does not exist. */
  readonly resourcesOf: (apiVersion: string, kind: string) => readonly ResourceOfKind[];
}

interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

interface Spec {
  readonly paramKind?: ParamKind;
  readonly policyName?: string;
  readonly paramRef?: { readonly name?: string; readonly namespace?: string };
}

const GROUP = "admissionregistration.k8s.io";

/** The resources of policies, each with that of its bindings. */
const BINDINGS: Readonly<Record<string, string>> = {
  validatingadmissionpolicies: "validatingadmissionpolicybindings",
  mutatingadmissionpolicies: "mutatingadmissionpolicybindings",
};
const POLICIES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(BINDINGS).map(([policies, bindings]) => [bindings, policies]),
);

/** The step of admission for policies and bindings with parameters. */
export const policyParameters = (parts: PolicyParameterParts): AdmissionStep => ({
  name: "PolicyParameters",
  resources: [...Object.keys(BINDINGS), ...Object.keys(POLICIES)].map((plural) => ({ group: GROUP, plural })),
  validate(request) {
    const { object, ref, subresource, identity } = request;
    if (!object || subresource !== "" || isMaster(identity)) return undefined;
    const policies = POLICIES[ref.plural];
    return policies === undefined
      ? checkPolicy(parts, request, object)
      : checkBinding(parts, request, object, policies);
  },
});

const specOf = (object: ApiObject | undefined): Spec => (object?.["spec"] ?? {}) as Spec;

function checkPolicy(
  parts: PolicyParameterParts,
  request: AdmissionRequest,
  object: ApiObject,
): Promise<void> | undefined {
  const { paramKind } = specOf(object);
  if (!paramKind || equal(paramKind as never, (specOf(request.old).paramKind ?? null) as never)) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const what = { ...resourceOf(parts, paramKind), name: "*", namespace: "*" };
  const missing = `"get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  return need(parts, request, "spec.paramKind", { verb: "get", ...what }, missing);
}

/** Every write of a binding is checked, even one that keeps its parameters. */
function checkBinding(
  parts: PolicyParameterParts,
  request: AdmissionRequest,
  object: ApiObject,
  policies: string,
): Promise<void> | undefined {
  const { paramRef, policyName = "" } = specOf(object);
  if (!paramRef) return undefined;
  const { paramKind } = specOf(request.lookup.get(`${policies}.${GROUP}`, "", policyName));
  const { name = "", namespace = "" } = paramRef;
  const verb = name === "" ? "list" : "get";
  const what = { verb, name, namespace, ...resourceOf(parts, paramKind ?? {}) };
  return need(parts, request, "spec.paramRef", what, `"${verb}" permission on the object referenced by paramRef`);
}

/** The resource of a kind of parameters; all of them where the kind is not known. */
function resourceOf({ resourcesOf }: PolicyParameterParts, { apiVersion = "", kind = "" }: ParamKind) {
  if (apiVersion === "") return { group: "*", version: "*", resource: "*" };
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  return { group, version, resource: resourcesOf(apiVersion, kind)[0]?.plural ?? "*" };
}

/** Refuses with a field error unless the user has a right. */
async function need(
  { authorizer }: PolicyParameterParts,
  { identity, ref, name }: AdmissionRequest,
  field: string,
  what: Partial<RequestInfo>,
  missing: string,
): Promise<void> {
  const { allowed } = await authorizer.authorize(identity, { ...NO_REQUEST, isResource: true, ...what });
  if (allowed) return;
  const message = `Forbidden: user ${identity.user} must have ${missing}`;
  throw invalid(ref, name, [{ reason: "FieldValueForbidden", field, message }]);
}
