/**
 * The options of audit, with the names and defaults of kube-apiserver
 * (https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/).
 *
 * @module
 */
import type { BatchOptions, Truncation } from "../../audit/index.ts";
import { type NamedValues, OPTIONS, OPTION_KEYS, type OptionKey, type OptionValues } from "./table.ts";
import { expected } from "./types.ts";

/** Whether a response waits for its event. */
export type AuditMode = OptionValues["audit-log-mode"];

/** The keys of the options of audit. */
export const AUDIT_KEYS: readonly OptionKey[] = OPTION_KEYS.filter((key) => OPTIONS[key].group === "Audit");

interface SinkOptions {
  readonly mode: AuditMode;
  readonly batch: BatchOptions;
  /** Undefined if events are not truncated. */
  readonly truncate: Truncation | undefined;
}

/** The rotation of a log file. */
export interface Rotation {
  readonly maxBytes: number;
  /** 0 for any age. */
  readonly maxAgeMillis: number;
  /** 0 for any number. */
  readonly maxBackups: number;
  readonly compress: boolean;
}

/** The options of the log file. */
export interface AuditFileOptions extends SinkOptions {
  /** `-` for standard output. */
  readonly path: string;
  readonly format: "json" | "legacy";
  readonly rotation: Rotation;
}

/** The options of the webhook. */
export interface AuditWebhookOptions extends SinkOptions {
  /** A kubeconfig. */
  readonly configFile: string;
  readonly initialBackoffMillis: number;
}

/** The options of audit. */
export interface AuditOptions {
  /** Empty for none. */
  readonly policyFile: string;
  readonly file: AuditFileOptions | undefined;
  readonly webhook: AuditWebhookOptions | undefined;
}

const DAY_MS = 86_400_000;
const MEGABYTE = 1 << 20;
const DEFAULT_MEGABYTES = 100;

/** Builds the options of audit from values. @throws OptionError for values that contradict each other */
export const auditOf = (values: NamedValues): AuditOptions => ({
  policyFile: values.auditPolicyFile,
  file: values.auditLogPath === "" ? undefined : fileOf(values),
  webhook: values.auditWebhookConfigFile === "" ? undefined : webhookOf(values),
});

const fileOf = (values: NamedValues): AuditFileOptions => ({
  path: values.auditLogPath,
  format: values.auditLogFormat,
  rotation: {
    maxBytes: (values.auditLogMaxsize || DEFAULT_MEGABYTES) * MEGABYTE,
    maxAgeMillis: values.auditLogMaxage * DAY_MS,
    maxBackups: values.auditLogMaxbackup,
    compress: values.auditLogCompress,
  },
  ...sinkOf(values, "Log"),
});

const webhookOf = (values: NamedValues): AuditWebhookOptions => ({
  configFile: values.auditWebhookConfigFile,
  initialBackoffMillis: values.auditWebhookInitialBackoff,
  ...sinkOf(values, "Webhook"),
});

function sinkOf(values: NamedValues, to: "Log" | "Webhook"): SinkOptions {
  const option = `audit-${to.toLowerCase()}`;
  const mode = values[`audit${to}Mode`];
  const isThrottled = values[`audit${to}BatchThrottleEnable`];
  const throttle = { qps: values[`audit${to}BatchThrottleQps`], burst: values[`audit${to}BatchThrottleBurst`] };
  if (mode === "batch" && isThrottled && (throttle.qps <= 0 || throttle.burst <= 0)) {
    throw expected(
      `${option}-batch-throttle-qps`,
      "above 0, as the burst, where batches are throttled",
      `${throttle.qps}`,
    );
  }
  const maxEventSize = values[`audit${to}TruncateMaxEventSize`];
  const maxBatchSize = values[`audit${to}TruncateMaxBatchSize`];
  if (maxBatchSize < maxEventSize) {
    throw expected(
      `${option}-truncate-max-batch-size`,
      `at least that of an event, ${maxEventSize}`,
      `${maxBatchSize}`,
    );
  }
  return {
    mode,
    batch: {
      bufferSize: values[`audit${to}BatchBufferSize`],
      maxSize: values[`audit${to}BatchMaxSize`],
      maxWaitMillis: values[`audit${to}BatchMaxWait`],
      throttle: isThrottled ? throttle : undefined,
    },
    truncate: values[`audit${to}TruncateEnabled`] ? { maxEventSize, maxBatchSize } : undefined,
  };
}
