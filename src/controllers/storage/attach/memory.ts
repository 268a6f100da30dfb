import { inDomain, keyText } from "../../../client/index.ts";
import {
  CSIDriver,
  CSINode,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../../client/kinds/index.ts";
import type { Dialect } from "../../../meta/dialect.ts";
import { controllerUid } from "../../../runtime/owners.ts";
import {
  type SourceParts,
  type Informer,
  type InformerSpec,
  type ObjectEvent,
  sharedInformer,
} from "../../../runtime/index.ts";
import { type MigratedSource, type Migration, migrationOf } from "../../../claims/plugin-migration.ts";
import { claimKeyOf, claimsOfPod } from "../../../claims/pod-claims.ts";
import { nodeOfPod } from "../../common/nodes.ts";
import { hasEnded } from "../../../claims/usage.ts";
import {
  type AttachNames,
  type Disk,
  attachNames,
  attachmentName,
  nodeEntry,
  idOf,
  isAttachmentName,
} from "../../../claims/attachment.ts";
import { changedAt, isManaged } from "./rules.ts";
import { isOutOfService, isReady } from "../../common/nodes.ts";
import { isSingleNode } from "../../../claims/attachment.ts";

/** The informers of the controller. */
export interface AttachSpecs {
  readonly attachments: InformerSpec<VolumeAttachment, "Cluster", "volume" | "node">;
  readonly pods: InformerSpec<Pod, "Namespaced", "claim" | "node" | "inline">;
  readonly claims: InformerSpec<PersistentVolumeClaim, "Namespaced", "volume">;
  readonly volumes: InformerSpec<PersistentVolume, "Cluster", "driver" | "disk">;
  readonly nodes: InformerSpec<Node, "Cluster", never>;
  readonly drivers: InformerSpec<CSIDriver, "Cluster", never>;
  readonly csiNodes: InformerSpec<CSINode, "Cluster", never>;
  readonly names: AttachNames;
  readonly migration: Migration;
}

/** Returns the informers in a dialect. */
export function attachSpecs(dialect: Dialect): AttachSpecs {
  const migration = migrationOf(dialect);
  const { domain } = dialect;
  return {
    names: attachNames(dialect),
    migration,
    attachments: sharedInformer(inDomain(VolumeAttachment, domain), {
      indexes: {
        volume: ({ spec }: VolumeAttachment) => spec.source.persistentVolumeName ?? inlineIdOf(spec),
        node: ({ spec }: VolumeAttachment) => spec.nodeName,
      },
    }),
    pods: sharedInformer(Pod, {
      indexes: {
        claim: (pod: Pod) => (pod.spec.nodeName ? claimsOfPod(pod).map((key) => keyText(key)) : undefined),
        node: nodeOfPod,
        inline: (pod: Pod) => (pod.spec.nodeName ? inlineOf(pod, migration).map(idOf) : undefined),
      },
    }),
    claims: sharedInformer(PersistentVolumeClaim, {
      indexes: { volume: ({ spec }: PersistentVolumeClaim) => spec.volumeName },
    }),
    volumes: sharedInformer(PersistentVolume, {
      indexes: {
        driver: (volume: PersistentVolume) => diskOfVolume(volume, migration)?.driver,
        disk: (volume: PersistentVolume) => {
          const disk = diskOfVolume(volume, migration);
          return disk && idOf(disk);
        },
      },
    }),
    nodes: sharedInformer(Node),
    drivers: sharedInformer(inDomain(CSIDriver, domain)),
    csiNodes: sharedInformer(inDomain(CSINode, domain)),
  };
}

/** A Pod that needs a disk, and its volume. */
export interface User {
  readonly pod: Pod;
  /** Undefined where the volume is not bound (CTL-AD-5). */
  readonly volume: Attachable | undefined;
}

interface LostNode {
  readonly since: number;
  /** Its volumesInUse when it was last seen; undefined where it never was. */
  readonly inUse: readonly string[] | undefined;
  readonly isOutOfService: boolean;
}

/** A volume to attach. */
export interface Attachable {
  /** The name in Events. */
  readonly name: string;
  readonly source: VolumeAttachment["spec"]["source"];
  readonly isForOneNode: boolean;
  /** The disk to attach on a node; undefined where no driver attaches it (CTL-AD-6, 7). */
  readonly diskOn: (node: string) => Disk | undefined;
}

/**
 * The memory of the attachdetach controller: which Pods need which volumes on which nodes, what is attached, and what
 * to synchronize after a change.
 *
 * Keys are `disk/ID` for the attachments of a disk, and `node/NAME` for the status of a node. The ID is the {@link
 * idOf} of the disk, which several PersistentVolumes and Pods may use. An attachment of a deleted PersistentVolume has
 * the name of that as ID.
 */
export class AttachMemory implements Disposable {
  readonly specs: AttachSpecs;
  readonly nodes: Informer<Node, "Cluster", never>;
  readonly #volumes: Informer<PersistentVolume, "Cluster", "driver" | "disk">;
  readonly #attachments: Informer<VolumeAttachment, "Cluster", "volume" | "node">;
  readonly #pods: Informer<Pod, "Namespaced", "claim" | "node" | "inline">;
  readonly #claims: Informer<PersistentVolumeClaim, "Namespaced", "volume">;
  readonly #drivers: Informer<CSIDriver, "Cluster", never>;
  readonly #csiNodes: Informer<CSINode, "Cluster", never>;
  readonly #add: (key: string) => void;
  readonly #subscriptions = new DisposableStack();
  readonly #clock: SourceParts["clock"];
  /** When nodes without a Ready condition became unready. */
  readonly #unready = new Map<string, number>();
  readonly #lost = new Map<string, LostNode>();
  /** The last message about a disk by the uid of the Pod, so that each is recorded once. */
  readonly #messages = new Map<string, Map<string, string>>();

  constructor(specs: AttachSpecs, { own, clock }: SourceParts, add: (key: string) => void) {
    this.specs = specs;
    this.#add = add;
    this.#clock = clock;
    this.nodes = own(specs.nodes);
    this.#volumes = own(specs.volumes);
    this.#attachments = own(specs.attachments);
    this.#pods = own(specs.pods);
    this.#claims = own(specs.claims);
    this.#drivers = own(specs.drivers);
    this.#csiNodes = own(specs.csiNodes);
    this.#subscriptions.use(this.nodes.on((event) => this.#nodeChanged(event)));
    this.#subscriptions.use(this.#volumes.on((event) => this.#volumeChanged(event)));
    this.#subscriptions.use(this.#attachments.on(({ object }) => this.#attachmentChanged(object)));
    this.#subscriptions.use(this.#pods.on((event) => this.#podChanged(event)));
    this.#subscriptions.use(this.#claims.on((event) => this.#claimChanged(event)));
    this.#subscriptions.use(this.#drivers.on(({ object }) => this.#driverChanged(object)));
    this.#subscriptions.use(this.#csiNodes.on(({ object }) => this.#addAllOf(object.metadata.name)));
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  /** Returns the Pods that need a disk by node, the oldest first. */
  usersOf(id: string): ReadonlyMap<string, readonly User[]> {
    const bound = this.#volumes.by("disk", id).flatMap((volume) => {
      const attachable = this.#isBound(volume) ? this.#ofVolume(volume) : undefined;
      const claims = this.#claims.by("volume", volume.metadata.name);
      return claims.flatMap((claim) => this.#usersOfClaim(claim).map((pod) => ({ pod, volume: attachable })));
    });
    const inline = this.#pods.by("inline", id).flatMap((pod) => {
      const source = inlineOf(pod, this.specs.migration).find((one) => idOf(one) === id);
      return source && !this.#isOver(pod) ? [{ pod, volume: this.#ofPods(source) }] : [];
    });
    const oldest = [...bound, ...inline].toSorted((a, b) =>
      a.pod.metadata.creationTimestamp < b.pod.metadata.creationTimestamp ? -1 : 1,
    );
    return Map.groupBy(oldest, ({ pod }) => pod.spec.nodeName ?? "");
  }

  /** Returns the attachments of a disk on all nodes, by any volume and any creator. */
  attachmentsOf(id: string): readonly VolumeAttachment[] {
    const names = this.#volumes.by("disk", id).map(({ metadata }) => metadata.name);
    const attachments = [id, ...names].flatMap((name) => this.#attachments.by("volume", name));
    return attachments.filter(({ spec }) => this.idOf(spec) === id);
  }

  attachmentsOn(node: string): readonly VolumeAttachment[] {
    return this.#attachments.by("node", node);
  }

  /** Whether this controller created an attachment, by its name. */
  isOwn({ metadata, spec }: VolumeAttachment): boolean {
    const disk = this.diskOf(spec);
    return disk ? metadata.name === attachmentName(disk, spec.nodeName) : isAttachmentName(metadata.name);
  }

  /** Returns the disk of an attachment; undefined where its volume is unknown. */
  diskOf({ attacher, source }: VolumeAttachment["spec"]): Disk | undefined {
    const { inlineVolumeSpec } = source;
    if (inlineVolumeSpec) return inlineVolumeSpec.csi && diskIn(inlineVolumeSpec.csi);
    const volume = this.#volumes.get({ name: source.persistentVolumeName ?? "" });
    const handle = volume && diskOfVolume(volume, this.specs.migration)?.handle;
    return handle === undefined ? undefined : { driver: attacher, handle };
  }

  idOf(spec: VolumeAttachment["spec"]): string {
    const name = spec.source.persistentVolumeName ?? "";
    const volume = this.#volumes.get({ name });
    const disk = volume && diskOfVolume(volume, this.specs.migration);
    return inlineIdOf(spec) ?? (disk ? idOf(disk) : name);
  }

  #ofVolume(volume: PersistentVolume): Attachable {
    const { csi } = volume.spec;
    const migrated = csi ? undefined : this.specs.migration.ofSource(volume);
    const { name } = volume.metadata;
    return {
      name,
      source: { persistentVolumeName: name },
      isForOneNode: isSingleNode(volume.spec),
      diskOn: (node) => this.#attached(csi ? diskIn(csi) : migrated && this.#migrated(migrated, node)),
    };
  }

  /** An inline volume of a Pod, for a single node. */
  #ofPods(source: MigratedSource): Attachable {
    const accessModes = ["ReadWriteOnce"];
    const csi = { driver: source.driver, volumeHandle: source.handle };
    return {
      name: idOf(source),
      source: { inlineVolumeSpec: { accessModes, csi } },
      isForOneNode: isSingleNode({ accessModes }),
      diskOn: (node) => this.#attached(this.#migrated(source, node)),
    };
  }

  #isBound({ metadata, spec }: PersistentVolume): boolean {
    const claims = this.#claims.by("volume", metadata.name);
    return claims.some(({ metadata: { uid }, status }) => status.phase === "Bound" && uid === spec.claimRef?.uid);
  }

  /** Returns the disk where its driver requires attaching (CTL-AD-6). */
  #attached(disk: Disk | undefined): Disk | undefined {
    const isAttached = disk && this.#drivers.get({ name: disk.driver })?.spec.attachRequired !== false;
    return isAttached ? disk : undefined;
  }

  unreadySince(node: Node): number {
    return changedAt(node) ?? this.#unready.get(node.metadata.name) ?? this.#clock.now();
  }

  /**
   * Returns what is known of a deleted node. It may still use what it used last; a node that was never seen may use
   * everything.
   */
  lostNode(name: string): LostNode {
    let lost = this.#lost.get(name);
    if (!lost) this.#lost.set(name, (lost = { since: this.#clock.now(), inUse: undefined, isOutOfService: false }));
    return lost;
  }

  /** Whether the last message to a Pod about a disk was different. */
  isNewMessage(id: string, { metadata: { uid } }: Pod, what: string): boolean {
    const messages = this.#messages.get(id) ?? new Map<string, string>();
    this.#messages.set(id, messages);
    if (messages.get(uid) === what) return false;
    messages.set(uid, what);
    return true;
  }

  /** Drops the messages about a disk to other Pods. */
  forgetMessages(id: string, pods: readonly Pod[]): void {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    const messages = this.#messages.get(id);
    for (const uid of messages?.keys() ?? []) if (!uids.has(uid)) messages?.delete(uid);
    if (messages?.size === 0) this.#messages.delete(id);
  }

  /** Adds the key of a node. */
  queueNode(name: string): void {
    this.#add(`node/${name}`);
  }

  #usersOfClaim(claim: PersistentVolumeClaim): Pod[] {
    return this.#pods.by("claim", keyText(claim.metadata)).filter((pod) => !this.#isOver(pod) && isUser(pod, claim));
  }

  #isOver(pod: Pod): boolean {
    const keeps = this.nodes.get({ name: pod.spec.nodeName ?? "" })?.metadata.annotations?.[
      this.specs.names.keepsFinished
    ];
    return hasEnded(pod) && keeps !== "true";
  }

  /** Returns the disk of a migrated volume where the driver has taken it over on the node (CTL-AD-7). */
  #migrated(source: MigratedSource, node: string): Disk | undefined {
    const csiNode = this.#csiNodes.get({ name: node });
    const plugins = csiNode?.metadata.annotations?.[this.specs.names.migratedPlugins]?.split(",") ?? [];
    const isLeft = csiNode?.spec.drivers.some(({ name }) => name === source.driver) === true;
    return isLeft && plugins.includes(source.plugin) ? source : undefined;
  }

  #addDisk(id: string): void {
    this.#add(`disk/${id}`);
    for (const { spec } of this.attachmentsOf(id)) this.#add(`node/${spec.nodeName}`);
  }

  #addVolume(name: string | undefined): void {
    const volume = name ? this.#volumes.get({ name }) : undefined;
    const disk = volume && diskOfVolume(volume, this.specs.migration);
    if (disk) this.#addDisk(idOf(disk));
  }

  #volumeChanged(event: ObjectEvent<PersistentVolume>): void {
    for (const volume of [event.object, ...(event.type === "changed" ? [event.old] : [])]) {
      const disk = diskOfVolume(volume, this.specs.migration);
      if (disk) this.#addDisk(idOf(disk));
    }
    // After its deletion, attachments have its name as ID.
    const { name } = event.object.metadata;
    if (this.#attachments.by("volume", name).length > 0) this.#addDisk(name);
  }

  #addAllOf(node: string): void {
    this.#add(`node/${node}`);
    for (const { spec } of this.attachmentsOn(node)) this.#addDisk(this.idOf(spec));
    for (const pod of this.#pods.by("node", node)) this.#addVolumesOf(pod);
  }

  #addVolumesOf(pod: Pod): void {
    for (const key of claimsOfPod(pod)) this.#addVolume(this.#claims.get(key)?.spec.volumeName);
    for (const source of inlineOf(pod, this.specs.migration)) this.#addDisk(idOf(source));
  }

  #attachmentChanged({ spec }: VolumeAttachment): void {
    this.#addDisk(this.idOf(spec));
    this.#add(`node/${spec.nodeName}`);
    if (this.attachmentsOn(spec.nodeName).length === 0) this.#lost.delete(spec.nodeName);
  }

  #podChanged(event: ObjectEvent<Pod>): void {
    const { object } = event;
    const isSame = event.type === "changed" && relevantFieldsOf(event.old) === relevantFieldsOf(object);
    if (object.spec.nodeName && !isSame) this.#addVolumesOf(object);
  }

  #claimChanged(event: ObjectEvent<PersistentVolumeClaim>): void {
    const names = [event.object, ...(event.type === "changed" ? [event.old] : [])].map(({ spec }) => spec.volumeName);
    for (const name of new Set(names)) this.#addVolume(name);
  }

  #driverChanged({ metadata }: CSIDriver): void {
    for (const volume of this.#volumes.by("driver", metadata.name)) this.#addVolume(volume.metadata.name);
    const inline = this.#pods.list().flatMap((pod) => inlineOf(pod, this.specs.migration));
    for (const source of inline) if (source.driver === metadata.name) this.#addDisk(idOf(source));
  }

  #nodeChanged(event: ObjectEvent<Node>): void {
    const { object } = event;
    const { name } = object.metadata;
    if (event.type === "deleted") this.#nodeDeleted(object);
    else this.#lost.delete(name);
    if (event.type === "deleted" || isReady(object)) this.#unready.delete(name);
    else if (!this.#unready.has(name)) this.#unready.set(name, this.#clock.now());
    if (event.type !== "changed" || this.#relevantFieldsOf(object) !== this.#relevantFieldsOf(event.old))
      this.#addAllOf(name);
    else this.#entriesChanged(event.old, object);
  }

  #nodeDeleted(node: Node): void {
    const { name } = node.metadata;
    if (this.attachmentsOn(name).length === 0) return;
    this.#lost.set(name, {
      since: isReady(node) ? this.#clock.now() : this.unreadySince(node),
      inUse: node.status.volumesInUse ?? [],
      isOutOfService: isOutOfService(node, this.specs.names),
    });
  }

  /** Adds the disks that a node has started or stopped to use or list. */
  #entriesChanged(old: Node, now: Node): void {
    const changed = entriesOf(old).symmetricDifference(entriesOf(now));
    if (changed.size === 0) return;
    const { name } = now.metadata;
    this.#add(`node/${name}`);
    for (const { spec } of this.attachmentsOn(name)) {
      const disk = this.diskOf(spec);
      const entry = disk && nodeEntry(disk, this.specs.names);
      if (!entry || changed.has(`used ${entry}`) || changed.has(`attached ${entry}`)) this.#addDisk(this.idOf(spec));
    }
  }

  /** The fields of a node that matter for all its volumes; most writes of agents do not. */
  #relevantFieldsOf(node: Node): string {
    const { names } = this.specs;
    const keeps = node.metadata.annotations?.[names.keepsFinished];
    const taints = node.spec.taints?.map(({ key }) => key);
    return JSON.stringify([isManaged(node, names), keeps, taints, isReady(node)]);
  }
}

const entriesOf = ({ status: { volumesInUse = [], volumesAttached = [] } }: Node): ReadonlySet<string> =>
  new Set([...volumesInUse.map((name) => `used ${name}`), ...volumesAttached.map(({ name }) => `attached ${name}`)]);

const inlineIdOf = ({ source }: VolumeAttachment["spec"]): string | undefined =>
  source.inlineVolumeSpec?.csi && idOf(diskIn(source.inlineVolumeSpec.csi));

/** The disk of a volume whose driver attaches it, or would after the migration of its plugin. */
function diskOfVolume(volume: PersistentVolume, migration: Migration): Disk | undefined {
  const { csi } = volume.spec;
  return csi ? diskIn(csi) : migration.ofSource(volume);
}

const diskIn = ({ driver, volumeHandle }: { readonly driver: string; readonly volumeHandle: string }): Disk => ({
  driver,
  handle: volumeHandle,
});

const inlineOf = ({ spec }: Pod, migration: Migration): MigratedSource[] =>
  (spec.volumes ?? []).flatMap((volume) => migration.ofSource({ metadata: {}, spec: volume }) ?? []);

/** Whether a Pod uses a claim; an ephemeral claim must be its own. */
function isUser(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const volumes = (pod.spec.volumes ?? []).filter((volume) => claimKeyOf(pod, volume)?.name === claim.metadata.name);
  return volumes.some(({ ephemeral }) => !ephemeral || controllerUid(claim) === pod.metadata.uid);
}

/** The fields of a Pod that matter here. */
const relevantFieldsOf = (pod: Pod): string => `${hasEnded(pod)} ${pod.spec.nodeName ?? ""}`;
