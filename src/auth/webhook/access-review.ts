/**
 * What a webhook is asked, and what it may answer: a SubjectAccessReview.
 *
 * @module
 */
import type { RequestedSelector } from "../../meta/requested-selectors.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import type { Decision, Identity } from "../contract.ts";

/** A version of the review that webhooks speak. */
export type ReviewVersion = "v1" | "v1beta1";

/** The specification of the review about a request, as `v1` has it: members that say nothing are left out. */
export function reviewSpec({ user, uid, groups, extra }: Identity, info: RequestInfo): ValueObject {
  return {
    ...(info.isResource
      ? { resourceAttributes: attributesOf(info) }
      : { nonResourceAttributes: said({ path: info.path, verb: info.verb }) }),
    ...said({ user, uid: uid ?? "" }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra ? { extra: extra as unknown as ValueObject } : {}),
  };
}

function attributesOf(info: RequestInfo): ValueObject {
  const { namespace, verb, group, version, resource, subresource, name, fieldSelector, labelSelector } = info;
  return {
    ...said({ namespace, verb, group, version, resource, subresource, name }),
    ...selectorOf("fieldSelector", fieldSelector),
    ...selectorOf("labelSelector", labelSelector),
  };
}

/** What was selected, as far as reviews have words for it: leaving a requirement out asks for more. */
function selectorOf(member: string, selector: RequestedSelector | undefined): ValueObject {
  const requirements = (selector?.requirements ?? [])
    .filter(({ operator }) => operator !== "Gt" && operator !== "Lt")
    .map(({ key, operator, values }) => ({ key, operator, ...(values.length === 0 ? {} : { values: [...values] }) }));
  return requirements.length === 0 ? {} : { [member]: { requirements } };
}

const said = (texts: Readonly<Record<string, string>>): ValueObject =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));

/** The question as JSON, in a version. */
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

/**
 * What an answer says.
 *
 * @throws Error where it is none
 */
export function decisionIn(answer: Value, version: ReviewVersion): Decision {
  const { kind, apiVersion, status } = isObject(answer) ? answer : ({} as ValueObject);
  if (kind !== "SubjectAccessReview" || apiVersion !== `authorization.k8s.io/${version}`) {
    throw new Error(`expected a SubjectAccessReview of authorization.k8s.io/${version}`);
  }
  if (!isObject(status ?? null)) throw new Error("expected the review to have a status");
  const { allowed, denied, reason } = status as ValueObject;
  const why = typeof reason === "string" ? reason : "";
  if (allowed === true && denied === true) {
    return { allowed: false, denied: true, reason: why, error: "expected the webhook to allow or to deny, got both" };
  }
  return { allowed: allowed === true, ...(denied === true ? { denied: true } : {}), reason: why };
}
