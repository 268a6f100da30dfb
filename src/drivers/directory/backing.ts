/**
 * Where the data of volumes is, and how a node gets it. A backing knows directories on disk, and nothing about records.
 *
 * @module
 */

/** Options of a mount. */
export interface MountOptions {
  readonly flags: readonly string[];
  /** Empty: the default of the backing. */
  readonly fsType: string;
}

/** The usage of a volume, in bytes or inodes. */
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

/** See the head of this file. Each volume and each snapshot has a directory of its own. */
export interface Backing {
  /** The size of the smallest volume. */
  readonly minBytes: bigint;
  /** Whether volumes can be block devices. */
  readonly hasBlocks: boolean;
  /** Throws `InvalidArgument` where a volume cannot be mounted with these options. */
  check(options: MountOptions): void;
  /** Creates empty data in an empty directory. */
  create(directory: string, bytes: bigint): Promise<void>;
  /** Copies data into an empty directory, and grows it to a size. */
  copy(from: string, to: string, bytes: bigint): Promise<void>;
  grow(directory: string, bytes: bigint): Promise<void>;
  /** What is wrong with the data; undefined when nothing is. */
  problem(directory: string): Promise<string | undefined>;
  /** The directory with the files where they need no mount. */
  files(directory: string): string | undefined;
  /** Mounts the data at a path that exists. */
  mount(directory: string, path: string, options: MountOptions): Promise<void>;
  /** The block device of a volume, created when it does not exist. */
  device(directory: string): Promise<string>;
  /** Detaches the block device. */
  release(directory: string): Promise<void>;
  /** Grows device and mounted file system on the node after {@link grow}. */
  growOnNode(directory: string, mounted: string | undefined): Promise<void>;
  usage(directory: string, path: string, bytes: bigint): Promise<VolumeUsage>;
}
