/**
 * What must hold of storage, judged by what objects say and what the storage knows; see docs/reference/storage-invariants.md.
 *
 * @module
 */
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "../../src/client/kinds/index.ts";
import { attachNames, attachmentName, nodeEntry } from "../../src/claims/attachment.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { DRIVER, type Judge, type Mount } from "./array.ts";
import { NODES, type StorageWorld, snapshots } from "./world.ts";

/** A node that is not ready for so long has lost what it had. */
const LOST_AFTER_MS = 360_000;
/** Times of objects have no fractions. */
const SECOND = 1000;

interface Span {
  readonly from: number;
  to: number;
}

/** When nodes were not ready, or not there. */
export class Absences {
  readonly #spans = new Map<string, Span[]>();

  /** Notes how a node is now. */
  see(node: string, isReady: boolean, now: number): void {
    const spans = this.#spans.get(node) ?? [];
    this.#spans.set(node, spans);
    const last = spans.at(-1);
    if (isReady && last?.to === Infinity) last.to = now;
    else if (!isReady && last?.to !== Infinity) spans.push({ from: now, to: Infinity });
  }

  /** Whether a node could be taken for lost at a time. */
  isLostAt(node: string, time: number): boolean {
    const lost = (this.#spans.get(node) ?? []).find(
      ({ from, to }) => from + LOST_AFTER_MS <= time + SECOND && time <= to + SECOND,
    );
    return lost !== undefined;
  }
}

/** Judges calls of the driver while they are made. */
export const judgeOf = (world: () => StorageWorld, absences: Absences): Omit<Judge, "now" | "kill"> => ({
  async mayDelete(disk) {
    const { nodes } = world().array.disks.get(disk) ?? {};
    if (nodes && nodes.size > 0) return `${disk} is deleted while it is attached to ${[...nodes.keys()].join(", ")}`;
    const volumes = (await world().list(PersistentVolume)).filter(({ spec }) => spec.csi?.volumeHandle === disk);
    if (volumes.some(({ spec }) => spec.persistentVolumeReclaimPolicy === "Retain")) {
      return `${disk} is deleted, which is to be retained`;
    }
    const claims = await world().list(PersistentVolumeClaim);
    const claim = claims.find(({ metadata }) => volumes.some(({ spec }) => spec.claimRef?.uid === metadata.uid));
    return claim && `${disk} is deleted while the claim ${claim.metadata.name} has it`;
  },
  async mayDetach(disk, node) {
    const [mounted] = world().array.liveMounts(disk, node);
    if (mounted === undefined) return undefined;
    const name = attachmentName({ driver: DRIVER, handle: disk }, node);
    const attachment = await world().resource(VolumeAttachment).find({ name });
    const decided = Date.parse(attachment?.metadata.deletionTimestamp ?? "");
    if (absences.isLostAt(node, decided)) return undefined;
    return `${disk} is detached from ${node} while it is mounted there at ${mounted}`;
  },
  async mayDrop(picture) {
    const contents = await world().list(snapshots.content);
    const uids = new Set(
      contents.filter(({ status }) => status?.snapshotHandle === picture).map(({ spec }) => spec.volumeSnapshotRef.uid),
    );
    const wanted = (await world().list(snapshots.snapshot)).find(
      ({ metadata }) => uids.has(metadata.uid) && metadata.deletionTimestamp === undefined,
    );
    return wanted && `${picture} is deleted while the VolumeSnapshot ${wanted.metadata.name} has it`;
  },
});

/** What is wrong with a world at rest; undefined where nothing is. */
export async function faultOf(world: StorageWorld, absences: Absences): Promise<string | undefined> {
  const [pods, volumes, claims, nodes] = await Promise.all([
    world.list(Pod),
    world.list(PersistentVolume),
    world.list(PersistentVolumeClaim),
    world.list(Node),
  ]);
  for (const name of NODES)
    absences.see(name, isReady(nodes.find(({ metadata }) => metadata.name === name)), world.clock.now());
  return (
    world.array.broken[0] ??
    untrueOf(world, nodes) ??
    claims.flatMap((claim) => lostDiskOf(world, claim, volumes) ?? [])[0] ??
    pods.flatMap((pod) => staleMountOf(world, pod, volumes) ?? [])[0]
  );
}

const isReady = (node: Node | undefined): boolean =>
  node?.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

/** A node sees only what is attached to it. */
function untrueOf({ array }: StorageWorld, nodes: readonly Node[]): string | undefined {
  const names = attachNames(kubernetes);
  for (const { metadata, status } of nodes) {
    const attached = [...array.disks.values()].filter((disk) => disk.nodes.has(metadata.name));
    const entries = new Set(attached.map(({ id }) => nodeEntry({ driver: DRIVER, handle: id }, names)));
    const untrue = status.volumesAttached?.find(({ name }) => !entries.has(name));
    if (untrue) return `${metadata.name} is told that ${untrue.name} is attached, which it is not`;
  }
  return undefined;
}

/** A claim that is bound has a disk. */
function lostDiskOf(
  { array }: StorageWorld,
  { metadata, spec, status }: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): string | undefined {
  if (status.phase !== "Bound") return status.phase === "Lost" ? `the claim ${metadata.name} is Lost` : undefined;
  const volume = volumes.find((one) => one.metadata.name === spec.volumeName);
  const handle = volume?.spec.csi?.volumeHandle;
  if (handle !== undefined && array.disks.has(handle)) return undefined;
  return `the claim ${metadata.name} is bound to ${spec.volumeName}, of which there is no disk`;
}

/** What a Pod has mounted is the disk of its volume, as it is attached now. */
function staleMountOf(
  { array }: StorageWorld,
  { metadata, spec }: Pod,
  volumes: readonly PersistentVolume[],
): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const node = spec.nodeName!;
  for (const [path, mount] of mountsOf(array.kernel(node).published, metadata.uid)) {
    const name = /kubernetes\.io~csi\/([^/]+)\/mount$/.exec(path)?.[1];
    const handle = volumes.find((one) => one.metadata.name === name)?.spec.csi?.volumeHandle;
    if (mount.disk !== handle) return `the Pod ${metadata.name} is shown ${mount.disk} in place of ${handle}`;
    if (!array.isLive(mount, node))
      return `the Pod ${metadata.name} is shown ${handle} as it was before it was detached`;
  }
  return undefined;
}

/** What is published for a Pod. */
export const mountsOf = (published: ReadonlyMap<string, Mount>, uid: string): readonly (readonly [string, Mount])[] =>
  [...published].filter(([path]) => path.includes(`/pods/${uid}/`));
