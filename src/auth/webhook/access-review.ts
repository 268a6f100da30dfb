/**
 * SubjectAccessReviews: the body of the request to a webhook, and the decision in its response.
 *
 * @module
 */
import type { RequestedSelector } from "../../meta/requested-selectors.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import type { Decision, Identity } from "../contract.ts";

/** A version of SubjectAccessReview. */
export type ReviewVersion = "v1" | "v1beta1";

/** The spec of the review of a request in `v1`; empty members are left out. */
export function reviewSpec({ user, uid, groups, extra }: Identity, info: RequestInfo): ValueObject {
  return {
    ...(info.isResource
      ? { resourceAttributes: attributesOf(info) }
      : { nonResourceAttributes: withoutEmpty({ path: info.path, verb: info.verb }) }),
    ...withoutEmpty({ user, uid: uid ?? "" }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra
      ? { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]] as const)) }
      : {}),
  };
}

function attributesOf(info: RequestInfo): ValueObject {
  const { namespace, verb, group, version, resource, subresource, name, fieldSelector, labelSelector } = info;
  return {
    ...withoutEmpty({ namespace, verb, group, version, resource, subresource, name }),
    ...selectorOf("fieldSelector", fieldSelector),
    ...selectorOf("labelSelector", labelSelector),
  };
}

/** The requirements that reviews can express; without the others the review is about more objects, never fewer. */
function selectorOf(member: string, selector: RequestedSelector | undefined): ValueObject {
  const requirements = (selector?.requirements ?? [])
    .filter(({ operator }) => operator !== "Gt" && operator !== "Lt")
    .map(({ key, operator, values }) => ({ key, operator, ...(values.length === 0 ? {} : { values: [...values] }) }));
  return requirements.length === 0 ? {} : { [member]: { requirements } };
}

const withoutEmpty = (texts: Readonly<Record<string, string>>): ValueObject =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));

/** A review as JSON, in a version. */
export function reviewBody(spec: ValueObject, version: ReviewVersion): string {
  const { groups, ...others } = spec;
  const inVersion = version === "v1" || groups === undefined ? spec : { ...others, group: groups };
  return JSON.stringify({
    kind: "SubjectAccessReview",
    apiVersion: `authorization.k8s.io/${version}`,
    spec: inVersion,
    status: { allowed: false },
  });
}

/** The decision in a response. @throws Error for another response */
export function decisionIn(response: Value, version: ReviewVersion): Decision {
  const { kind, apiVersion, status }: ValueObject = isObject(response) ? response : {};
  if (kind !== "SubjectAccessReview" || apiVersion !== `authorization.k8s.io/${version}`) {
    throw new Error(`expected a SubjectAccessReview of authorization.k8s.io/${version}`);
  }
  if (!isObject(status)) throw new Error("expected the review to have a status");
  const { allowed, denied, reason } = status;
  const why = typeof reason === "string" ? reason : "";
  if (allowed === true && denied === true) {
    return {
      allowed: false,
      denied: true,
      reason: why,
      error: "webhook subject access review returned both allow and deny response",
    };
  }
  return { allowed: allowed === true, ...(denied === true ? { denied: true } : {}), reason: why };
}
