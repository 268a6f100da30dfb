/**
 * Whether a volume fits a claim, and what it lacks where it does not.
 *
 * This room has the rules of claims and volumes by which controllers, schedulers, sidecars and agents decide: pure
 * functions of objects.
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { compareQuantities } from "../meta/quantity.ts";
import { selectorOf } from "../meta/label-selector.ts";
import { type BinderNames, YES } from "./annotations.ts";

/** The storage request of a claim; without one any size is enough (CTL-BIND-5). */
export const requestOf = ({ spec }: PersistentVolumeClaim): string => spec.resources?.requests?.["storage"] ?? "0";

/** The storage capacity of a volume. */
export const capacityOf = ({ spec }: PersistentVolume): string => spec.capacity?.["storage"] ?? "0";

/** The class of a claim or a volume: the annotation, else the field, else "" (CTL-BIND-7). */
export const classOf = (
  { metadata, spec }: PersistentVolume | PersistentVolumeClaim,
  { storageClass }: BinderNames,
): string => metadata.annotations?.[storageClass] ?? spec.storageClassName ?? "";

/** Whether a claim leaves the class open; "" is a class, too (CTL-DEF-2, 3). */
export const hasNoClass = ({ metadata, spec }: PersistentVolumeClaim, { storageClass }: BinderNames): boolean =>
  spec.storageClassName === undefined && metadata.annotations?.[storageClass] === undefined;

/** Whether a claim is unbound and names no volume. */
export const isWaiting = ({ spec, metadata }: PersistentVolumeClaim, { bindCompleted }: BinderNames): boolean =>
  !spec.volumeName && metadata.deletionTimestamp === undefined && metadata.annotations?.[bindCompleted] !== YES;

const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string => spec.volumeMode ?? "Filesystem";
const attributesOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string =>
  spec.volumeAttributesClassName ?? "";
const modesOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): readonly string[] => spec.accessModes ?? [];

/** What a volume lacks that is reserved for a claim or named by it (CTL-BIND-26, 29). */
export function shortcomings(volume: PersistentVolume, claim: PersistentVolumeClaim): readonly string[] {
  const lacks: string[] = [];
  const differs = (what: string, has: string, wants: string): void => {
    if (has !== wants) lacks.push(`expected ${what} ${JSON.stringify(wants)}, it has ${JSON.stringify(has)}`);
  };
  if (!isLargeEnough(volume, claim)) {
    lacks.push(`expected at least ${requestOf(claim)}, it has ${capacityOf(volume)}`);
  }
  differs("volumeMode", modeOf(volume), modeOf(claim));
  differs("volumeAttributesClassName", attributesOf(volume), attributesOf(claim));
  const modes = modesOf(claim).filter((mode) => !modesOf(volume).includes(mode));
  if (modes.length > 0) lacks.push(`expected accessModes ${modes.join(", ")}, it has ${modesOf(volume).join(", ")}`);
  if (volume.metadata.deletionTimestamp !== undefined) lacks.push("it is being deleted");
  return lacks;
}

/** What a volume lacks that a claim names and that is not reserved. */
export function mismatches(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  names: BinderNames,
): readonly string[] {
  const [has, wants] = [classOf(volume, names), classOf(claim, names)];
  const isOther =
    has === wants ? [] : [`expected storageClassName ${JSON.stringify(wants)}, it has ${JSON.stringify(has)}`];
  return [...shortcomings(volume, claim), ...isOther];
}

/** Whether a volume and a claim have the same volumeMode. */
export const isOfMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  modeOf(volume) === modeOf(claim);

/** Whether the claimRef of a volume names a claim, with its uid or without one. */
export function isMeantFor({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (!claimRef || claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

/** Why a bound claim has lost its volume; undefined where it has not (CTL-BIND-36..41). */
export function lostReason(
  { metadata, spec }: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): string | undefined {
  if (!spec.volumeName) return "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!";
  if (!volume) return "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
  const { claimRef } = volume.spec;
  const isKept = claimRef === undefined || claimRef.uid === metadata.uid;
  return isKept ? undefined : "Two claims are bound to the same volume, this one is bound incorrectly";
}

/** The bucket of a volume or a claim: equal for the same class, volumeMode and attributes class. */
export const bucketOf = (object: PersistentVolume | PersistentVolumeClaim, names: BinderNames): string =>
  JSON.stringify([classOf(object, names), modeOf(object), attributesOf(object)]);

/** The access modes of a volume as text, equal for equal sets. */
export const modesText = (volume: PersistentVolume): string => modesOf(volume).toSorted().join(" ");

/** Whether access modes include all that a claim requests (CTL-BIND-6). */
export const covers = (modes: string, claim: PersistentVolumeClaim): boolean => {
  const there = modes.split(" ");
  return modesOf(claim).every((mode) => there.includes(mode));
};

/** Whether a volume is available: no claim has it or is named by it (CTL-BIND-4). */
export const isAvailable = ({ metadata, spec, status }: PersistentVolume): boolean =>
  status.phase === "Available" && !spec.claimRef && metadata.deletionTimestamp === undefined;

const isLargeEnough = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  compareQuantities(capacityOf(volume), requestOf(claim)) >= 0;

function isSelected({ metadata }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { selector } = claim.spec;
  return !selector || selectorOf(selector).matches(metadata.labels);
}

/** Whether an available volume of the bucket of a claim fits it. */
export const fits = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  isLargeEnough(volume, claim) && isSelected(volume, claim);

/**
 * Returns every reason why the binder does not choose a volume for a claim. The class and labels of a reserved volume
 * do not matter (CTL-BIND-29, 31).
 */
export function objections(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  names: BinderNames,
): readonly string[] {
  if (isMeantFor(volume, claim)) return shortcomings(volume, claim);
  const lacks = [...mismatches(volume, claim, names)];
  if (!isSelected(volume, claim)) lacks.push("the selector of the claim does not match its labels");
  const { claimRef } = volume.spec;
  if (claimRef) lacks.push(`it belongs to the claim ${claimRef.namespace}/${claimRef.name}`);
  else if (!isAvailable(volume) && volume.metadata.deletionTimestamp === undefined) {
    lacks.push(`expected phase "Available", it has ${JSON.stringify(volume.status.phase ?? "")}`);
  }
  return lacks;
}
