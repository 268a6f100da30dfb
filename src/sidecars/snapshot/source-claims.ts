/**
 * Keeps the source claims of snapshots until the snapshots are taken.
 *
 * @module
 */
import { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import type { Informer } from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer, withFinalizer } from "../finalizers.ts";
import type { VolumeSnapshot } from "./kinds.ts";
import type { SnapshotContext } from "./specs.ts";

/** The source claim of a snapshot. */
export function sourceClaim({ ctx, sidecar }: SnapshotContext): PersistentVolumeClaim | undefined {
  const { metadata, spec } = ctx.object;
  const { persistentVolumeClaimName: name = "" } = spec.source;
  return ctx.informer(sidecar.specs.claims).get({ namespace: metadata.namespace ?? "", name });
}

/** Adds the finalizer to a source claim; false where it has changed meanwhile. */
export async function holdClaim({ ctx, sidecar }: SnapshotContext, claim: PersistentVolumeClaim): Promise<boolean> {
  const { claimAsSource } = sidecar.names.snapshot;
  return (await withFinalizer(ctx.client, PersistentVolumeClaim, claim, claimAsSource)) !== undefined;
}

/** The snapshots of a claim that are not taken yet. */
export function openSnapshots(
  snapshots: Informer<VolumeSnapshot, "Namespaced", "claim" | "class">,
  { metadata }: PersistentVolumeClaim,
): readonly VolumeSnapshot[] {
  const all = snapshots.by("claim", `${metadata.namespace}/${metadata.name}`);
  return all.filter(({ status }) => status?.readyToUse !== true);
}

/** Removes the finalizer of the source claim when all its snapshots are taken or deleted. */
export async function releaseClaims(context: SnapshotContext, without: VolumeSnapshot): Promise<void> {
  const { ctx, sidecar, specs } = context;
  const claim = sourceClaim(context);
  if (!claim || !hasFinalizer(claim, sidecar.names.snapshot.claimAsSource)) return;
  const isDeleted = without.metadata.deletionTimestamp !== undefined;
  const open = openSnapshots(ctx.informer(specs.snapshots), claim).filter(
    (one) => !isDeleted || one.metadata.uid !== without.metadata.uid,
  );
  if (open.length > 0) return;
  await removeFinalizer(ctx.client, PersistentVolumeClaim, claim, sidecar.names.snapshot.claimAsSource);
}
