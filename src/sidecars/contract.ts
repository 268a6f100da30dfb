/**
 * What sidecars ask of a storage driver, in the shapes of its protocol, and what they are told.
 *
 * Whoever calls a driver over its socket fits in here, and so does one that a test makes up. A call that fails throws a
 * DriverError, or another error with the number of a gRPC code as `code`.
 *
 * @module
 */
import type { ControllerCapability, NodeCapability, PluginCapability } from "../csi/terms.ts";

/** A map of text. */
export type Texts = { readonly [key: string]: string };

/** What a driver can do: what its controller says, and with a prefix what it says as a plugin and on nodes. */
export type Ability = ControllerCapability | `PLUGIN_${PluginCapability}` | `NODE_${NodeCapability}`;

/** A place: keys of topology and their values. */
export interface Place {
  readonly segments: Texts;
}

/** How a volume is used. */
export interface VolumeUse {
  readonly accessType:
    | { readonly case: "block"; readonly value: object }
    | { readonly case: "mount"; readonly value: { readonly fsType: string; readonly mountFlags: string[] } };
  readonly accessMode: { readonly mode: number };
}

/** What a new volume is filled from. */
export interface ContentSource {
  readonly type:
    | { readonly case: "snapshot"; readonly value: { readonly snapshotId: string } }
    | { readonly case: "volume"; readonly value: { readonly volumeId: string } };
}

/** Where a new volume has to be reachable from. */
export interface PlaceWish {
  readonly requisite: Place[];
  readonly preferred: Place[];
}

/** Asks for a volume; the same name is the same volume. */
export interface CreateVolume {
  readonly name: string;
  readonly capacityRange: { readonly requiredBytes: bigint };
  readonly volumeCapabilities: VolumeUse[];
  readonly parameters: Texts;
  readonly secrets: Texts;
  readonly volumeContentSource?: ContentSource;
  readonly accessibilityRequirements?: PlaceWish;
  readonly mutableParameters: Texts;
}

/** A volume that was made. */
export interface CreatedVolume {
  readonly volumeId: string;
  /** 0 where it is not known. */
  readonly capacityBytes: bigint;
  readonly volumeContext: Texts;
  readonly accessibleTopology: readonly Place[];
  readonly contentSource?: object | undefined;
}

/** A snapshot as a driver tells of it. */
export interface TakenSnapshot {
  readonly snapshotId: string;
  /** 0 where it is not known. */
  readonly sizeBytes: bigint;
  readonly creationTime?: { readonly seconds: bigint; readonly nanos: number } | undefined;
  readonly readyToUse: boolean;
}

/** What goes with a call. */
export interface Call {
  /** Aborted when the answer is not waited for any longer. */
  readonly signal: AbortSignal;
}

interface OfVolume {
  readonly volumeId: string;
  readonly secrets: Texts;
}

/** The calls of a driver that sidecars make. */
export interface DriverCalls {
  createVolume(request: CreateVolume, call: Call): Promise<{ readonly volume?: CreatedVolume | undefined }>;
  deleteVolume(request: OfVolume, call: Call): Promise<unknown>;
  controllerPublishVolume(
    request: OfVolume & {
      readonly nodeId: string;
      readonly volumeCapability: VolumeUse;
      readonly readonly: boolean;
      readonly volumeContext: Texts;
    },
    call: Call,
  ): Promise<{ readonly publishContext: Texts }>;
  controllerUnpublishVolume(request: OfVolume & { readonly nodeId: string }, call: Call): Promise<unknown>;
  controllerExpandVolume(
    request: OfVolume & {
      readonly capacityRange: { readonly requiredBytes: bigint };
      readonly volumeCapability: VolumeUse;
    },
    call: Call,
  ): Promise<{ readonly capacityBytes: bigint; readonly nodeExpansionRequired: boolean }>;
  controllerModifyVolume(request: OfVolume & { readonly mutableParameters: Texts }, call: Call): Promise<unknown>;
  getCapacity(
    request: { readonly parameters: Texts; readonly accessibleTopology?: Place },
    call: Call,
  ): Promise<{ readonly availableCapacity: bigint; readonly maximumVolumeSize?: bigint | undefined }>;
  createSnapshot(
    request: {
      readonly sourceVolumeId: string;
      readonly name: string;
      readonly parameters: Texts;
      readonly secrets: Texts;
    },
    call: Call,
  ): Promise<{ readonly snapshot?: TakenSnapshot | undefined }>;
  deleteSnapshot(request: { readonly snapshotId: string; readonly secrets: Texts }, call: Call): Promise<unknown>;
  listSnapshots(
    request: { readonly snapshotId: string; readonly secrets: Texts },
    call: Call,
  ): Promise<{ readonly entries: readonly { readonly snapshot?: TakenSnapshot | undefined }[] }>;
}

/** A driver, and what it can do. */
export interface StorageDriver {
  /** As it says itself. */
  readonly name: string;
  readonly abilities: ReadonlySet<Ability>;
  readonly calls: DriverCalls;
}
