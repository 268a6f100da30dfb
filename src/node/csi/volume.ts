/**
 * The members of a volume for its driver, from the objects alone.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { CSIDriver, PersistentVolume } from "../../client/kinds/index.ts";
import { type NeededVolume, VolumeError } from "../contract.ts";

/** The volumeMode of a volume. */
export type Mode = NeededVolume["mode"];

/** The lifecycle mode of a volume: its own, or that of its Pod. */
export type Lifecycle = "Persistent" | "Ephemeral";

/** The key of a Secret. */
export interface SecretRef {
  readonly namespace: string;
  readonly name: string;
}

/** See the head of this file. */
export interface CsiVolume {
  readonly driver: string;
  /** The `volume_id`. */
  readonly handle: string;
  readonly lifecycle: Lifecycle;
  /** The name of its directories: the PersistentVolume, or the volume in the Pod's spec. */
  readonly name: string;
  readonly mode: Mode;
  readonly attributes: Readonly<Record<string, string>>;
  /** Empty where the driver decides. */
  readonly fsType: string;
  readonly mountOptions: readonly string[];
  readonly accessModes: readonly string[];
  /** Whether it is published read-only (NODE-24). */
  readonly readOnly: boolean;
  readonly secrets: Readonly<Partial<Record<"stage" | "publish" | "expand", SecretRef>>>;
}

/** The CSI volume; undefined for a volume of another kind. */
export function csiVolumeOf(needed: NeededVolume): CsiVolume | undefined {
  return needed.persistent ? ofPersistent(needed, needed.persistent.volume) : ofPod(needed);
}

function ofPersistent({ mode, readOnly }: NeededVolume, { metadata, spec }: PersistentVolume): CsiVolume | undefined {
  const { csi, mountOptions = [], accessModes = [] } = spec;
  if (!csi) return undefined;
  return {
    driver: csi.driver,
    handle: csi.volumeHandle,
    lifecycle: "Persistent",
    name: metadata.name,
    mode,
    attributes: csi.volumeAttributes ?? {},
    fsType: csi.fsType ?? "",
    mountOptions,
    accessModes,
    readOnly,
    secrets: {
      ...named("stage", csi.nodeStageSecretRef),
      ...named("publish", csi.nodePublishSecretRef),
      ...named("expand", csi.nodeExpandSecretRef),
    },
  };
}

/** An inline volume: its handle follows from its Pod, and its Secret is in the same namespace (NODE-26). */
function ofPod({ pod, volume, mode, readOnly }: NeededVolume): CsiVolume | undefined {
  const { csi, name } = volume;
  if (!csi) return undefined;
  const { uid, namespace = "" } = pod.metadata;
  return {
    driver: csi.driver,
    handle: inlineHandle(uid, name),
    lifecycle: "Ephemeral",
    name,
    mode,
    attributes: csi.volumeAttributes ?? {},
    fsType: csi.fsType ?? "",
    mountOptions: [],
    accessModes: ["ReadWriteOnce"],
    readOnly: readOnly || csi.readOnly === true,
    secrets: named("publish", csi.nodePublishSecretRef && { ...csi.nodePublishSecretRef, namespace }),
  };
}

/** The handle of an inline volume (NODE-26). */
export const inlineHandle = (podUid: string, name: string): string =>
  `csi-${createHash("sha256").update(`${podUid}${name}`).digest("hex")}`;

function named(call: keyof CsiVolume["secrets"], ref: Partial<SecretRef> | undefined): CsiVolume["secrets"] {
  const { name, namespace } = ref ?? {};
  return name && namespace ? { [call]: { name, namespace } } : {};
}

/**
 * Checks the lifecycle modes of the driver (NODE-26, NODE-27). @throws VolumeError where it does not support that of a
 * volume
 */
export function checkLifecycle({ driver, lifecycle }: CsiVolume, object: CSIDriver | undefined): void {
  const modes = object?.spec.volumeLifecycleModes ?? [];
  const supported = modes.length === 0 ? ["Persistent"] : modes;
  if (supported.includes(lifecycle)) return;
  const why = object ? `its CSIDriver lists ${supported.join(", ")}` : "it has no CSIDriver object";
  throw new VolumeError(`volume mode ${JSON.stringify(lifecycle)} not supported by driver ${driver}: ${why}`);
}
