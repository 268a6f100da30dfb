/**
 * How a driver of directories is set up, and what it says that it can do.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";

/** What a driver can do or not, each by itself, with whether it does by default. */
export const FEATURES = {
  /** Volumes are attached to nodes before they are mounted (ControllerPublishVolume). */
  attach: false,
  /** Volumes are staged on a node once before they are published (NodeStageVolume). */
  stage: true,
  snapshots: true,
  clone: true,
  expand: true,
  /** Volumes grow only while they are on no node. */
  "offline-expand": false,
  /** What has grown is made known on the node as well (NodeExpandVolume). */
  "node-expand": true,
  stats: true,
  condition: true,
  list: true,
  capacity: true,
  "get-volume": true,
  modify: true,
  /** The driver gives volumes their group itself. */
  "mount-group": false,
  /** The access modes SINGLE_NODE_SINGLE_WRITER and SINGLE_NODE_MULTI_WRITER. */
  "multi-writer": true,
} as const satisfies Record<string, boolean>;

/** The name of something that the driver can do. */
export type Feature = keyof typeof FEATURES;

/** What a driver can do by default. Directories that have grown need nothing done on their node. */
export const defaultFeatures = (backing: BackingKind): Set<Feature> => {
  const all = Object.keys(FEATURES) as Feature[];
  return new Set(all.filter((feature) => FEATURES[feature] && (feature !== "node-expand" || backing === "image")));
};

/** Where the data of volumes is. */
export type BackingKind = "directory" | "image";

/** The settings of a driver. */
export interface DirectoryDriverSettings {
  /** An absolute path; drivers of several nodes may share one directory. */
  readonly dir: string;
  readonly clock: Clock;
  /** As storage classes name it. Default `directory.csi.keelson`. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** The node that it serves. Default `local`. */
  readonly nodeId?: string | undefined;
  /** Where the node is; volumes are reached from nodes with the same segments. None: from everywhere. */
  readonly topology?: Readonly<Record<string, string>> | undefined;
  /** Makes volumes for every value of its topology keys, as a controller for many nodes does. Default false. */
  readonly central?: boolean | undefined;
  /** Default `directory`. */
  readonly backing?: BackingKind | undefined;
  /** How many volumes a node may have; 0, the default, is no limit. */
  readonly maxVolumes?: number | undefined;
  /** Bytes that all volumes may have together; by default nobody counts, and capacity is what the file system has free. */
  readonly capacity?: bigint | undefined;
  /** Bytes that a volume may have. */
  readonly maxVolumeSize?: bigint | undefined;
  readonly features?: ReadonlySet<Feature> | undefined;
  /** Links volumes in place of mounting them, also where it may mount; only for directories. Default false. */
  readonly links?: boolean | undefined;
  /** Told what a user should know: that there are links in place of mounts. */
  readonly warn?: ((message: string) => void) | undefined;
}

type Filled<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

/** Settings with what was left out. */
export interface FullSettings extends Filled<Omit<DirectoryDriverSettings, "capacity" | "maxVolumeSize">> {
  readonly capacity: bigint | undefined;
  readonly maxVolumeSize: bigint | undefined;
}

/** The name of a driver that was given none. */
export const DEFAULT_NAME = "directory.csi.keelson";

/** A name that CSI allows: letters, digits, dashes and dots, at most 63 of them, an alphanumeric at both ends. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/;

/** Fills in what was left out. Throws RangeError for settings that cannot be. */
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
  if (full.links && backing === "image") throw new RangeError("images of disks cannot be linked, only mounted");
  if (!dir.startsWith("/")) throw new RangeError(`expected an absolute path of a directory, got ${dir}`);
  return full;
}
