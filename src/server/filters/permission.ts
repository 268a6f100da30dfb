/**
 * Whether the sender of a request may do it (AUTH-1..4, DEC-36).
 *
 * @module
 */
import type { Decision } from "../../auth/contract.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import { ApiError, type ObjectRef, forbidden } from "../../meta/status.ts";
import type { Caller } from "../../registry/contract.ts";
import type { ServerContext } from "../context.ts";
import type { ServerRequest } from "../request.ts";

/** Throws, or rejects with, 403 Forbidden unless the sender may do what `info` says; by itself, what the request asks. */
export function permit(
  server: ServerContext,
  request: ServerRequest,
  info: RequestInfo = request.info!,
): void | Promise<void> {
  const decision = server.authorizer.authorize(request.identity, info);
  if (decision instanceof Promise) return decision.then((found) => decide(info, found));
  return decide(info, decision);
}

function decide({ group, resource, name, path, isResource }: RequestInfo, decision: Decision): void {
  if (decision.allowed) return;
  if (isResource) {
    const ref: ObjectRef = { group, plural: resource, kind: resource };
    throw forbidden(ref, name, decision.reason);
  }
  throw new ApiError("Forbidden", `the path ${JSON.stringify(path)} is forbidden: ${decision.reason}`, { details: {} });
}

/** The sender of an update or an apply, who needs `create` as well where that is what comes of it (APPLY-10). */
export const writer = (server: ServerContext, request: ServerRequest): Caller => ({
  ...request.caller,
  permitCreate: () => permit(server, request, { ...request.info!, verb: "create" }),
});
