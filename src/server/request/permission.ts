/**
 * Whether the sender of a request may do it (AUTH-1..4, DEC-36, RBAC-10..12).
 *
 * @module
 */
import type { Decision, Identity } from "../../auth/contract.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import { ApiError, type ObjectRef, forbidden } from "../../meta/status.ts";
import type { Caller } from "../../registry/contract.ts";
import type { ServerContext } from "./context.ts";
import type { ServerRequest } from "./request.ts";

/**
 * Throws, or rejects with, 403 Forbidden unless the sender may do what `info` says; by itself, what the request asks. 500
 * where the authorizer has failed and does not allow it (RBAC-12).
 */
export function permit(
  server: ServerContext,
  request: ServerRequest,
  info: RequestInfo = request.info!,
): void | Promise<void> {
  return asked(server, request, info, (decision) => {
    if (decision.allowed) return undefined;
    if (decision.error === undefined) return refuse(server, request.identity, info, decision);
    throw new ApiError("InternalError", "whether the request is allowed could not be found out");
  });
}

/** As {@link permit}; a failed authorizer has not allowed anything, and is no failure of the request. */
export function permitSurely(server: ServerContext, request: ServerRequest, info: RequestInfo): void | Promise<void> {
  return asked(server, request, info, (decision) => {
    const isSure = decision.allowed && decision.error === undefined;
    return isSure ? undefined : refuse(server, request.identity, info, decision);
  });
}

function asked(
  { authorizer }: ServerContext,
  request: ServerRequest,
  info: RequestInfo,
  judge: (decision: Decision) => void | Promise<void>,
): void | Promise<void> {
  const decision = authorizer.authorize(request.identity, info);
  // What else is asked on the way is not what the request wants to do.
  const heard = (found: Decision): void | Promise<void> => {
    if (info === request.info) request.decision = found;
    return judge(found);
  };
  return decision instanceof Promise ? decision.then(heard) : heard(decision);
}

/** Refuses at once, or when it is known what would help. */
function refuse(
  { authorizer }: ServerContext,
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

/** What is refused, in the words in which people write rules that allow it. */
function whatOf({ isResource, path, resource, subresource, group, namespace }: RequestInfo): string {
  if (!isResource) return `path ${JSON.stringify(path)}`;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}

/** The sender of a delete, who needs a verb of its own where the object cannot be read (CRYPT-10). */
export const deleter = (server: ServerContext, request: ServerRequest): Caller => ({
  ...request.caller,
  permitUnread: () => permit(server, request, { ...request.info!, verb: "unsafe-delete-ignore-read-errors" }),
});

/** The sender of an update or an apply, who needs `create` as well where that is what comes of it (APPLY-10). */
export const writer = (server: ServerContext, request: ServerRequest): Caller => ({
  ...request.caller,
  permitCreate: () => permit(server, request, { ...request.info!, verb: "create" }),
});
