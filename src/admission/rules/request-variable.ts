/**
 * The variables of expressions about a request: `object`, `oldObject`, `request`, `authorizer`.
 *
 * @module
 */
import type { AdmissionRequest as RequestVariable, Inputs } from "../../cel/environments/admission.ts";
import type { Decide } from "../../cel/library/authorization.ts";
import type { Identity } from "../../auth/contract.ts";
import { asValue } from "../../schema/api-object.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { MatchedResource } from "./contract.ts";
import { optionsOf } from "./options.ts";
import { namespaceOf, requestedResource } from "./request.ts";

/** The user of a request, for `request.userInfo` and `authorizer`. */
const userOf = ({ user, uid, groups, extra }: Identity): RequestVariable["user"] => ({
  username: user,
  groups,
  ...(uid === undefined ? {} : { uid }),
  ...(extra ? { extra } : {}),
});

/** The variable `request`, for the resource and the kind that a rule names. */
export function requestVariable(request: AdmissionRequest, matched: MatchedResource): RequestVariable {
  const requested = requestedResource(request);
  return {
    kind: matched.kind,
    resource: matched.resource,
    requestKind: requested.kind,
    requestResource: requested.resource,
    subresource: request.subresource,
    name: request.name,
    namespace: namespaceOf(request),
    operation: request.operation,
    user: userOf(request.identity),
    dryRun: request.options.dryRun,
    options: optionsOf(request),
  };
}

/** The variables of match conditions, without params and without a namespace. */
export function conditionInputs(
  request: AdmissionRequest,
  matched: MatchedResource,
  shown: AdmissionRequest,
  decide: Decide,
): Inputs {
  const { object, old } = shown;
  return {
    object: object ? asValue(object) : null,
    oldObject: old ? asValue(old) : null,
    request: requestVariable(request, matched),
    namespaceObject: null,
    decide,
  };
}
