/**
 * What must hold of claims, volumes and pods whenever the controllers have come to rest; a second opinion on what fits, that
 * shares nothing with the binder.
 *
 * @module
 */
import type { Client } from "../../../src/client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../src/client/kinds/index.ts";

/** The class whose claims wait for their first consumer. */
export const WAITING = "waiting";

/** All that there is at a moment. */
export interface Seen {
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly pods: readonly Pod[];
}

/** Reads all of it. */
export async function look(client: Client): Promise<Seen> {
  const [claims, volumes, pods] = await Promise.all([
    client.resource(PersistentVolumeClaim).list(),
    client.resource(PersistentVolume).list(),
    client.resource(Pod).list(),
  ]);
  return { claims: claims.items, volumes: volumes.items, pods: pods.items };
}

const sizeOf = (quantity: string | undefined): number => Number(/^(\d+)Gi$/.exec(quantity ?? "")![1]);
const isLeaving = ({ metadata }: PersistentVolume | PersistentVolumeClaim): boolean =>
  metadata.deletionTimestamp !== undefined;
const belongsTo = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean =>
  spec.claimRef?.uid === metadata.uid;
const modesText = ({ spec }: PersistentVolume): string => (spec.accessModes ?? []).toSorted().join();

/** Whether a claim could have a volume that nobody has. */
function couldHave({ spec, metadata }: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const { claimRef, storageClassName = "", accessModes = [], capacity } = volume.spec;
  if (volume.status.phase !== "Available" || isLeaving(volume)) return false;
  if (sizeOf(capacity?.["storage"]) < sizeOf(spec.resources?.requests?.["storage"])) return false;
  if (!spec.accessModes!.every((mode) => accessModes.includes(mode))) return false;
  if (claimRef)
    return claimRef.name === metadata.name && (!spec.volumeName || spec.volumeName === volume.metadata.name);
  if (spec.volumeName)
    return spec.volumeName === volume.metadata.name && storageClassName === (spec.storageClassName ?? "");
  if (storageClassName !== (spec.storageClassName ?? "") || spec.storageClassName === WAITING) return false;
  const { matchLabels = {} } = spec.selector ?? {};
  return Object.entries(matchLabels).every(([key, value]) => volume.metadata.labels?.[key] === value);
}

/**
 * What is wrong, a line each.
 *
 * @param before what was seen at the quiet before: whoever was bound since then could have had any volume that is as it was
 */
export function troublesOf({ claims, volumes, pods }: Seen, before?: Seen): string[] {
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
    const those = volumes.filter((volume) => belongsTo(volume, claim)).map(({ metadata }) => metadata.name);
    if (those.length > 1) troubles.push(`claim ${claim.metadata.name} has the volumes ${those.join(", ")}`);
    const [only] = those;
    if (only !== undefined && claim.status.phase === "Pending" && !isLeaving(claim)) {
      troubles.push(`claim ${claim.metadata.name} is Pending and has the volume ${only}`);
    }
  }
  for (const volume of volumes) troubles.push(...troublesOfVolume(volume, claims));
  for (const claim of claims) troubles.push(...troublesOfClaim(claim, { claims, volumes, pods }, before));
  return troubles;
}

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
  const uses = ({ spec }: Pod): boolean =>
    spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name) === true;
  const users = pods.filter((pod) => uses(pod) && pod.spec.nodeName);
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
  const asItWas = { ...claim, spec: { ...claim.spec, volumeName: undefined } } as unknown as PersistentVolumeClaim;
  const isOld = ({ metadata }: PersistentVolume): boolean =>
    before.volumes.some((was) => was.metadata.resourceVersion === metadata.resourceVersion);
  const better = volumes.find(
    (volume) =>
      isOld(volume) &&
      !volume.spec.claimRef &&
      couldHave(asItWas, volume) &&
      modesText(volume) === modesText(had) &&
      sizeOf(volume.spec.capacity?.["storage"]) < sizeOf(had.spec.capacity?.["storage"]),
  );
  return better ? [`claim ${name} got ${had.metadata.name}, and ${better.metadata.name} is smaller`] : [];
}
