/**
 * The metrics of audit, with the names of kube-apiserver (AUDIT-27).
 *
 * @module
 */
import { type Collector, type Metric, single } from "../util/exposition.ts";
import { LEVELS, type Level } from "./policy.ts";

/** Counts events, requests and losses of audit. */
export class AuditMetrics {
  #events = 0;
  #rejected = 0;
  readonly #levels: Record<Level, number> = { None: 0, Metadata: 0, Request: 0, RequestResponse: 0 };
  readonly #errors = new Map<string, number>();

  /** Counts an event. */
  event(): void {
    this.#events++;
  }

  /** Counts a request that was refused because its event could not be written. */
  rejected(): void {
    this.#rejected++;
  }

  /** Counts a request by the level that the policy has for it. */
  level(level: Level): void {
    this.#levels[level]++;
  }

  /** Counts events that `plugin` lost: `log`, `webhook`, `truncate`, `buffered`. */
  lost(plugin: string, events: number): void {
    this.#errors.set(plugin, (this.#errors.get(plugin) ?? 0) + events);
  }

  /** The counts as metrics. */
  readonly collector: Collector = (): readonly Metric[] => [
    single("counter", "apiserver_audit_event_total", "Audit events that were generated.", this.#events),
    single(
      "counter",
      "apiserver_audit_requests_rejected_total",
      "Requests that were refused because their audit event could not be written.",
      this.#rejected,
    ),
    {
      name: "apiserver_audit_level_total",
      type: "counter",
      help: "Requests by the level that the audit policy has for them.",
      samples: LEVELS.map((level) => ({ value: this.#levels[level], labels: { level } })),
    },
    {
      name: "apiserver_audit_error_total",
      type: "counter",
      help: "Audit events that were lost, by plugin.",
      samples: [...this.#errors].map(([plugin, value]) => ({ value, labels: { plugin } })),
    },
  ];
}
