/**
 * What must hold of claims, volumes and pods whenever the controllers have come to rest; a second opinion on what fits, that
 * shares nothing with the binder.
 *
 * @module
 */
import type { ApiObject, Client } from "../../../src/client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../src/client/kinds/index.ts";

/** The class whose claims wait for their first consumer. */
export const WAITING = "waiting";

/** All that there is at a moment. */
export interface Seen {
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly pods: readonly Pod[];
  /** The volumes that an administrator has freed since the quiet before, by uid. */
  readonly freed: ReadonlySet<string>;
}

/** Reads all of it. */
export async function look(client: Client, freed: ReadonlySet<string>): Promise<Seen> {
  const [claims, volumes, pods] = await Promise.all([
    client.resource(PersistentVolumeClaim).list(),
    client.resource(PersistentVolume).list(),
    client.resource(Pod).list(),
  ]);
  return { claims: claims.items, volumes: volumes.items, pods: pods.items, freed };
}

const sizeOf = (quantity: string | undefined): number => Number(/^(\d+)Gi$/.exec(quantity ?? "")![1]);
const isLeaving = ({ metadata }: PersistentVolume | PersistentVolumeClaim): boolean =>
  metadata.deletionTimestamp !== undefined;
const belongsTo = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean =>
  spec.claimRef?.uid === metadata.uid;
const modesText = ({ spec }: PersistentVolume): string => (spec.accessModes ?? []).toSorted().join();

/** Whether a volume is large enough for a claim and has the modes that it asks for. */
function isEnough(
  { spec }: PersistentVolumeClaim,
  { spec: { capacity, accessModes = [] } }: PersistentVolume,
): boolean {
  if (sizeOf(capacity?.["storage"]) < sizeOf(spec.resources?.requests?.["storage"])) return false;
  return spec.accessModes!.every((mode) => accessModes.includes(mode));
}

/** Whether a volume is what a claim asks for. */
function suits(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const { storageClassName = "", selector: { matchLabels = {} } = {} } = claim.spec;
  if (!isEnough(claim, volume) || (volume.spec.storageClassName ?? "") !== storageClassName) return false;
  return Object.entries(matchLabels).every(([key, value]) => volume.metadata.labels?.[key] === value);
}

/** Whether a claim that waits for nothing else could have a volume. */
function couldHave(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  if (volume.status.phase !== "Available" || isLeaving(volume)) return false;
  const { claimRef } = volume.spec;
  const { name } = volume.metadata;
  const { volumeName = name, storageClassName = "" } = claim.spec;
  if (volumeName !== name) return false;
  if (claimRef) return claimRef.name === claim.metadata.name && isEnough(claim, volume);
  if (claim.spec.volumeName)
    return isEnough(claim, volume) && (volume.spec.storageClassName ?? "") === storageClassName;
  return storageClassName !== WAITING && suits(claim, volume);
}

/**
 * What is wrong, a line each.
 *
 * @param before what was seen at the quiet before: whoever was bound since then could have had any volume that is as it was
 */
export function troublesOf(seen: Seen, before?: Seen): string[] {
  const { claims, volumes, freed } = seen;
  const troubles: string[] = [];
  const bound = claims.filter(({ status }) => status.phase === "Bound");
  for (const claim of bound) {
    const { name } = claim.metadata;
    const volume = volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName);
    if (!volume) troubles.push(`claim ${name} is Bound to ${claim.spec.volumeName}, which is not there`);
    else if (!belongsTo(volume, claim))
      troubles.push(`claim ${name} is Bound to ${volume.metadata.name}, which is another's`);
    else if (volume.status.phase !== "Bound")
      troubles.push(`volume ${volume.metadata.name} of ${name} is ${volume.status.phase}`);
  }
  const taken = Map.groupBy(bound, ({ spec }) => spec.volumeName!);
  for (const [name, those] of taken)
    if (those.length > 1) troubles.push(`volume ${name} is bound to ${those.length} claims`);
  for (const claim of claims) {
    // What was made for a claim that had got another meanwhile is Released, for its maker to delete.
    const isKept = (volume: PersistentVolume): boolean => belongsTo(volume, claim) && volume.status.phase === "Bound";
    const those = volumes.filter(isKept).map(({ metadata }) => metadata.name);
    if (those.length > 1) troubles.push(`claim ${claim.metadata.name} has the volumes ${those.join(", ")}`);
    const [only] = those;
    if (only !== undefined && claim.status.phase === "Pending" && !isLeaving(claim)) {
      troubles.push(`claim ${claim.metadata.name} is Pending and has the volume ${only}`);
    }
  }
  for (const volume of volumes) troubles.push(...troublesOfVolume(volume, claims));
  if (before) troubles.push(...missing(seen, before));
  for (const was of before?.volumes ?? []) {
    const { uid, name } = was.metadata;
    const now = volumes.find(({ metadata }) => metadata.uid === uid);
    const isGivenAway = now !== undefined && now.spec.claimRef?.uid !== was.spec.claimRef?.uid;
    if (was.status.phase === "Released" && isGivenAway && !freed.has(uid)) {
      troubles.push(`volume ${name} was Released, and given away`);
    }
  }
  for (const claim of claims) troubles.push(...troublesOfClaim(claim, seen, before));
  return troubles;
}

/** What was in use at the quiet before, still is, and is not there. */
function missing({ claims, volumes, pods }: Seen, before: Seen): string[] {
  const has = (list: readonly ApiObject[], uid: string): boolean => list.some(({ metadata }) => metadata.uid === uid);
  const users = before.pods.filter(({ metadata, spec }) => spec.nodeName && has(pods, metadata.uid));
  const used = before.claims.filter(({ metadata }) => users.some((pod) => uses(pod, metadata.name)));
  const bound = before.claims.filter(({ metadata, status }) => status.phase === "Bound" && has(claims, metadata.uid));
  const kept = before.volumes.filter((volume) => bound.some((claim) => belongsTo(volume, claim)));
  return [
    ...used
      .filter(({ metadata }) => !has(claims, metadata.uid))
      .map(({ metadata }) => `claim ${metadata.name} went although a pod uses it`),
    ...kept
      .filter(({ metadata }) => !has(volumes, metadata.uid))
      .map(({ metadata }) => `volume ${metadata.name} went although it is bound`),
  ];
}

const uses = ({ spec }: Pod, name: string): boolean =>
  spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name) === true;

function troublesOfVolume(volume: PersistentVolume, claims: readonly PersistentVolumeClaim[]): string[] {
  const { name } = volume.metadata;
  const { phase } = volume.status;
  const { claimRef, persistentVolumeReclaimPolicy: policy, hostPath } = volume.spec;
  const troubles: string[] = [];
  const isNamed = claimRef?.uid !== undefined;
  const isThere = claims.some((claim) => belongsTo(volume, claim));
  if (isNamed && !isThere && phase !== "Released" && phase !== "Failed")
    troubles.push(`volume ${name} of nobody is ${phase}`);
  if (!isNamed && phase !== "Available") troubles.push(`volume ${name} without a claim is ${phase}`);
  if (isNamed && !isThere && policy === "Delete" && hostPath?.path.startsWith("/tmp/"))
    troubles.push(`volume ${name} was not deleted`);
  if (phase === "Failed" && !hostPath?.path.startsWith("/data/")) troubles.push(`volume ${name} is Failed`);
  if (isLeaving(volume) && phase !== "Bound")
    troubles.push(`volume ${name} is ${phase} and stays although it was deleted`);
  return troubles;
}

function troublesOfClaim(claim: PersistentVolumeClaim, { volumes, pods }: Seen, before: Seen | undefined): string[] {
  const { name } = claim.metadata;
  const users = pods.filter((pod) => uses(pod, name) && pod.spec.nodeName);
  if (isLeaving(claim))
    return users.length === 0 ? [`claim ${name} stays although it was deleted and nobody uses it`] : [];
  if (claim.status.phase === "Pending") {
    const free = volumes.find((volume) => couldHave(claim, volume));
    return free ? [`claim ${name} is Pending, and could have ${free.metadata.name}`] : [];
  }
  const wasBound = before?.claims.some(
    ({ metadata, status }) => metadata.uid === claim.metadata.uid && status.phase !== "Pending",
  );
  if (!before || wasBound || claim.spec.selector) return [];
  const had = volumes.find((volume) => belongsTo(volume, claim));
  const isChosen = [claim, had].every((one) => one?.metadata.annotations?.["pv.kubernetes.io/bound-by-controller"]);
  if (!had || !isChosen) return [];
  const troubles = suits(claim, had) ? [] : [`claim ${name} got ${had.metadata.name}, which does not fit`];
  const isOld = ({ metadata }: PersistentVolume): boolean =>
    before.volumes.some((was) => was.metadata.resourceVersion === metadata.resourceVersion);
  const better = volumes.find(
    (volume) =>
      isOld(volume) &&
      volume.status.phase === "Available" &&
      !volume.spec.claimRef &&
      !isLeaving(volume) &&
      suits(claim, volume) &&
      modesText(volume) === modesText(had) &&
      sizeOf(volume.spec.capacity?.["storage"]) < sizeOf(had.spec.capacity?.["storage"]),
  );
  return better
    ? [...troubles, `claim ${name} got ${had.metadata.name}, and ${better.metadata.name} is smaller`]
    : troubles;
}
