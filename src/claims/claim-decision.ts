/**
 * Decides what the binder does for a claim (CTL-BIND-1..46).
 *
 * A claim without a volumeName gets the first of these: a volume reserved for it; a wait for the first consumer, if its
 * class says so; the best available volume; the default class; a volume from a provisioner. The binder acts on the
 * decision, and `keelson why` explains it.
 */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../client/kinds/index.ts";
import { classOf, hasNoClass, isMeantFor, lostReason, mismatches, shortcomings } from "./fit.ts";
import { type ProvisionerChoice, provisionerOf } from "./provisioner.ts";
import type { Migration } from "./plugin-migration.ts";
import { type BinderNames, YES } from "./annotations.ts";

/** The only input of a decision besides the claim. */
export interface ClaimSources {
  readonly names: BinderNames;
  readonly migration: Migration;
  volume(name: string): PersistentVolume | undefined;
  /** The volumes whose claimRef names a claim, whatever uid it has. */
  volumesNaming(claim: PersistentVolumeClaim): readonly PersistentVolume[];
  /** The available volume that fits a claim best (CTL-BIND-12). */
  best(claim: PersistentVolumeClaim): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
  defaultClass(): string | undefined;
}

/** The decision; `note` gives the reason. */
export type ClaimDecision =
  | { readonly is: "nothing"; readonly note: string }
  | { readonly is: "bind"; readonly volume: PersistentVolume; readonly note: string }
  /** Its volume was deleted or belongs to another claim. */
  | { readonly is: "lost"; readonly volume: PersistentVolume | undefined; readonly note: string }
  /** It names a volume that does not exist, belongs to another claim, or does not fit. */
  | { readonly is: "absent"; readonly note: string }
  | { readonly is: "taken" | "misfit"; readonly volume: PersistentVolume; readonly note: string }
  /** Its class waits for a Pod that uses the claim, and for the node of the Pod (CTL-MODE-2, 3). */
  | { readonly is: "first consumer" }
  /** It has no class, and gets the default one (CTL-DEF-2). */
  | { readonly is: "default class"; readonly name: string; readonly note: string }
  /** No existing volume fits. */
  | { readonly is: "provision"; readonly storageClass: StorageClass | undefined; readonly choice: ProvisionerChoice };

/** Returns what the binder does for a claim now. */
export function decideClaim(claim: PersistentVolumeClaim, sources: ClaimSources): ClaimDecision {
  const { volumeName } = claim.spec;
  if (claim.metadata.annotations?.[sources.names.bindCompleted] === YES) return keep(claim, sources);
  // A claim that is being deleted gets no volume (CTL-BIND-43).
  if (claim.metadata.deletionTimestamp !== undefined) {
    return { is: "nothing", note: "it is being deleted, and who is leaving is given no volume" };
  }
  return volumeName ? findNamed(claim, volumeName, sources) : findAny(claim, sources);
}

/** A bound claim keeps its volume, or has lost it (CTL-BIND-36..41). */
function keep(claim: PersistentVolumeClaim, sources: ClaimSources): ClaimDecision {
  const { volumeName = "" } = claim.spec;
  const volume = volumeName === "" ? undefined : sources.volume(volumeName);
  const loss = lostReason(claim, volume);
  if (!volume || loss !== undefined) return { is: "lost", volume, note: loss! };
  return { is: "bind", volume, note: `the volume ${volumeName} is its own` };
}

/** A claim that names a volume gets that one or none (CTL-BIND-24..27). */
function findNamed(claim: PersistentVolumeClaim, name: string, sources: ClaimSources): ClaimDecision {
  const volume = sources.volume(name);
  if (!volume) return { is: "absent", note: `persistentvolume ${JSON.stringify(name)} not found` };
  if (isMeantFor(volume, claim)) return { is: "bind", volume, note: `the volume ${name} is reserved for it` };
  const { claimRef } = volume.spec;
  if (claimRef) {
    return { is: "taken", volume, note: `volume ${JSON.stringify(name)} already bound to a different claim.` };
  }
  const lacks = mismatches(volume, claim, sources.names);
  if (lacks.length === 0) return { is: "bind", volume, note: `the volume ${name} that it names fits it` };
  return { is: "misfit", volume, note: `Cannot bind to requested volume ${JSON.stringify(name)}: ${lacks.join("; ")}` };
}

function findAny(claim: PersistentVolumeClaim, sources: ClaimSources): ClaimDecision {
  const { names } = sources;
  const reserved = reservedFor(claim, sources);
  if (reserved) {
    return { is: "bind", volume: reserved, note: `the volume ${reserved.metadata.name} is reserved for it` };
  }
  const className = classOf(claim, names);
  const storageClass = className === "" ? undefined : sources.storageClass(className);
  const provision = (): ClaimDecision => ({
    is: "provision",
    storageClass,
    choice: provisionerOf(claim, storageClass, sources),
  });
  if (storageClass?.volumeBindingMode === "WaitForFirstConsumer") {
    // The scheduler has matched existing volumes before it selected a node.
    return claim.metadata.annotations?.[names.selectedNode] === undefined ? { is: "first consumer" } : provision();
  }
  const best = sources.best(claim);
  if (best) return { is: "bind", volume: best, note: `the volume ${best.metadata.name} fits it` };
  const standard = hasNoClass(claim, names) ? sources.defaultClass() : undefined;
  if (standard === undefined) return provision();
  return { is: "default class", name: standard, note: `it has no class and is given the default one, ${standard}` };
}

/** Returns the volume reserved for a claim; its class and labels do not matter (CTL-BIND-29, 31). */
export function reservedFor(
  claim: PersistentVolumeClaim,
  sources: Pick<ClaimSources, "volumesNaming">,
): PersistentVolume | undefined {
  const meant = sources.volumesNaming(claim).filter((volume) => isMeantFor(volume, claim));
  const fitting = meant.filter((volume) => shortcomings(volume, claim).length === 0);
  return fitting.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}
