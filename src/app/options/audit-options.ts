/**
 * What the options of audit say together; they have the names and the defaults of kube-apiserver
 * (https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/).
 *
 * @module
 */
import type { BatchOptions, Truncation } from "../../audit/index.ts";
import { type NamedValues, OPTIONS, OPTION_KEYS, type OptionKey, type OptionValues, valuesOf } from "./table.ts";
import { expected } from "./types.ts";

/** When an answer waits for its event. */
export type AuditMode = OptionValues["audit-log-mode"];

/** The keys of the options of audit. */
export const AUDIT_KEYS: readonly OptionKey[] = OPTION_KEYS.filter((key) => OPTIONS[key].group === "Audit");

/** What is the same for both places where events go. */
interface SinkOptions {
  readonly mode: AuditMode;
  readonly batch: BatchOptions;
  /** Undefined where events are as large as they are. */
  readonly truncate: Truncation | undefined;
}

/** How large a file becomes, and which of the old ones are kept. */
export interface Rotation {
  readonly maxBytes: number;
  /** Milliseconds; 0 for any age. */
  readonly maxAgeMillis: number;
  /** 0 for any number. */
  readonly maxBackups: number;
  readonly compress: boolean;
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
export const auditOf = (values: NamedValues): AuditOptions => ({
  policyFile: values.auditPolicyFile,
  file: values.auditLogPath === "" ? undefined : fileOf(values),
  webhook: values.auditWebhookConfigFile === "" ? undefined : webhookOf(values),
});

/** What texts say of audit, by key; the defaults where there is no text. @throws OptionError for a text that is no value */
export const auditFrom = (textOf: (key: OptionKey) => string | undefined): AuditOptions =>
  auditOf(valuesOf(Object.fromEntries(AUDIT_KEYS.map((key) => [key, textOf(key)]))));

const fileOf = (values: NamedValues): AuditFileOptions => ({
  path: values.auditLogPath,
  format: values.auditLogFormat,
  rotation: {
    maxBytes: (values.auditLogMaxsize || USUAL_MEGABYTES) * MEGABYTE,
    maxAgeMillis: values.auditLogMaxage * DAY,
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
