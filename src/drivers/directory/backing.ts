/**
 * Where the data of volumes is, and how it gets onto a node. A backing knows places on disk, and nothing of records.
 *
 * @module
 */

/** How a volume is mounted. */
export interface MountHow {
  readonly flags: readonly string[];
  /** Empty: what the backing likes best. */
  readonly fsType: string;
}

/** What a volume uses of what it has; bytes or pieces. */
export interface Usage {
  readonly total: bigint;
  readonly used: bigint;
  readonly available: bigint;
}

/** Bytes and inodes of a mounted volume. */
export interface VolumeUsage {
  readonly bytes: Usage;
  readonly inodes: Usage;
}

/** See the head of this file. A place is a directory of its own for each volume or snapshot. */
export interface Backing {
  /** The smallest volume, in bytes. */
  readonly least: bigint;
  /** Whether volumes can be devices. */
  readonly hasBlocks: boolean;
  /** Refuses with `InvalidArgument` what a volume cannot be mounted as. */
  check(how: MountHow): void;
  /** Makes empty data in a place that is empty. */
  create(place: string, bytes: bigint): Promise<void>;
  /** Copies data into a place that is empty, with room for so many bytes. */
  copy(from: string, to: string, bytes: bigint): Promise<void>;
  /** Gives data more room. */
  grow(place: string, bytes: bigint): Promise<void>;
  /** Why the data of a place is in no order; undefined when it is. */
  trouble(place: string): Promise<string | undefined>;
  /** Where the files of a volume lie without being mounted; undefined where they do not. */
  files(place: string): string | undefined;
  /** Makes the files appear at a directory that is there. */
  mount(place: string, at: string, how: MountHow): Promise<void>;
  /** The device of a volume, made when it is not there. */
  device(place: string): Promise<string>;
  /** Lets go of the device. */
  release(place: string): Promise<void>;
  /** Makes known on the node that the data has grown, and fills a file system into it that is mounted. */
  growOnNode(place: string, mounted: string | undefined): Promise<void>;
  usage(place: string, path: string, bytes: bigint): Promise<VolumeUsage>;
}
