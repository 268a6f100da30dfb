/** The end of reclaiming: the volume is available, or has failed. */
import { PersistentVolume } from "../../../client/kinds/index.ts";
import type { Result } from "../../../runtime/index.ts";
import { REQUEUE_SOON, write } from "../../../runtime/writes.ts";
import { annotated } from "../../../meta/annotations.ts";
import type { BinderContext } from "./claims.ts";
import { setPhase } from "./phases.ts";
import { errorText } from "../../../util/cut-text.ts";

/** Removes the claimRef that the binder wrote, or only the uid of one that a user wrote. */
export async function makeAvailable(ctx: BinderContext, volume: PersistentVolume): Promise<Result> {
  const { boundByController } = ctx.memory.specs.names;
  const { claimRef, ...spec } = volume.spec;
  const isOurs = volume.metadata.annotations?.[boundByController] !== undefined;
  const { uid: _, ...reservation } = claimRef!;
  const free = isOurs
    ? annotated({ ...volume, spec }, { [boundByController]: undefined })
    : { ...volume, spec: { ...spec, claimRef: reservation } };
  const written = await write(ctx.client, PersistentVolume, free);
  return written && (await setPhase(ctx.client, written, "Available")) ? undefined : REQUEUE_SOON;
}

/** Writes that reclaiming has failed, once for each reason. */
export async function fail(
  ctx: BinderContext,
  volume: PersistentVolume,
  reason: string,
  said: string,
): Promise<Result> {
  const why = errorText(said);
  if (volume.status.phase === "Failed" && volume.status.message === why) return undefined;
  if (!(await setPhase(ctx.client, volume, "Failed", why))) return REQUEUE_SOON;
  ctx.event("Warning", volume, reason, why);
  return undefined;
}
