import { type Rules } from "../../audit/index.ts";
import { ApiError } from "../../meta/status.ts";
import { AuditedExchange } from "../audit/exchange.ts";
import { type AuditParts, AuditRecord } from "../audit/record.ts";
import type { ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";
import { whoAsks } from "../request/log-fields.ts";
import type { Filter } from "./contract.ts";

/** What decides about the events of requests, and where they go. */
export interface Auditing extends AuditParts {
  readonly rules: Rules;
}

/**
 * Writes down who did what, as a policy says (AUDIT-10..23). It stands right after `authenticate`: what is refused before
 * has one event, without a user.
 */
export const audit = ({ rules, ...parts }: Auditing): Filter => ({
  name: "audit",
  enter: (server, request) => {
    request.isJudged = true;
    const verdict = rules(request.info!, request.identity);
    parts.metrics.level(verdict.level);
    if (verdict.level === "None") return undefined;
    return follow(server, request, new AuditRecord(request, server.clock, parts, verdict, request.identity), parts);
  },
  leave: ({ clock }, request) => {
    if (request.isJudged) request.witness?.left();
    else refused(clock, request, rules, parts);
  },
});

function follow(
  { faults }: ServerContext,
  request: ServerRequest,
  record: AuditRecord,
  parts: AuditParts,
): void | Promise<void> {
  request.witness = record;
  const onFault = (error: unknown): void => faults.report("request", error, { ...whoAsks(request) });
  request.exchange = new AuditedExchange(request.exchange, record, onFault);
  const kept = record.received();
  if (kept instanceof Promise) return kept.then((isKept) => demand(isKept, parts));
  demand(kept, parts);
}

/** Nothing is done of which there must be a record and is none (AUDIT-25). */
function demand(isKept: boolean, { metrics }: AuditParts): void {
  if (isKept) return;
  metrics.rejected();
  throw new ApiError("InternalError", "the audit event of the request could not be kept");
}

/** A request that was refused before it was known who asks; of one that cannot be read at all nothing is told. */
function refused(clock: ServerContext["clock"], request: ServerRequest, rules: Rules, parts: AuditParts): void {
  const { info, status } = request;
  if (!info || !status) return;
  const verdict = rules(info, undefined);
  parts.metrics.level(verdict.level);
  if (verdict.level !== "None") new AuditRecord(request, clock, parts, verdict, undefined).refused(status);
}
