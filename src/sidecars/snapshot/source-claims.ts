/**
 * Claims that snapshots are taken of stay until these are there.
 *
 * @module
 */
import { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { Informer } from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer, withFinalizer } from "../finalizers.ts";
import type { Snapshotting } from "./given.ts";
import type { VolumeSnapshot } from "./kinds.ts";

/** The claim that a snapshot is taken of. */
export function sourceClaim({ ctx, sidecar }: Snapshotting): PersistentVolumeClaim | undefined {
  const { metadata, spec } = ctx.object;
  const { persistentVolumeClaimName: name = "" } = spec.source;
  return ctx.informer(sidecar.specs.claims).get({ namespace: metadata.namespace ?? "", name });
}

/** Holds the claim of a snapshot; false where it has changed meanwhile. */
export async function holdClaim({ ctx, sidecar }: Snapshotting, claim: PersistentVolumeClaim): Promise<boolean> {
  const { claimAsSource } = sidecar.names.snapshot;
  return (await withFinalizer(ctx.client, PersistentVolumeClaim, claim, claimAsSource)) !== undefined;
}

/** The snapshots of a claim that are not there yet. */
export function openSnapshots(
  snapshots: Informer<VolumeSnapshot, "Namespaced", "claim" | "class">,
  { metadata }: PersistentVolumeClaim,
): readonly VolumeSnapshot[] {
  const all = snapshots.by("claim", `${metadata.namespace}/${metadata.name}`);
  return all.filter(({ status }) => status?.readyToUse !== true);
}

/** Lets the claim of a snapshot go when all snapshots of it are there, or have gone. */
export async function releaseClaims(given: Snapshotting, without: VolumeSnapshot): Promise<void> {
  const { ctx, sidecar, specs } = given;
  const claim = sourceClaim(given);
  if (!claim || !hasFinalizer(claim, sidecar.names.snapshot.claimAsSource)) return;
  const isGoing = without.metadata.deletionTimestamp !== undefined;
  const open = openSnapshots(ctx.informer(specs.snapshots), claim).filter(
    (one) => !isGoing || one.metadata.uid !== without.metadata.uid,
  );
  if (open.length > 0) return;
  await removeFinalizer(ctx.client, PersistentVolumeClaim, claim, sidecar.names.snapshot.claimAsSource);
}
