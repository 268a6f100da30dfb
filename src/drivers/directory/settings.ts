/**
 * The settings and the features of a directory driver.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";

/** The features of a driver, each with its default. */
export const FEATURES = {
  /** Volumes are attached to nodes before they are mounted (ControllerPublishVolume). */
  attach: false,
  /** Volumes are staged on a node once before they are published (NodeStageVolume). */
  stage: true,
  snapshots: true,
  clone: true,
  expand: true,
  /** Volumes grow only while they are on no node (VOLUME_EXPANSION OFFLINE). */
  "offline-expand": false,
  /** Volumes that have grown need NodeExpandVolume. */
  "node-expand": true,
  stats: true,
  condition: true,
  list: true,
  capacity: true,
  "get-volume": true,
  modify: true,
  /** The driver applies the Pod's group to volumes itself. */
  "mount-group": false,
  /** The access modes SINGLE_NODE_SINGLE_WRITER and SINGLE_NODE_MULTI_WRITER. */
  "multi-writer": true,
} as const satisfies Record<string, boolean>;

/** The name of a feature. */
export type Feature = keyof typeof FEATURES;

/** The default features of a backing. Directories need no NodeExpandVolume. */
export const defaultFeatures = (backing: BackingKind): Set<Feature> => {
  const all = Object.keys(FEATURES) as Feature[];
  return new Set(all.filter((feature) => FEATURES[feature] && (feature !== "node-expand" || backing === "image")));
};

/** Where the data of volumes is. */
export type BackingKind = "directory" | "image";

/** The settings of a driver, before defaults. */
export interface DirectoryDriverSettings {
  /** An absolute path; drivers of several nodes may share one directory. */
  readonly dir: string;
  readonly clock: Clock;
  /** The name in storage classes. Default `directory.csi.keelson`. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** The node that it serves. Default `local`. */
  readonly nodeId?: string | undefined;
  /** The topology of the node: a volume is accessible from nodes with the same segments. Default: from everywhere. */
  readonly topology?: Readonly<Record<string, string>> | undefined;
  /** Creates volumes for every value of its topology keys, as a controller for many nodes does. Default false. */
  readonly central?: boolean | undefined;
  /** Default `directory`. */
  readonly backing?: BackingKind | undefined;
  /** The maximum number of volumes on a node; 0, the default, means no limit. */
  readonly maxVolumes?: number | undefined;
  /** Bytes of all volumes together. Default: no limit, and the free space of the file system is the capacity. */
  readonly capacity?: bigint | undefined;
  /** Bytes of the largest volume. */
  readonly maxVolumeSize?: bigint | undefined;
  readonly features?: ReadonlySet<Feature> | undefined;
  /** Links volumes instead of mounting them; only for directories. Default false. */
  readonly links?: boolean | undefined;
  /** Called with warnings for the user. */
  readonly warn?: ((message: string) => void) | undefined;
}

type Filled<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

/** Settings with defaults. */
export interface FullSettings extends Filled<Omit<DirectoryDriverSettings, "capacity" | "maxVolumeSize">> {
  readonly capacity: bigint | undefined;
  readonly maxVolumeSize: bigint | undefined;
}

/** The default name of a driver. */
export const DEFAULT_NAME = "directory.csi.keelson";

/** A name that CSI allows: letters, digits, dashes and dots, at most 63, alphanumeric at both ends. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/;

/** Fills in the defaults. Throws RangeError for invalid settings. */
export function fullSettings(settings: DirectoryDriverSettings): FullSettings {
  const { dir, clock, backing = "directory" } = settings;
  const full: FullSettings = {
    dir,
    clock,
    backing,
    name: settings.name ?? DEFAULT_NAME,
    version: settings.version ?? "1.0.0",
    nodeId: settings.nodeId ?? "local",
    topology: settings.topology ?? {},
    central: settings.central ?? false,
    maxVolumes: settings.maxVolumes ?? 0,
    capacity: settings.capacity,
    maxVolumeSize: settings.maxVolumeSize,
    links: settings.links ?? false,
    features: settings.features ?? defaultFeatures(backing),
    warn: settings.warn ?? (() => {}),
  };
  if (!NAME.test(full.name)) {
    throw new RangeError(`expected the name of a driver to be letters, digits, - and . (at most 63), got ${full.name}`);
  }
  if (full.links && backing === "image") throw new RangeError("disk images cannot be linked, only mounted");
  if (!dir.startsWith("/")) throw new RangeError(`expected an absolute path of a directory, got ${dir}`);
  return full;
}
