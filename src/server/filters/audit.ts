import { type PolicyRuleEvaluator } from "../../audit/index.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { ApiError } from "../../meta/status.ts";
import { type AuditParts, AuditRecord } from "../audit/record.ts";
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";
import type { Filter } from "./contract.ts";

/** The policy for the events of requests, and where they are written. */
export interface Auditing extends AuditParts {
  readonly rules: PolicyRuleEvaluator;
}

/**
 * Records who did what, as a policy says (AUDIT-10..23). It runs right after `authenticate`: a request that is refused before that has one
 * event, without a user.
 */
export const audit = ({ rules, ...parts }: Auditing): Filter => ({
  name: "audit",
  enter: (server, request) => {
    request.isAudited = true;
    request.recordPart = (info) => partOf(server, request, rules, parts, info);
    const config = rules(request.info, request.identity);
    parts.metrics.level(config.level);
    if (config.level === "None") return undefined;
    const record = new AuditRecord(server, request, parts, config, request.identity);
    request.response.recorder = record;
    const kept = record.received();
    return kept instanceof Promise ? kept.then((isKept) => demand(isKept, parts)) : demand(kept, parts);
  },
  leave: (server, request) => {
    if (request.isAudited) request.response.recorder?.left();
    else refused(server, request, rules, parts);
  },
});

/** The record of a write that is a part of a request; undefined where the policy wants none. */
function partOf(
  server: ServerContext,
  request: ServerRequest,
  rules: PolicyRuleEvaluator,
  parts: AuditParts,
  info: RequestInfo,
): AuditRecord | undefined {
  const config = rules(info, request.identity);
  parts.metrics.level(config.level);
  return config.level === "None" ? undefined : new AuditRecord(server, request, parts, config, request.identity, info);
}

/** A request whose record cannot be made does not run (AUDIT-25). */
function demand(isKept: boolean, { metrics }: AuditParts): void {
  if (isKept) return;
  metrics.rejected();
  throw new ApiError("InternalError", "the audit event of the request could not be kept");
}

/** Records a request that was refused before its user was known; one whose path cannot be read has no event. */
function refused(server: ServerContext, request: ServerRequest, rules: PolicyRuleEvaluator, parts: AuditParts): void {
  const { status } = request.response;
  if (request.info === NO_REQUEST || !status) return;
  const config = rules(request.info, undefined);
  parts.metrics.level(config.level);
  if (config.level !== "None") new AuditRecord(server, request, parts, config, undefined).refused(status);
}
