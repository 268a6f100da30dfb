/**
 * The options of audit, by the names and with the defaults that kube-apiserver has for them
 * (https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/).
 *
 * @module
 */
import { resolve } from "node:path";
import type { BatchOptions, Truncation } from "../../audit/index.ts";
import type { OptionSpec } from "../option-spec.ts";
import { count, duration, expected, file, most, onOff, oneOf, rate } from "../option-types.ts";
import type { Rotation } from "./rotating-file.ts";

const MODES = ["batch", "blocking", "blocking-strict"] as const;

/** When an answer waits for its event. */
export type AuditMode = (typeof MODES)[number];

/** Values of options of audit, by their keys. */
export interface AuditOptionValues {
  readonly "audit-policy-file": string;
  readonly "audit-log-path": string;
  readonly "audit-log-format": "json" | "legacy";
  readonly "audit-log-maxage": number;
  readonly "audit-log-maxbackup": number;
  readonly "audit-log-maxsize": number;
  readonly "audit-log-compress": boolean;
  readonly "audit-log-version": "audit.k8s.io/v1";
  readonly "audit-log-mode": AuditMode;
  readonly "audit-log-batch-buffer-size": number;
  readonly "audit-log-batch-max-size": number;
  readonly "audit-log-batch-max-wait": number;
  readonly "audit-log-batch-throttle-enable": boolean;
  readonly "audit-log-batch-throttle-qps": number;
  readonly "audit-log-batch-throttle-burst": number;
  readonly "audit-log-truncate-enabled": boolean;
  readonly "audit-log-truncate-max-batch-size": number;
  readonly "audit-log-truncate-max-event-size": number;
  readonly "audit-webhook-config-file": string;
  readonly "audit-webhook-initial-backoff": number;
  readonly "audit-webhook-version": "audit.k8s.io/v1";
  readonly "audit-webhook-mode": AuditMode;
  readonly "audit-webhook-batch-buffer-size": number;
  readonly "audit-webhook-batch-max-size": number;
  readonly "audit-webhook-batch-max-wait": number;
  readonly "audit-webhook-batch-throttle-enable": boolean;
  readonly "audit-webhook-batch-throttle-qps": number;
  readonly "audit-webhook-batch-throttle-burst": number;
  readonly "audit-webhook-truncate-enabled": boolean;
  readonly "audit-webhook-truncate-max-batch-size": number;
  readonly "audit-webhook-truncate-max-event-size": number;
}

type Key = keyof AuditOptionValues;
type Specs<K extends Key> = { readonly [Each in K]: OptionSpec<AuditOptionValues[Each]> };

const spec = <T>(
  type: OptionSpec<T>["type"],
  preset: string,
  about: string,
  more: { readonly otherwise?: string } = {},
): OptionSpec<T> => ({ group: "audit", type, default: preset, about, since: "0.2", ...more });

/** How events are gathered and cut; the same for both places where they go. */
const SHARED = {
  version: spec(oneOf("audit.k8s.io/v1"), "audit.k8s.io/v1", "The form of events; there is one."),
  "batch-buffer-size": spec(count("events"), "10000", "Events that may wait in mode batch; more are dropped."),
  "batch-throttle-burst": spec(count("batches"), "15", "Batches at once after a quiet time, in mode batch."),
  "truncate-enabled": spec(onOff, "false", "Leave objects out of events that are too large."),
  "truncate-max-batch-size": spec(count("bytes"), "10485760", "Bytes of a batch, where events are cut."),
  "truncate-max-event-size": spec(count("bytes"), "102400", "Bytes of an event, where events are cut."),
};

const mode = (preset: AuditMode): OptionSpec<AuditMode> =>
  spec(oneOf(...MODES), preset, "Whether answers wait for their events; strict: without an event there is no answer.");

/** The options of audit. */
export const AUDIT_OPTIONS: Specs<Key> = {
  "audit-policy-file": spec(file, "", "What is written down of requests (audit.k8s.io/v1); nothing without it."),
  "audit-log-path": spec(file, "", "A file for audit events; - is standard output."),
  "audit-log-format": spec(oneOf("json", "legacy"), "json", "How a line looks: the whole event, or a part of it."),
  "audit-log-maxage": spec(most("days"), "0", "Days that old files are kept.", { otherwise: "any age" }),
  "audit-log-maxbackup": spec(most("files"), "0", "Old files that are kept.", { otherwise: "any number" }),
  "audit-log-maxsize": spec(most("megabytes"), "0", "Megabytes of a file before it is put aside.", {
    otherwise: "100",
  }),
  "audit-log-compress": spec(onOff, "false", "Compress files that are put aside."),
  "audit-log-version": SHARED.version,
  "audit-log-mode": mode("blocking"),
  "audit-log-batch-buffer-size": SHARED["batch-buffer-size"],
  "audit-log-batch-max-size": spec(count("events"), "1", "Events of a batch."),
  "audit-log-batch-max-wait": spec(duration, "0s", "How long a batch waits to become full."),
  "audit-log-batch-throttle-enable": spec(onOff, "false", "Whether batches are throttled."),
  "audit-log-batch-throttle-qps": spec(rate, "0", "Batches a second, where they are throttled."),
  "audit-log-batch-throttle-burst": spec(most("batches"), "0", "Batches at once, where they are throttled."),
  "audit-log-truncate-enabled": SHARED["truncate-enabled"],
  "audit-log-truncate-max-batch-size": SHARED["truncate-max-batch-size"],
  "audit-log-truncate-max-event-size": SHARED["truncate-max-event-size"],
  "audit-webhook-config-file": spec(file, "", "A kubeconfig with the address that audit events are posted to."),
  "audit-webhook-initial-backoff": spec(duration, "10s", "The pause before the second try; it grows."),
  "audit-webhook-version": SHARED.version,
  "audit-webhook-mode": mode("batch"),
  "audit-webhook-batch-buffer-size": SHARED["batch-buffer-size"],
  "audit-webhook-batch-max-size": spec(count("events"), "400", "Events of a batch."),
  "audit-webhook-batch-max-wait": spec(duration, "30s", "How long a batch waits to become full."),
  "audit-webhook-batch-throttle-enable": spec(onOff, "true", "Whether batches are throttled."),
  "audit-webhook-batch-throttle-qps": spec(rate, "10", "Batches a second, where they are throttled."),
  "audit-webhook-batch-throttle-burst": SHARED["batch-throttle-burst"],
  "audit-webhook-truncate-enabled": SHARED["truncate-enabled"],
  "audit-webhook-truncate-max-batch-size": SHARED["truncate-max-batch-size"],
  "audit-webhook-truncate-max-event-size": SHARED["truncate-max-event-size"],
};

/** What is the same for both places where events go. */
interface SinkOptions {
  readonly mode: AuditMode;
  readonly batch: BatchOptions;
  /** Undefined where events are as large as they are. */
  readonly truncate: Truncation | undefined;
}

/** Events in a file. */
export interface AuditFileOptions extends SinkOptions {
  /** `-` for standard output. */
  readonly path: string;
  readonly format: "json" | "legacy";
  readonly rotation: Rotation;
}

/** Events to a webhook. */
export interface AuditWebhookOptions extends SinkOptions {
  /** A kubeconfig. */
  readonly configFile: string;
  readonly initialBackoffMillis: number;
}

/** What is said of audit. */
export interface AuditOptions {
  /** Empty for none. */
  readonly policyFile: string;
  readonly file: AuditFileOptions | undefined;
  readonly webhook: AuditWebhookOptions | undefined;
}

const DAY = 86_400_000;
const MEGABYTE = 1 << 20;
const USUAL_MEGABYTES = 100;

/** Puts the values together. @throws OptionError for some that contradict each other */
export function auditOf(said: AuditOptionValues): AuditOptions {
  const pathOf = (path: string): string => (path === "" || path === "-" ? path : resolve(path));
  const { "audit-log-path": path, "audit-webhook-config-file": configFile } = said;
  return {
    policyFile: pathOf(said["audit-policy-file"]),
    file:
      path === ""
        ? undefined
        : {
            path: pathOf(path),
            format: said["audit-log-format"],
            rotation: {
              maxBytes: (said["audit-log-maxsize"] || USUAL_MEGABYTES) * MEGABYTE,
              maxAgeMillis: said["audit-log-maxage"] * DAY,
              maxBackups: said["audit-log-maxbackup"],
              compress: said["audit-log-compress"],
            },
            ...sinkOf(said, "log"),
          },
    webhook:
      configFile === ""
        ? undefined
        : {
            configFile: pathOf(configFile),
            initialBackoffMillis: said["audit-webhook-initial-backoff"],
            ...sinkOf(said, "webhook"),
          },
  };
}

/** The options that texts say, by key; the defaults of those that none says. @throws OptionError for a text that is no value */
export function auditFrom(textOf: (key: Key) => string | undefined): AuditOptions {
  const valueOf = (key: Key): unknown => {
    const { type, default: preset } = AUDIT_OPTIONS[key];
    const text = textOf(key) ?? preset!;
    const value = type.read(text);
    if (value === undefined) throw expected(key, type.expects, text);
    return value;
  };
  const keys = Object.keys(AUDIT_OPTIONS) as Key[];
  return auditOf(Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as unknown as AuditOptionValues);
}

function sinkOf(said: AuditOptionValues, to: "log" | "webhook"): SinkOptions {
  const qps = said[`audit-${to}-batch-throttle-qps`];
  const burst = said[`audit-${to}-batch-throttle-burst`];
  const isThrottled = said[`audit-${to}-batch-throttle-enable`];
  const chosen = said[`audit-${to}-mode`];
  if (chosen === "batch" && isThrottled && (qps <= 0 || burst <= 0)) {
    throw expected(`audit-${to}-batch-throttle-qps`, "above 0, as the burst, where batches are throttled", String(qps));
  }
  const maxEventSize = said[`audit-${to}-truncate-max-event-size`];
  const maxBatchSize = said[`audit-${to}-truncate-max-batch-size`];
  if (maxBatchSize < maxEventSize) {
    throw expected(
      `audit-${to}-truncate-max-batch-size`,
      `at least that of an event, ${maxEventSize}`,
      String(maxBatchSize),
    );
  }
  return {
    mode: chosen,
    batch: {
      bufferSize: said[`audit-${to}-batch-buffer-size`],
      maxSize: said[`audit-${to}-batch-max-size`],
      maxWaitMillis: said[`audit-${to}-batch-max-wait`],
      throttle: isThrottled ? { qps, burst } : undefined,
    },
    truncate: said[`audit-${to}-truncate-enabled`] ? { maxEventSize, maxBatchSize } : undefined,
  };
}
