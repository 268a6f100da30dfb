/**
 * Whether the user of a request may do it (AUTH-1..4, DEC-36, RBAC-10..12).
 *
 * @module
 */
import type { Decision, Identity } from "../../auth/contract.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import { ApiError, type ObjectRef, forbidden } from "../../meta/status.ts";
import type { Caller } from "../../registry/contract.ts";
import type { ServerContext } from "./context.ts";
import type { Recorder } from "./recorder.ts";
import type { ResourceRequest } from "./request.ts";

type Authorizing = Pick<ServerContext, "authorizer">;

/**
 * Throws, or rejects with, 403 Forbidden unless a user may do what `info` says; 500 where the authorizer has failed and does
 * not allow it (RBAC-12).
 *
 * @param recorder notified of the decision
 */
export function permit(
  server: Authorizing,
  identity: Identity,
  info: RequestInfo,
  recorder?: Recorder,
): void | Promise<void> {
  return decide(server, identity, info, (decision) => {
    recorder?.decided(decision);
    if (decision.allowed) return undefined;
    if (decision.error === undefined) return refuse(server, identity, info, decision);
    throw new ApiError("InternalError", "whether the request is allowed could not be found out");
  });
}

/** As {@link permit}; a failed authorizer counts as one that does not allow, and is no failure of the request. */
export function permitSurely(server: Authorizing, identity: Identity, info: RequestInfo): void | Promise<void> {
  return decide(server, identity, info, (decision) => {
    const isSure = decision.allowed && decision.error === undefined;
    return isSure ? undefined : refuse(server, identity, info, decision);
  });
}

function decide(
  { authorizer }: Authorizing,
  identity: Identity,
  info: RequestInfo,
  then: (decision: Decision) => void | Promise<void>,
): void | Promise<void> {
  const decision = authorizer.authorize(identity, info);
  return decision instanceof Promise ? decision.then(then) : then(decision);
}

/** Refuses at once, or when the rights that would help are known. */
function refuse(
  { authorizer }: Authorizing,
  identity: Identity,
  info: RequestInfo,
  { reason }: Decision,
): never | Promise<never> {
  if (!authorizer.advise) throw refusalOf(identity, info, [reason]);
  return authorizer.advise(identity, info).then((advice = "") => {
    throw refusalOf(identity, info, [reason, advice]);
  });
}

/** @param reasons empty ones are left out */
function refusalOf(identity: Identity, info: RequestInfo, reasons: readonly string[]): ApiError {
  const why = `User ${JSON.stringify(identity.user)} cannot ${info.verb} ${whatOf(info)}`;
  const whole = [why, ...reasons.filter((reason) => reason !== "")].join(": ");
  const { group, resource, name } = info;
  if (resource === "") {
    const details = { ...(group === "" ? {} : { group }), ...(name === "" ? {} : { name }) };
    return new ApiError("Forbidden", `forbidden: ${whole}`, { details });
  }
  const ref: ObjectRef = { group, plural: resource, kind: resource };
  return forbidden(ref, name, whole);
}

/** The refused action, in the words of rules that would allow it. */
function whatOf({ isResource, path, resource, subresource, group, namespace }: RequestInfo): string {
  if (!isResource) return `path ${JSON.stringify(path)}`;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}

/** The caller of a delete, who needs a verb of its own where the object cannot be read (CRYPT-10). */
export const deleter = (server: Authorizing, { caller, identity, info }: ResourceRequest): Caller => ({
  ...caller,
  permitUnread: () => permit(server, identity, { ...info, verb: "unsafe-delete-ignore-read-errors" }),
});

/** The caller of an update or an apply, who needs `create` as well where the object is created (APPLY-10). */
export const writer = (server: Authorizing, { caller, identity, info }: ResourceRequest): Caller => ({
  ...caller,
  permitCreate: () => permit(server, identity, { ...info, verb: "create" }),
});
