/**
 * The fairness room: which requests run, wait or are refused.
 *
 * @module
 */
export { Fairness } from "./fairness.ts";
export type { FlowConfiguration } from "./configuration.ts";
export type { Flow } from "./flow.ts";
export { Refused } from "./refusal.ts";
export type { Ticket } from "./ticket.ts";
export { afterWrite, listWidth } from "./width.ts";
export { fairnessMetrics } from "./metrics.ts";
export { type DumpName, dump } from "./dump.ts";
