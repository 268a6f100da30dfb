/**
 * A user grants only rights that they have: to write a role or a binding, they need the rights in it, or the verb `escalate`
 * or `bind` on the role (RBAC-39..47).
 * It runs after all steps that may change the object and before the rules of its kind, so that a forbidden write is 403 even when it has
 * other faults (RBAC-46).
 *
 * @module
 */
import type { Authorizer, Identity } from "../auth/contract.ts";
import { isMaster } from "../auth/admin.ts";
import { roleName } from "../auth/rbac/binding.ts";
import { missingRights } from "../auth/rbac/coverage.ts";
import { rbacOf } from "../auth/rbac/rbac.ts";
import { RBAC_GROUP } from "../auth/rbac/role-cache.ts";
import type { RuleForm } from "../auth/rbac/rule.ts";
import { NO_REQUEST } from "../meta/request-info.ts";
import { pathSegment } from "../meta/names.ts";
import { badRequest, notFound } from "../meta/status.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import { inSlices } from "../util/steps.ts";
import { equal } from "../value/value.ts";
import { type AdmissionRequest, type AdmissionStep, refusal } from "./contract.ts";
import type { Clock } from "../util/clock.ts";

/** The parts that the checks need. */
export interface EscalationParts {
  readonly lookup: Lookup;
  readonly clock: Pick<Clock, "loop">;
  /** Decides about `escalate` and `bind`. */
  readonly authorizer: Authorizer;
}

type Check = (parts: EscalationParts, request: AdmissionRequest, object: ApiObject) => Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  roles: checkRole,
  clusterroles: checkRole,
  rolebindings: checkBinding,
  clusterrolebindings: checkBinding,
};

/** The step of admission that refuses to grant rights that the writer lacks. */
export const escalation = (parts: EscalationParts): AdmissionStep => ({
  name: "escalation",
  // It changes nothing: it runs after the steps that change objects, and before the rules of the kind.
  mutate(request) {
    const { ref, object, old, identity } = request;
    if (ref.group !== RBAC_GROUP || !object || isMaster(identity)) return undefined;
    const check = CHECKS[ref.plural];
    return check && !(old && isHousekeeping(object, old)) ? check(parts, request, object) : undefined;
  },
});

/** Whether only owners and finalizers differ, as in the writes of the garbage collector, which grant nothing (RBAC-39, RBAC-44). */
function isHousekeeping(object: ApiObject, old: ApiObject): boolean {
  const { ownerReferences, finalizers, managedFields, resourceVersion } = old.metadata;
  const metadata = { ...object.metadata, ownerReferences, finalizers, managedFields, resourceVersion };
  const compared = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
  return equal({ ...object, metadata: compared }, old);
}

/** A rule with every right: rules that are collected may add up to it (RBAC-43). */
const EVERYTHING: readonly RuleForm[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

async function checkRole(parts: EscalationParts, request: AdmissionRequest, object: ApiObject): Promise<void> {
  const { ref, namespace, nameInPath, old } = request;
  if (await may(parts, request, "escalate", { resource: ref.plural, namespace, name: nameInPath })) return;
  await refuseMissing(parts, request, (object["rules"] as readonly RuleForm[] | null | undefined) ?? []);
  if (gathers(object) || (old && gathers(old))) await refuseMissing(parts, request, EVERYTHING);
}

function gathers(role: ApiObject): boolean {
  const rule = role["aggregationRule"] as { clusterRoleSelectors?: readonly unknown[] } | null | undefined;
  return (rule?.clusterRoleSelectors?.length ?? 0) > 0;
}

async function checkBinding(parts: EscalationParts, request: AdmissionRequest, object: ApiObject): Promise<void> {
  const { ref, namespace } = request;
  const { kind, name } = object["roleRef"] as { kind: string; name: string };
  // The rules of bindings report an invalid roleRef.
  if ((kind !== "Role" && kind !== "ClusterRole") || (kind === "Role" && namespace === "")) return;
  const resource = kind === "Role" ? "roles" : "clusterroles";
  if (await may(parts, request, "bind", { resource, namespace, name })) return;
  const wrongName = name === "" ? "expected a name, got none" : pathSegment(name);
  if (wrongName) throw badRequest(`roleRef.name: ${wrongName}`);
  const rules = await rbacOf(parts.lookup, parts.clock.loop).rulesOf(roleName(kind, namespace, name));
  if (!rules) throw notFound(ref, name);
  await refuseMissing(parts, request, rules);
}

/** Whether the writer has a verb on roles that allows to grant rights which the writer lacks. */
async function may(
  { authorizer }: EscalationParts,
  { identity }: AdmissionRequest,
  verb: string,
  what: { readonly resource: string; readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const info = { ...NO_REQUEST, isResource: true, verb, group: RBAC_GROUP, version: "*", ...what };
  return (await authorizer.authorize(identity, info)).allowed;
}

/** Throws 403 unless the writer has all rights of some rules, in the namespace of the object or in the cluster. */
async function refuseMissing(
  parts: EscalationParts,
  request: AdmissionRequest,
  given: readonly RuleForm[],
): Promise<void> {
  if (given.length === 0) return;
  const { namespace, identity } = request;
  const { resourceRules, pathRules, error } = await rbacOf(parts.lookup, parts.clock.loop).rightsOf(
    identity,
    namespace,
  );
  const { rules, isTruncated } = await inSlices(
    missingRights([...resourceRules, ...pathRules], given),
    parts.clock.loop.slice(),
  );
  if (rules.length > 0) throw refusal(request, refusalOf(identity, rules, isTruncated, error));
}

/** The longest list of missing rights in a message. */
const MOST_TEXT = 2000;

function refusalOf(
  { user, groups }: Identity,
  rules: readonly RuleForm[],
  isTruncated: boolean,
  error: string | undefined,
): string {
  const who = `user ${JSON.stringify(user)} (groups=${cut(JSON.stringify(groups))})`;
  const what = isTruncated ? "has too few rights, or too many to compare; among what is missing" : "does not have";
  const missing = cut(toldOf(rules));
  return `${who} may give only what they have, and ${what}: ${missing}${error ? `; ${cut(error)}` : ""}`;
}

/** Rules as text, as many as a message may contain. */
function toldOf(rules: readonly RuleForm[]): string {
  const texts: string[] = [];
  let length = 0;
  for (const rule of rules) {
    if (length > MOST_TEXT) break;
    const text = JSON.stringify(rule);
    texts.push(text);
    length += text.length;
  }
  return texts.join(", ");
}

const cut = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);
