/**
 * What claims, volumes and attachments wait for, in sentences: by the rules by which the binder decides.
 *
 * `/keelson/v1/why` reads Events, too, and says more of one object; these sentences cost nothing for thousands.
 *
 * @module
 */
import { AvailableVolumes } from "../../../../src/claims/available-volumes.ts";
import { binderNames } from "../../../../src/claims/annotations.ts";
import { type ClaimDecision, type ClaimSources, decideClaim } from "../../../../src/claims/claim-decision.ts";
import { claimOfVolume } from "../../../../src/claims/claim-ref.ts";
import { classOf, isAvailable, mismatches, requestOf } from "../../../../src/claims/fit.ts";
import { migrationOf } from "../../../../src/claims/plugin-migration.ts";
import { defaultClassOf } from "../../../../src/claims/provisioner.ts";
import { claimCapacity, infeasibleOn, isGrowing, stateOf } from "../../../../src/claims/resize.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "../../../../src/client/kinds/index.ts";
import type { Dialect } from "../../../../src/meta/dialect.ts";
import type { Steps } from "../../../../src/util/steps.ts";
import { inSteps } from "../../ui/sliced.ts";
import { keyOf } from "./objects.ts";

/** What an object waits for. */
export interface Wait {
  readonly says: string;
  /** Whether it stays so until a user or a program acts. */
  readonly isStuck: boolean;
}

/** Reads all volumes and classes, so that it can be said what claims wait for. */
export function* waitsSteps(
  volumes: readonly PersistentVolume[],
  classes: readonly StorageClass[],
  dialect: Dialect,
  isWhole = true,
): Steps<Waits> {
  const names = binderNames(dialect);
  const byName = new Map<string, PersistentVolume>();
  const naming = new Map<string, PersistentVolume[]>();
  const available = new AvailableVolumes(names);
  yield* inSteps(volumes, (volume) => {
    byName.set(volume.metadata.name, volume);
    const claim = claimOfVolume(volume);
    const others = claim === undefined ? undefined : naming.get(claim);
    if (others) others.push(volume);
    else if (claim !== undefined) naming.set(claim, [volume]);
    if (isAvailable(volume)) available.set(volume);
  });
  const classesByName = new Map(classes.map((one) => [one.metadata.name, one]));
  const standard = defaultClassOf(classes, dialect.labelDomain)?.metadata.name;
  return new Waits(
    {
      names,
      migration: migrationOf(dialect),
      volume: (name) => byName.get(name),
      volumesNaming: (claim) => naming.get(keyOf(claim)) ?? [],
      best: (claim) => available.best(claim),
      storageClass: (name) => classesByName.get(name),
      defaultClass: () => standard,
    },
    isWhole,
  );
}

/** Says what objects wait for; see {@link waitsSteps}. */
export class Waits {
  readonly #sources: ClaimSources;
  /** Whether all volumes and classes are known. */
  readonly #isWhole: boolean;

  constructor(sources: ClaimSources, isWhole: boolean) {
    this.#sources = sources;
    this.#isWhole = isWhole;
  }

  /** The class of a claim or volume. */
  classOf(object: PersistentVolume | PersistentVolumeClaim): string {
    return classOf(object, this.#sources.names);
  }

  /** What a claim waits for; undefined for one that has all it asks for. */
  ofClaim(claim: PersistentVolumeClaim): Wait | undefined {
    const { metadata, status } = claim;
    if (metadata.deletionTimestamp !== undefined) return ofDeletion(metadata.finalizers);
    if (!this.#isWhole && !this.#isDecidable(claim)) return ofClaimAlone(claim);
    const decision = decideClaim(claim, this.#sources);
    if (status.phase === "Bound" && decision.is === "bind") return ofGrowth(claim);
    return this.#ofDecision(claim, decision);
  }

  /** Whether the volume and the class that a claim names are known. */
  #isDecidable(claim: PersistentVolumeClaim): boolean {
    const { volumeName } = claim.spec;
    if (volumeName) return this.#sources.volume(volumeName) !== undefined;
    return this.#sources.storageClass(this.classOf(claim)) !== undefined;
  }

  #ofDecision(claim: PersistentVolumeClaim, decision: ClaimDecision): Wait | undefined {
    switch (decision.is) {
      case "nothing":
        return { says: decision.note, isStuck: false };
      case "bind":
        return { says: `it waits for the binder: ${decision.note}`, isStuck: false };
      case "lost":
        return { says: `it has lost its volume: ${decision.note}`, isStuck: true };
      case "absent":
        return { says: `it names the volume ${claim.spec.volumeName ?? ""}, which does not exist`, isStuck: true };
      case "taken": {
        const { name, namespace } = decision.volume.spec.claimRef ?? {};
        const says = `it names the volume ${decision.volume.metadata.name}, which belongs to the claim ${namespace ?? ""}/${name ?? ""}`;
        return { says, isStuck: true };
      }
      case "misfit": {
        const lacks = mismatches(decision.volume, claim, this.#sources.names).join("; ");
        return {
          says: `it names the volume ${decision.volume.metadata.name}, which does not fit: ${lacks}`,
          isStuck: true,
        };
      }
      case "first consumer":
        return { says: "it waits for a Pod that uses it (WaitForFirstConsumer)", isStuck: false };
      case "default class":
        return { says: decision.note, isStuck: false };
      case "provision":
        return ofProvision(decision);
    }
  }
}

/** What a claim says of itself, where its volume or its class may not be read. */
function ofClaimAlone(claim: PersistentVolumeClaim): Wait | undefined {
  const { phase } = claim.status;
  if (phase === "Bound") return ofGrowth(claim);
  if (phase === "Lost") return { says: "it has lost its volume", isStuck: true };
  return { says: "it is not bound yet; what it waits for is in volumes and classes that are not read", isStuck: false };
}

function ofProvision({ choice }: Extract<ClaimDecision, { readonly is: "provision" }>): Wait {
  if (choice.is !== "external") return { says: choice.note, isStuck: true };
  return { says: `it waits for the provisioner ${choice.provisioner} to create a volume`, isStuck: false };
}

function ofGrowth(claim: PersistentVolumeClaim): Wait | undefined {
  // Equal texts are equal quantities; most claims have what they ask for.
  if (requestOf(claim) === claimCapacity(claim) || !isGrowing(claim)) return undefined;
  const wants = `it has ${claimCapacity(claim)} and requests ${requestOf(claim)}`;
  const side = infeasibleOn(claim);
  if (side === "Controller") return { says: `${wants}, and its driver cannot enlarge the volume`, isStuck: true };
  if (side === "Node") return { says: `${wants}, and its node could not enlarge the file system`, isStuck: true };
  if (stateOf(claim)?.startsWith("Node")) {
    return { says: `${wants}; its volume has been enlarged, its file system has not`, isStuck: false };
  }
  return { says: `${wants}, and waits for its volume to be enlarged`, isStuck: false };
}

function ofDeletion(finalizers: readonly string[] = []): Wait {
  const held = finalizers.length === 0 ? "" : `; held by ${finalizers.slice(0, 5).join(", ")}`;
  return { says: `it is being deleted${held}`, isStuck: false };
}

/** What a volume waits for; undefined for one that is bound or available. */
export function waitOfVolume({ metadata, spec, status }: PersistentVolume): Wait | undefined {
  if (metadata.deletionTimestamp !== undefined) return ofDeletion(metadata.finalizers);
  switch (status.phase) {
    case "Released":
      return spec.persistentVolumeReclaimPolicy === "Delete"
        ? { says: "its claim was deleted, and its driver has not deleted it yet", isStuck: false }
        : { says: "its claim was deleted, and its reclaim policy keeps it until it is deleted", isStuck: true };
    case "Failed":
      return { says: `it has failed: ${status.message ?? status.reason ?? "no reason is recorded"}`, isStuck: true };
    case "Pending":
      return { says: "the binder has not handled it yet", isStuck: false };
    default:
      return undefined;
  }
}

/** What an attachment waits for; undefined for one that is attached. */
export function waitOfAttachment({ metadata, spec, status }: VolumeAttachment): Wait | undefined {
  const { attachError, detachError, attached } = status ?? { attached: false };
  if (metadata.deletionTimestamp !== undefined) {
    if (detachError)
      return { says: `${spec.attacher} could not detach it: ${detachError.message ?? ""}`, isStuck: true };
    return { says: `${spec.attacher} is detaching it`, isStuck: false };
  }
  if (attachError) return { says: `${spec.attacher} could not attach it: ${attachError.message ?? ""}`, isStuck: true };
  return attached ? undefined : { says: `${spec.attacher} is attaching it to ${spec.nodeName}`, isStuck: false };
}
