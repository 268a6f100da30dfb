/**
 * What the agent asks of those who make volumes, and of the machine.
 *
 * The agent decides what is to be there (which Pods, which of their volumes, what was attached); a plugin makes one volume and takes
 * it down again; a mounter does what only the machine can.
 *
 * @module
 */
import type { ApiObject, Client, Scope } from "../client/index.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "../client/kinds/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { HeldInformer, InformerSpec } from "../runtime/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import type { Mount } from "../util/mount-table.ts";
import type { PodVolume } from "../volumes/contract.ts";

/** A volume that a Pod of the node needs. */
export interface NeededVolume {
  readonly pod: Pod;
  /** As the Pod names it. */
  readonly volume: PodVolume;
  /** What a claim of the Pod (or of its ephemeral volume) stands for. */
  readonly persistent?: { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume } | undefined;
  /** Its attachment, where {@link VolumePlugin.attached} says that it needs one: it is attached (NODE-10, NODE-14). */
  readonly attachment?: VolumeAttachment | undefined;
  /**
   * Where it appears: {@link volumePath} (NODE-6) with {@link VolumePlugin.below} behind it, or where its device is linked
   * (NODE-45). Empty when {@link VolumePlugin.makes} is asked.
   */
  readonly path: string;
  readonly mode: "Filesystem" | "Block";
  /** As the Pod asks for it, or its claim's source does (NODE-24). */
  readonly readOnly: boolean;
}

/** A volume that was made. */
export interface MadeVolume {
  /** What containers see: a directory, a file or a device; often {@link NeededVolume.path}. */
  readonly source: string;
  /** Milliseconds after which it is to be looked at again although nothing changed (tokens, republishing). */
  readonly againAfter?: number | undefined;
}

/** A volume that lies on disk, found there; its Pod may be gone from the API. */
export interface FoundVolume {
  readonly podUid: string;
  /** The name of its directory: the volume as the Pod names it, or the PersistentVolume. */
  readonly name: string;
  /** The kind of its directory, such as `kubernetes.io~configmap`. */
  readonly kind: string;
  /** As it was found: in `volumes`, or in `volumeDevices`. */
  readonly mode: "Filesystem" | "Block";
  /** `…/volumes/KIND/NAME` itself, without {@link VolumePlugin.below}; or `…/volumeDevices/KIND/NAME`. */
  readonly path: string;
}

/** What of a volume is taken, in bytes and in files; what is not known is left out. */
export interface VolumeUsage {
  readonly usedBytes?: number | undefined;
  readonly availableBytes?: number | undefined;
  readonly capacityBytes?: number | undefined;
  readonly inodes?: number | undefined;
  readonly inodesUsed?: number | undefined;
  readonly inodesFree?: number | undefined;
}

/** Why a Pod has to end without having ended by itself: its reason and message, in phase `Failed`. */
export interface PodEnd {
  readonly reason: string;
  readonly message: string;
}

/** A volume cannot be made, and why: becomes an Event of that reason on its Pod, and is tried again. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}

/** Makes volumes of one kind. */
export interface VolumePlugin {
  /** The kind of their directories, such as `kubernetes.io~configmap`. */
  readonly kind: string;
  /** Further kinds of directories that it takes down, where it makes volumes of several. */
  readonly kinds?: readonly string[];
  /** The kind of a volume's directory, where it makes volumes of several; {@link kind} by default. */
  kindOf?(needed: NeededVolume): string;
  /** Whether it bounds by itself how much it does at once, as one whose work waits for drivers that each have their own bound. */
  readonly isBounded?: boolean;
  /** What stands behind the directory of a file system in {@link NeededVolume.path}: `mount` for CSI. */
  readonly below?: string;
  /** Whether this plugin makes it. */
  makes(needed: NeededVolume): boolean;
  /**
   * Makes it, or sees that it is there and up to date: it is called at every look, also after a restart of the agent, one call at
   * a time for one volume of a Pod. Throws {@link VolumeError}; after any error it is called again, or {@link tearDown} is.
   */
  setUp(needed: NeededVolume, signal: AbortSignal): Promise<MadeVolume>;
  /** Takes it down, also one that is half made; done again harmlessly. */
  tearDown(found: FoundVolume, signal: AbortSignal): Promise<void>;
  /** What has to be attached to the node before (NODE-10); none for what needs nothing. */
  attached?(needed: NeededVolume): AttachedVolume | undefined;
  /** What the disk says is mounted or staged of attached volumes, as entries of `status.volumesInUse` (NODE-12). */
  inUse?(): Promise<readonly string[]>;
  /** What of a volume is taken (NODE-53, NODE-56); asked about once a minute. Undefined where it cannot tell. */
  usage?(needed: NeededVolume, signal: AbortSignal): Promise<VolumeUsage | undefined>;
  /** How many bytes of a volume may be taken before its Pod is evicted (NODE-56); undefined for no bound. */
  mostBytes?(needed: NeededVolume): number | undefined;
  /** What a volume that could not be attached does to its Pod (CSIN-33); undefined where the Pod goes on waiting. */
  notAttached?(needed: NeededVolume, attachment: VolumeAttachment): Promise<PodEnd | undefined>;
  /** A Pod and its volumes are gone from the node: what was kept of it is forgotten (PROJ-58). */
  forget?(podUid: string): void;
  /** Ends what it follows; called once, when the agent ends. */
  close?(): Promise<void> | void;
}

/** Makes a plugin for an agent; what it begins ends with {@link VolumePlugin.close}. */
export type PluginMaker = (ground: NodeGround) => VolumePlugin | Promise<VolumePlugin>;

/** What the agent gives those who make volumes. */
export interface NodeGround {
  /** The name of the node. */
  readonly node: string;
  /** The agent's directory, absolute. */
  readonly root: string;
  readonly dialect: Dialect;
  /** Asks the server as the agent of the node. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly activity: Pick<Activity, "begin"> | undefined;
  readonly mounter: Mounter;
  /** The informer of a spec, shared with all who ask for the same; it follows until it is disposed of. */
  informer<T extends ApiObject, S extends Scope, X extends string>(spec: InformerSpec<T, S, X>): HeldInformer<T, S, X>;
  /** The Pods of the node, as memory has them. */
  pods(): readonly Pod[];
  /** Has the volumes of a Pod looked at at once: something that they are made of has changed. */
  lookAt(podUid: string): void;
  /**
   * Records an event in the agent's name; it never throws and never waits.
   *
   * @param fieldPath the part of the object, such as `spec.containers{web}`
   */
  event(type: "Normal" | "Warning", regarding: ApiObject, reason: string, note: string, fieldPath?: string): void;
  /** What the node can give to Pods, by resource (PROJ-44). */
  allocatable(): Readonly<Record<string, string>>;
}

/** A volume that somebody else attaches. */
export interface AttachedVolume {
  /** In `status.volumesAttached` and `volumesInUse` (NODE-11). */
  readonly entry: string;
  /** The name of its VolumeAttachment (NODE-13). */
  readonly attachment: string;
}

/** What the machine can mount; every method throws an error that says what the machine said. */
export interface Mounter {
  /** Whether mounts can be made at all; without it tmpfs are directories and binds are links. */
  readonly canMount: boolean;
  /** Every mount at or below a path. */
  mounts(below: string): Promise<readonly Mount[]>;
  isMountPoint(path: string): Promise<boolean>;
  bind(from: string, to: string, options?: { readonly readOnly?: boolean }): Promise<void>;
  mount(what: {
    readonly type: string;
    readonly source: string;
    readonly path: string;
    readonly options?: readonly string[];
  }): Promise<void>;
  /** Done as well where nothing is mounted. */
  unmount(path: string): Promise<void>;
}
