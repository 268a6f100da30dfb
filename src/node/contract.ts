/**
 * The interfaces between the agent, the volume plugins and the machine.
 *
 * The agent decides which volumes of which Pods there should be; a plugin sets one volume up and tears it down; a mounter
 * does what needs the machine.
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
  /** The volume in the spec of the Pod. */
  readonly volume: PodVolume;
  /** The claim of the Pod (or of its ephemeral volume), and its volume. */
  readonly persistent?: { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume } | undefined;
  /** Its attachment, where {@link VolumePlugin.attached} says that it needs one; it is attached (NODE-10, NODE-14). */
  readonly attachment?: VolumeAttachment | undefined;
  /**
   * Where it appears: {@link volumePath} (NODE-6) with {@link VolumePlugin.below}, or the link to its device (NODE-45).
   * Empty in a call of {@link VolumePlugin.makes}.
   */
  readonly path: string;
  readonly mode: "Filesystem" | "Block";
  /** Whether the Pod, or the source of its claim, wants it read-only (NODE-24). */
  readonly readOnly: boolean;
}

/** A volume that is set up. */
export interface MadeVolume {
  /** What containers see: a directory, a file or a device; often {@link NeededVolume.path}. */
  readonly source: string;
  /** Milliseconds after which it needs another check although nothing changed (tokens, republishing). */
  readonly againAfter?: number | undefined;
}

/** A volume that was found on disk; its Pod may be deleted from the API. */
export interface FoundVolume {
  readonly podUid: string;
  /** The name of its directory: the volume as the Pod names it, or the PersistentVolume. */
  readonly name: string;
  /** The kind of its directory, such as `kubernetes.io~configmap`. */
  readonly kind: string;
  /** Whether it was found in `volumes` or in `volumeDevices`. */
  readonly mode: "Filesystem" | "Block";
  /** `…/volumes/KIND/NAME` itself, without {@link VolumePlugin.below}; or `…/volumeDevices/KIND/NAME`. */
  readonly path: string;
}

/** The usage of a volume, in bytes and inodes; unknown members are left out. */
export interface VolumeUsage {
  readonly usedBytes?: number | undefined;
  readonly availableBytes?: number | undefined;
  readonly capacityBytes?: number | undefined;
  readonly inodes?: number | undefined;
  readonly inodesUsed?: number | undefined;
  readonly inodesFree?: number | undefined;
}

/** Why the agent ends a Pod: its reason and message, in phase `Failed`. */
export interface PodEnd {
  readonly reason: string;
  readonly message: string;
}

/** The error of a volume that cannot be set up: it becomes an Event of its Pod, and the agent tries again. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
}

/** Sets up volumes of one kind. */
export interface VolumePlugin {
  /** The kind of their directories, such as `kubernetes.io~configmap`. */
  readonly kind: string;
  /** Further kinds of directories, where it sets up volumes of several. */
  readonly kinds?: readonly string[];
  /** The kind of a volume's directory, where it sets up volumes of several; {@link kind} by default. */
  kindOf?(needed: NeededVolume): string;
  /** Whether it limits its concurrency itself, as one does whose drivers each have a limit. */
  readonly isBounded?: boolean;
  /** The folder below the directory in {@link NeededVolume.path}: `mount` for CSI. */
  readonly below?: string;
  /** Whether this plugin sets up a volume. */
  makes(needed: NeededVolume): boolean;
  /**
   * Sets a volume up, or checks that it is up to date: called at every reconcile, also after a restart of the agent, with
   * one call at a time for a volume of a Pod. Throws {@link VolumeError}. After an error it is called again, or {@link
   * tearDown} is.
   */
  setUp(needed: NeededVolume, signal: AbortSignal): Promise<MadeVolume>;
  /** Removes a volume, also one that is half set up; may be repeated. */
  tearDown(found: FoundVolume, signal: AbortSignal): Promise<void>;
  /** What has to be attached to the node first (NODE-10). */
  attached?(needed: NeededVolume): AttachedVolume | undefined;
  /** The attached volumes that are mounted or staged on disk, as entries of `status.volumesInUse` (NODE-12). */
  inUse?(): Promise<readonly string[]>;
  /** The usage of a volume (NODE-53, NODE-56), about once a minute; undefined where it is not known. */
  usage?(needed: NeededVolume, signal: AbortSignal): Promise<VolumeUsage | undefined>;
  /** How many bytes a volume may use before its Pod is evicted (NODE-56); undefined for no limit. */
  maxBytes?(needed: NeededVolume): number | undefined;
  /** The end of a Pod whose volume could not be attached (CSIN-33); undefined where the Pod has to wait. */
  notAttached?(needed: NeededVolume, attachment: VolumeAttachment): Promise<PodEnd | undefined>;
  /** Forgets a Pod that is gone from the node (PROJ-58). */
  forget?(podUid: string): void;
  /** Called once, when the agent stops. */
  close?(): Promise<void> | void;
}

/** Opens a plugin for an agent; {@link VolumePlugin.close} ends what it begins. */
export type PluginMaker = (context: PluginContext) => VolumePlugin | Promise<VolumePlugin>;

/** What plugins get from the agent. */
export interface PluginContext {
  /** The name of the node. */
  readonly node: string;
  /** The agent's directory, absolute. */
  readonly root: string;
  readonly dialect: Dialect;
  /** A client with the rights of the node. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly activity: Pick<Activity, "begin"> | undefined;
  readonly mounter: Mounter;
  /** The informer of a spec, shared with all who use the same spec; it runs until it is disposed of. */
  informer<T extends ApiObject, S extends Scope, X extends string>(spec: InformerSpec<T, S, X>): HeldInformer<T, S, X>;
  /** The Pods of the node from the informer. */
  pods(): readonly Pod[];
  /** Reconciles the volumes of a Pod at once: something that they depend on has changed. */
  lookAt(podUid: string): void;
  /**
   * Records an Event of the agent; never throws and never waits.
   *
   * @param fieldPath the part of the object, such as `spec.containers{web}`
   */
  event(type: "Normal" | "Warning", regarding: ApiObject, reason: string, note: string, fieldPath?: string): void;
  /** What the node can give to Pods, by resource (PROJ-44). */
  allocatable(): Readonly<Record<string, string>>;
}

/** A volume that a controller attaches. */
export interface AttachedVolume {
  /** In `status.volumesAttached` and `volumesInUse` (NODE-11). */
  readonly entry: string;
  /** The name of its VolumeAttachment (NODE-13). */
  readonly attachment: string;
}

/** Mounts of the machine; every method throws an error with the message of the machine. */
export interface Mounter {
  /** Whether this process may mount; otherwise a tmpfs is a directory and a bind mount is a link. */
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
  /** Does nothing where nothing is mounted. */
  unmount(path: string): Promise<void>;
}
