/**
 * What context sees: who needs which volume where, what is attached, and what has to be looked at when something changes.
 *
 * Keys are `disk/ID` for what is attached of a disk and what should be, and `node/NAME` for what a node is messages of it. The
 * ID is what {@link idOf} says of the disk: several PersistentVolumes may name the same one, and so may Pods. An
 * attachment whose PersistentVolume is gone goes by the name of that.
 *
 * @module
 */
import { type Kind, inDomain, keyText } from "../../../client/index.ts";
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

/** What context follows. */
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

/** The informers of context in a dialect. */
export function attachSpecs(dialect: Dialect): AttachSpecs {
  const migration = migrationOf(dialect);
  const { domain } = dialect;
  return {
    names: attachNames(dialect),
    migration,
    attachments: sharedInformer(inDomain(VolumeAttachment, domain) as Kind<VolumeAttachment, "Cluster">, {
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
    drivers: sharedInformer(inDomain(CSIDriver, domain) as Kind<CSIDriver, "Cluster">),
    csiNodes: sharedInformer(inDomain(CSINode, domain) as Kind<CSINode, "Cluster">),
  };
}

/** A Pod that needs a disk, and the volume by which it does. */
export interface User {
  readonly pod: Pod;
  /** Undefined where its volume is not bound (CTL-AD-5). */
  readonly volume: Attachable | undefined;
}

/** What is known of a node that is no longer there. */
interface LostNode {
  readonly since: number;
  /** What it used when it was last seen; undefined where it was never seen. */
  readonly inUse: readonly string[] | undefined;
  readonly isOutOfService: boolean;
}

/** A volume that may be attached. */
export interface Attachable {
  /** What its users are messages that it is called. */
  readonly name: string;
  /** How an attachment names it. */
  readonly source: VolumeAttachment["spec"]["source"];
  readonly isForOneNode: boolean;
  /** What there is to attach on a node: nothing where nobody attaches it (CTL-AD-6, 7). */
  readonly diskOn: (node: string) => Disk | undefined;
}

/** See the head of this file. */
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
  /** Since when nodes are known not to be ready that do not say it themselves. */
  readonly #unready = new Map<string, number>();
  /** Nodes that are gone and have attachments. */
  readonly #lost = new Map<string, LostNode>();
  /** What Pods were messages last of a disk, by their uids: it is messages once. */
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

  /** The Pods that need a disk, by their nodes; podUsers that came first are first. */
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
    return Map.groupBy(oldest, ({ pod }) => pod.spec.nodeName!);
  }

  /** The attachments of a disk, on whatever nodes, by whichever volume and by whomever. */
  attachmentsOf(id: string): readonly VolumeAttachment[] {
    const names = this.#volumes.by("disk", id).map(({ metadata }) => metadata.name);
    const attachments = [id, ...names].flatMap((name) => this.#attachments.by("volume", name));
    return attachments.filter(({ spec }) => this.idOf(spec) === id);
  }

  attachmentsOn(node: string): readonly VolumeAttachment[] {
    return this.#attachments.by("node", node);
  }

  /** Whether an attachment was made here: it has the name that follows from what it is, as far as that is known. */
  isOwn({ metadata, spec }: VolumeAttachment): boolean {
    const disk = this.diskOf(spec);
    return disk ? metadata.name === attachmentName(disk, spec.nodeName) : isAttachmentName(metadata.name);
  }

  /** What an attachment is of; undefined where its volume is not known. */
  diskOf({ attacher, source }: VolumeAttachment["spec"]): Disk | undefined {
    const { inlineVolumeSpec } = source;
    if (inlineVolumeSpec) return inlineVolumeSpec.csi && diskIn(inlineVolumeSpec.csi);
    const volume = this.#volumes.get({ name: source.persistentVolumeName ?? "" });
    const handle = volume && diskOfVolume(volume, this.specs.migration)?.handle;
    return handle === undefined ? undefined : { driver: attacher, handle };
  }

  /** The ID of the disk of an attachment. */
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

  /** For one node, as its driver is messages. */
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

  /** A disk whose driver has it attached (CTL-AD-6). */
  #attached(disk: Disk | undefined): Disk | undefined {
    const isAttached = disk && this.#drivers.get({ name: disk.driver })?.spec.attachRequired !== false;
    return isAttached ? disk : undefined;
  }

  /** Since when a node is not ready, as far as is known. */
  unreadySince(node: Node): number {
    return changedAt(node) ?? this.#unready.get(node.metadata.name) ?? this.#clock.now();
  }

  /**
   * What is known of a node that is gone: what it used it may use yet, since nobody has seen it let go. One that was gone
   * before anybody looked may use everything.
   */
  lostNode(name: string): LostNode {
    let lost = this.#lost.get(name);
    if (!lost) this.#lost.set(name, (lost = { since: this.#clock.now(), inUse: undefined, isOutOfService: false }));
    return lost;
  }

  /** Whether a Pod was not messages this of a disk before, or was messages something else since. */
  isNewMessage(id: string, { metadata: { uid } }: Pod, what: string): boolean {
    const messages = this.#messages.get(id) ?? new Map<string, string>();
    this.#messages.set(id, messages);
    if (messages.get(uid) === what) return false;
    messages.set(uid, what);
    return true;
  }

  /** Forgets what Pods were messages of a disk that are not of these. */
  forgetMessages(id: string, pods: readonly Pod[]): void {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    const messages = this.#messages.get(id);
    for (const uid of messages?.keys() ?? []) if (!uids.has(uid)) messages!.delete(uid);
    if (messages?.size === 0) this.#messages.delete(id);
  }

  /** Has a node looked at: something is to leave its list. */
  queueNode(name: string): void {
    this.#add(`node/${name}`);
  }

  #usersOfClaim(claim: PersistentVolumeClaim): Pod[] {
    return this.#pods.by("claim", keyText(claim.metadata)).filter((pod) => !this.#isOver(pod) && isUser(pod, claim));
  }

  #isOver(pod: Pod): boolean {
    const keeps = this.nodes.get({ name: pod.spec.nodeName! })?.metadata.annotations?.[this.specs.names.keepsFinished];
    return hasEnded(pod) && keeps !== "true";
  }

  /** A volume of a migrated plugin, where its node says that the driver has it (CTL-AD-7). */
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

  /** The disk of a PersistentVolume; under the name of that, too, by which attachments go that came before it. */
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
    // Its attachments go by its name when it is gone.
    const { name } = event.object.metadata;
    if (this.#attachments.by("volume", name).length > 0) this.#addDisk(name);
  }

  /** Every disk that has to do with a node, and the node. */
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

  /** The volumes that a node uses, or is messages of, and did not before, or the other way round. */
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

  /** What of a node matters here to all of its volumes; most of what agents write does not. */
  #relevantFieldsOf(node: Node): string {
    const { names } = this.specs;
    const keeps = node.metadata.annotations?.[names.keepsFinished];
    const taints = node.spec.taints?.map(({ key }) => key);
    return JSON.stringify([isManaged(node, names), keeps, taints, isReady(node)]);
  }
}

const entriesOf = ({ status: { volumesInUse = [], volumesAttached = [] } }: Node): ReadonlySet<string> =>
  new Set([...volumesInUse.map((name) => `used ${name}`), ...volumesAttached.map(({ name }) => `attached ${name}`)]);

/** The ID of a disk that an attachment describes itself. */
const inlineIdOf = ({ source }: VolumeAttachment["spec"]): string | undefined =>
  source.inlineVolumeSpec?.csi && idOf(diskIn(source.inlineVolumeSpec.csi));

/** The disk of a volume that a driver attaches, or would once its plugin is left to it. */
function diskOfVolume(volume: PersistentVolume, migration: Migration): Disk | undefined {
  const { csi } = volume.spec;
  return csi ? diskIn(csi) : migration.ofSource(volume);
}

const diskIn = ({ driver, volumeHandle }: { readonly driver: string; readonly volumeHandle: string }): Disk => ({
  driver,
  handle: volumeHandle,
});

/** The volumes of migrated plugins that are described in a Pod. */
const inlineOf = ({ spec }: Pod, migration: Migration): MigratedSource[] =>
  (spec.volumes ?? []).flatMap((volume) => migration.ofSource({ metadata: {}, spec: volume }) ?? []);

/** Whether a Pod uses a claim, not only its name: that of an ephemeral volume has to be its own. */
function isUser(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const volumes = (pod.spec.volumes ?? []).filter((volume) => claimKeyOf(pod, volume)?.name === claim.metadata.name);
  return volumes.some(({ ephemeral }) => !ephemeral || controllerUid(claim) === pod.metadata.uid);
}

/** What of a Pod matters here. */
const relevantFieldsOf = (pod: Pod): string => `${hasEnded(pod)} ${pod.spec.nodeName ?? ""}`;
