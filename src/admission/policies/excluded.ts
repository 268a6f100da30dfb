/**
 * The requests that are excluded from policies (POL-A-8): a policy that refused its own correction could never be removed, and reviews
 * answer other servers.
 *
 * @module
 */
import { GROUP } from "../../kinds/admissionregistration/group.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { AdmissionRequest } from "../contract.ts";

/** Policies and their bindings of both sorts. */
const POLICIES: ReadonlySet<string> = new Set([
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

const AUTHENTICATION: ReadonlySet<string> = new Set(["selfsubjectreviews", "tokenreviews"]);

const AUTHORIZATION: ReadonlySet<string> = new Set([
  "localsubjectaccessreviews",
  "selfsubjectaccessreviews",
  "selfsubjectrulesreviews",
  "subjectaccessreviews",
]);

/** Returns whether a request is excluded from all policies. */
export function unconcerned({ domain }: Dialect): (request: Pick<AdmissionRequest, "ref">) => boolean {
  const excluded = new Map<string, ReadonlySet<string>>([
    [GROUP.group, POLICIES],
    [`authentication.${domain}`, AUTHENTICATION],
    [`authorization.${domain}`, AUTHORIZATION],
  ]);
  return ({ ref }) => excluded.get(ref.group)?.has(ref.plural) ?? false;
}
