/**
 * The calls of a storage driver that sidecars make, in the shapes of its protocol.
 *
 * A driver behind a socket fits, and so does one of a test. A call that fails throws a DriverError, or another error with
 * the number of a gRPC code as `code`.
 *
 * @module
 */
import type { ControllerCapability, NodeCapability, PluginCapability } from "../csi/terms.ts";

/** A map of strings. */
export type Texts = { readonly [key: string]: string };

/** A capability of a driver: one of its controller or, with a prefix, of the plugin or its node service. */
export type Ability = ControllerCapability | `PLUGIN_${PluginCapability}` | `NODE_${NodeCapability}`;

/** A topology: a value for each of some keys. */
export interface Topology {
  readonly segments: Texts;
}

/** The access type and the access mode of a volume. */
export interface VolumeUse {
  readonly accessType:
    | { readonly case: "block"; readonly value: object }
    | { readonly case: "mount"; readonly value: { readonly fsType: string; readonly mountFlags: string[] } };
  readonly accessMode: { readonly mode: number };
}

/** The source of a new volume's content. */
export interface ContentSource {
  readonly type:
    | { readonly case: "snapshot"; readonly value: { readonly snapshotId: string } }
    | { readonly case: "volume"; readonly value: { readonly volumeId: string } };
}

/** From where a new volume has to be accessible. */
export interface TopologyRequirement {
  readonly requisite: Topology[];
  readonly preferred: Topology[];
}

/** The request for a volume. The driver returns the same volume for the same name. */
export interface CreateVolume {
  readonly name: string;
  readonly capacityRange: { readonly requiredBytes: bigint };
  readonly volumeCapabilities: VolumeUse[];
  readonly parameters: Texts;
  readonly secrets: Texts;
  readonly volumeContentSource?: ContentSource;
  readonly accessibilityRequirements?: TopologyRequirement;
  readonly mutableParameters: Texts;
}

/** A volume that the driver has created. */
export interface CreatedVolume {
  readonly volumeId: string;
  /** 0 where it is not known. */
  readonly capacityBytes: bigint;
  readonly volumeContext: Texts;
  readonly accessibleTopology: readonly Topology[];
  readonly contentSource?: object | undefined;
}

/** The request for a snapshot. */
export interface CreateSnapshot {
  readonly sourceVolumeId: string;
  readonly name: string;
  readonly parameters: Texts;
  readonly secrets: Texts;
}

/** A snapshot of the driver. */
export interface TakenSnapshot {
  readonly snapshotId: string;
  /** 0 where it is not known. */
  readonly sizeBytes: bigint;
  readonly creationTime?: { readonly seconds: bigint; readonly nanos: number } | undefined;
  readonly readyToUse: boolean;
}

/** Options of a call. */
export interface Call {
  /** Aborted when the caller does not wait any more. */
  readonly signal: AbortSignal;
}

interface OfVolume {
  readonly volumeId: string;
  readonly secrets: Texts;
}

interface OfSnapshot {
  readonly snapshotId: string;
  readonly secrets: Texts;
}

/** The methods of a driver that sidecars call, each with its request and its response. */
export interface DriverMethods {
  createVolume: [CreateVolume, { readonly volume?: CreatedVolume | undefined }];
  deleteVolume: [OfVolume, unknown];
  controllerPublishVolume: [
    OfVolume & {
      readonly nodeId: string;
      readonly volumeCapability: VolumeUse;
      readonly readonly: boolean;
      readonly volumeContext: Texts;
    },
    { readonly publishContext: Texts },
  ];
  controllerUnpublishVolume: [OfVolume & { readonly nodeId: string }, unknown];
  controllerExpandVolume: [
    OfVolume & { readonly capacityRange: { readonly requiredBytes: bigint }; readonly volumeCapability: VolumeUse },
    { readonly capacityBytes: bigint; readonly nodeExpansionRequired: boolean },
  ];
  controllerModifyVolume: [OfVolume & { readonly mutableParameters: Texts }, unknown];
  getCapacity: [
    { readonly parameters: Texts; readonly accessibleTopology?: Topology },
    { readonly availableCapacity: bigint; readonly maximumVolumeSize?: bigint | undefined },
  ];
  createSnapshot: [CreateSnapshot, { readonly snapshot?: TakenSnapshot | undefined }];
  deleteSnapshot: [OfSnapshot, unknown];
  listSnapshots: [OfSnapshot, { readonly entries: readonly { readonly snapshot?: TakenSnapshot | undefined }[] }];
}

/** The calls of a driver that sidecars make. */
export type DriverCalls = {
  readonly [M in keyof DriverMethods]: (request: DriverMethods[M][0], call: Call) => Promise<DriverMethods[M][1]>;
};

/** A driver with its capabilities. */
export interface StorageDriver {
  readonly name: string;
  readonly abilities: ReadonlySet<Ability>;
  readonly calls: DriverCalls;
}
