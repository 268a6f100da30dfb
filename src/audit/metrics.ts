/**
 * What is counted of audit, by the names that dashboards know (AUDIT-27).
 *
 * @module
 */
import type { Collector, Metric } from "../util/exposition.ts";
import { LEVELS, type Level } from "./policy.ts";

/** Counts of audit. */
export class AuditMetrics {
  #events = 0;
  #rejected = 0;
  readonly #levels = new Map<Level, number>(LEVELS.map((level) => [level, 0]));
  readonly #errors = new Map<string, number>();

  /** An event has been made and handed to where it goes. */
  event(): void {
    this.#events++;
  }

  /** A request was refused because its event could not be kept. */
  rejected(): void {
    this.#rejected++;
  }

  /** A request has been judged. */
  level(level: Level): void {
    this.#levels.set(level, this.#levels.get(level)! + 1);
  }

  /** Events were lost on their way to `plugin`: `log`, `webhook`, `truncate`, `buffered`. */
  lost(plugin: string, events: number): void {
    this.#errors.set(plugin, (this.#errors.get(plugin) ?? 0) + events);
  }

  /** The counts as metrics. */
  readonly collector: Collector = (): readonly Metric[] => [
    counter("apiserver_audit_event_total", "Audit events that were made.", this.#events),
    counter(
      "apiserver_audit_requests_rejected_total",
      "Requests that were refused because their audit event could not be kept.",
      this.#rejected,
    ),
    {
      name: "apiserver_audit_level_total",
      type: "counter",
      help: "Requests by the level that the audit policy has for them.",
      samples: [...this.#levels].map(([level, value]) => ({ value, labels: { level } })),
    },
    {
      name: "apiserver_audit_error_total",
      type: "counter",
      help: "Audit events that were lost, by where they were to go.",
      samples: [...this.#errors].map(([plugin, value]) => ({ value, labels: { plugin } })),
    },
  ];
}

const counter = (name: string, help: string, value: number): Metric => ({
  name,
  type: "counter",
  help,
  samples: [{ value }],
});
