/**
 * The objects of the picture of storage, and figures of them.
 *
 * @module
 */
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "../../../../src/client/kinds/index.ts";
import { parseQuantity } from "../../../../src/meta/quantity.ts";

/** What the picture is made of. */
export interface StorageObjects {
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly classes: readonly StorageClass[];
  readonly attachments: readonly VolumeAttachment[];
  readonly nodes: readonly Node[];
  readonly drivers: readonly CSIDriver[];
  readonly csiNodes: readonly CSINode[];
  readonly capacities: readonly CSIStorageCapacity[];
}

/** The bytes of texts that came before: sizes of volumes repeat, and exact numbers cost a microsecond each. */
const known = new Map<string, number>();
const MAX_KNOWN = 1000;

/** The number of bytes of a quantity as a double, for sums that are shown; 0 for a text that is none. */
export function bytesOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const before = known.get(text);
  if (before !== undefined) return before;
  const quantity = parseQuantity(text);
  const bytes = !quantity || quantity.exponent > 30 ? 0 : Number(quantity.mantissa) * 10 ** quantity.exponent;
  if (known.size >= MAX_KNOWN) known.clear();
  if (text.length < 100) known.set(text, bytes);
  return bytes;
}

/** `ns/name`. */
export const keyOf = ({ metadata }: PersistentVolumeClaim): string => `${metadata.namespace ?? ""}/${metadata.name}`;

/** The labels of a node or of a topology term that say where it is, without the domain: `zone=a, region=b`. */
export function topologyText(labels: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(labels ?? {})
    .map(([key, value]) => `${key.slice(key.lastIndexOf("/") + 1)}=${value}`)
    .toSorted()
    .join(", ");
}

/** Where a volume can be used, as text: the first term of its node affinity; empty where it can be used everywhere. */
export function topologyOfVolume({ spec }: PersistentVolume): string {
  const [term] = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const labels = (term?.matchExpressions ?? []).map(({ key, values }): [string, string] => [
    key,
    (values ?? []).toSorted().join("|"),
  ]);
  return topologyText(Object.fromEntries(labels));
}

/** The driver of a volume: that of CSI, or the name of its source. */
export function driverOf({ spec }: PersistentVolume): string {
  const { csi } = spec;
  if (csi) return csi.driver;
  return Object.keys(spec).find((member) => SOURCES.has(member)) ?? "";
}

const SOURCES: ReadonlySet<string> = new Set(["hostPath", "local", "nfs", "iscsi", "fc", "flexVolume"]);

/** The volume that an attachment is of; undefined for a volume that a Pod describes inline. */
export const volumeOfAttachment = ({ spec }: VolumeAttachment): string | undefined => spec.source.persistentVolumeName;
