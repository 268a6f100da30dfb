/**
 * Audit: the policy, events and their JSON, batches, and searches of a log.
 *
 * It opens no file and no connection. The filter that records requests is in `server/audit/`, files and webhooks are in
 * `app/audit/`.
 *
 * @module
 */
export { Batches, type BatchOptions } from "./batches.ts";
export { AuditEvent, type EventHead, type EventObject, type EventStage, legacyText } from "./event.ts";
export { AuditMetrics } from "./metrics.ts";
export { PolicyError, type Stage, readPolicy } from "./policy.ts";
export { rotatedLogs, rotatedName } from "./rotated-logs.ts";
export { type PolicyRuleEvaluator, type RequestAuditConfig, compileRules } from "./rules.ts";
export { type AuditSearch, type LoggedEvent, type ObjectFilter, matchesSearch, parseEvent } from "./search.ts";
export { userAgentOf, sourceIPsOf } from "./client-info.ts";
export { type AuditSink, type Truncation, sizeOf, truncateEvent, unionOf } from "./sink.ts";
