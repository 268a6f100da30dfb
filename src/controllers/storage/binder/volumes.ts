/** Synchronizes a volume: its phase by its claim, and reclaiming after the deletion of the claim. */
import { PersistentVolume, PersistentVolumeClaim } from "../../../client/kinds/index.ts";
import type { Result } from "../../../runtime/index.ts";
import { REQUEUE_SOON, write } from "../../../runtime/writes.ts";
import { annotated } from "../../../meta/annotations.ts";
import type { BinderContext } from "./claims.ts";
import { reclaimActionOf } from "../../../claims/reclaim.ts";
import { makeAvailable } from "./release.ts";
import { namedClaim } from "../../../claims/claim-ref.ts";
import { reclaim, withFinalizers } from "./reclaim.ts";
import { setPhase } from "./phases.ts";
import { stopRecycling } from "./recycle.ts";
import { decideVolume } from "../../../claims/volume-decision.ts";

/** Synchronizes a volume (CTL-BIND-2, 28..35, 42; CTL-RECLAIM-1..6). */
export async function syncVolume(ctx: BinderContext, found: PersistentVolume): Promise<Result> {
  const marked = await withMigrationMark(ctx, found);
  const volume = marked && (await withFinalizers(ctx, marked));
  if (!volume) return REQUEUE_SOON;
  const claim = volume.spec.claimRef?.uid ? await claimOf(ctx, volume) : undefined;
  const decision = decideVolume(volume, claim, ctx.memory.names);
  const isEmptied = decision.is === "released" && reclaimActionOf(volume, ctx.memory.specs).is === "recycled";
  if (!isEmptied) await stopRecycling(ctx, volume);
  switch (decision.is) {
    case "available":
      return phase(ctx, volume, "Available");
    case "bound":
      return phase(ctx, volume, "Bound");
    case "awaited":
      return undefined;
    case "misfit":
      for (const object of claim ? [volume, claim] : [volume])
        ctx.event("Warning", object, "VolumeMismatch", decision.note);
      return undefined;
    case "released":
      return release(ctx, volume);
    case "given back":
      return makeAvailable(ctx, volume);
  }
}

async function phase({ client }: BinderContext, volume: PersistentVolume, name: string): Promise<Result> {
  return (await setPhase(client, volume, name)) ? undefined : REQUEUE_SOON;
}

/** Returns the claim of a volume; asks the server where memory may not have it yet. */
async function claimOf(
  { memory, client }: BinderContext,
  volume: PersistentVolume,
): Promise<PersistentVolumeClaim | undefined> {
  const key = namedClaim(volume);
  if (!key) return undefined;
  const uid = volume.spec.claimRef?.uid;
  const known = memory.claims.get(key);
  if (known?.metadata.uid === uid) return known;
  if (volume.status.phase === "Released" || volume.status.phase === "Failed") return undefined;
  const found = await client.resource(PersistentVolumeClaim).find(key);
  return found?.metadata.uid === uid ? found : undefined;
}

/** Releases a volume; one that could not be reclaimed stays Failed (CTL-RECLAIM-1, 13). */
async function release(ctx: BinderContext, volume: PersistentVolume): Promise<Result> {
  const released = volume.status.phase === "Failed" ? volume : await setPhase(ctx.client, volume, "Released");
  return released ? reclaim(ctx, released) : REQUEUE_SOON;
}

/** Sets or removes the migrated-to annotation of a volume (CTL-PROV-9). */
async function withMigrationMark(
  { client, memory }: BinderContext,
  volume: PersistentVolume,
): Promise<PersistentVolume | undefined> {
  const { names, migration } = memory.specs;
  const { annotations = {} } = volume.metadata;
  const provisioner = annotations[names.provisionedBy];
  if (provisioner === undefined) return volume;
  const driver = migration.driverOf(provisioner);
  if (annotations[migration.annotation] === driver) return volume;
  return write(client, PersistentVolume, annotated(volume, { [migration.annotation]: driver }));
}
