import type { KmsFigures } from "../../encryption/kms/provider.ts";
import type { TransformationCounts } from "../../encryption/transformation-counts.ts";
import type { Metric, Sample } from "../../util/exposition.ts";
import type { PluginTimes } from "./plugin-times.ts";
import type { Reloads } from "../files/watched-file.ts";

/** What the metrics of encryption are computed from. */
export interface EncryptionFigures {
  readonly counts: TransformationCounts;
  readonly plugins: readonly KmsFigures[];
  readonly times: PluginTimes;
  /** Undefined if the file is read only at the start. */
  readonly reloads: Reloads | undefined;
  /** SHA-256 of the file in use. */
  readonly hash: string;
}

/** Returns the metrics of encryption at rest, with the names of kube-apiserver (CRYPT-14). */
export function encryptionMetrics({ counts, plugins, times, reloads, hash }: EncryptionFigures): readonly Metric[] {
  return [
    counts.metric(),
    times.metric(),
    ...keyMetrics(plugins),
    {
      name: "apiserver_encryption_config_controller_last_config_info",
      type: "gauge",
      help: "The hash of the encryption configuration that is used.",
      samples: [{ value: 1, labels: { hash } }],
    },
    {
      name: "apiserver_encryption_config_controller_automatic_reloads_total",
      type: "counter",
      help: "Changed encryption configurations, by whether they could be used.",
      samples: Object.entries(reloads ?? {}).map(([status, value]) => ({ value, labels: { status } })),
    },
  ];
}

/** Returns the metrics of the keys of plugins; labels have a hash of the key ID. */
function keyMetrics(plugins: readonly KmsFigures[]): Metric[] {
  const used: Sample[] = [];
  const usedAt: Sample[] = [];
  const statusAt: Sample[] = [];
  for (const { provider, keys } of plugins) {
    for (const { how, hash, at, count } of keys) {
      const labels = { provider_name: provider, key_id_hash: hash };
      if (how === "status") {
        statusAt.push({ value: at / 1000, labels });
        continue;
      }
      used.push({ value: count, labels: { transformation_type: how, ...labels } });
      usedAt.push({ value: at / 1000, labels: { transformation_type: how, ...labels } });
    }
  }
  return [
    {
      name: "apiserver_envelope_encryption_key_id_hash_total",
      type: "counter",
      help: "Values that were read and written with a key of a KMS plugin.",
      samples: used,
    },
    {
      name: "apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds",
      type: "gauge",
      help: "When a value was last read or written with a key of a KMS plugin.",
      samples: usedAt,
    },
    {
      name: "apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds",
      type: "gauge",
      help: "When the status of a KMS plugin last named a key.",
      samples: statusAt,
    },
    {
      name: "apiserver_envelope_encryption_invalid_key_id_from_status_total",
      type: "counter",
      help: "Responses of a KMS plugin whose key id cannot be used.",
      samples: plugins.map(({ provider, invalidKeyIds }) => ({
        value: invalidKeyIds,
        labels: { provider_name: provider },
      })),
    },
    {
      name: "apiserver_envelope_encryption_dek_source_cache_size",
      type: "gauge",
      help: "Seeds that a KMS plugin has opened and that are remembered.",
      samples: plugins.map(({ provider, openedSeeds }) => ({
        value: openedSeeds,
        labels: { provider_name: provider },
      })),
    },
  ];
}
