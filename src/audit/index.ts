/**
 * Who did what: the policy that says what is written down of requests, events and their text, and batches of them.
 *
 * It is pure: it opens no file and calls nobody. The filter that follows requests is in `server/audit/`, files and
 * webhooks in `app/audit/`.
 *
 * @module
 */
export { asideName, asideNames } from "./aside.ts";
export { Batches, type BatchOptions } from "./batches.ts";
export { AuditEvent, type EventHead, type EventObject, type EventStage, legacyText } from "./event.ts";
export { AuditMetrics } from "./metrics.ts";
export { PolicyError, type Stage, readPolicy } from "./policy.ts";
export { type Rules, type Verdict, compileRules } from "./rules.ts";
export { type AuditSearch, type FoundEvent, type SearchedObject, isFound, readEvent } from "./search.ts";
export { agentOf, sourcesOf } from "./sender.ts";
export { type AuditSink, type Truncation, bothOf, sizeOf, smallEnough } from "./sink.ts";
