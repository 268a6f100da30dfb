/**
 * What the resizer and the modifier share: the volume of a claim, and the last response of the driver for it.
 *
 * @module
 */
import { keyText } from "../client/index.ts";
import { PersistentVolume, type PersistentVolumeClaim } from "../client/kinds/index.ts";
import { millisOf } from "../util/duration.ts";
import { isAccessible } from "./own-node.ts";
import type { SidecarContext } from "./sidecar.ts";

/** The last failed call for a claim. */
export interface LastCall {
  /** Whether the driver may still work on it. */
  readonly mayRun: boolean;
  /** The size or the class that the driver refused for good, and the time of that. */
  readonly refused?: { readonly target: string; readonly at: number };
}

/** What a reconcile of a claim has. */
export interface ClaimContext extends SidecarContext<PersistentVolumeClaim, "Namespaced"> {
  /** By the key of the claim. */
  readonly last: Map<string, LastCall>;
}

/** The volume of a bound claim; undefined where it is not one of this driver and its node. */
export async function volumeOfClaim({ ctx, sidecar }: ClaimContext): Promise<PersistentVolume | undefined> {
  const { spec, status, metadata } = ctx.object;
  const { volumeName: name = "" } = spec;
  if (status.phase !== "Bound" || name === "") return undefined;
  const known = ctx.informer(sidecar.specs.volumes).get({ name });
  const volume = known ?? (await ctx.client.resource(PersistentVolume).find({ name }));
  if (volume?.spec.csi?.driver !== sidecar.driver.name || volume.spec.claimRef?.uid !== metadata.uid) return undefined;
  return isAccessible(volume, sidecar.settings.node) ? volume : undefined;
}

/** Milliseconds before the driver may get a refused target again. */
export function remainingPause({ ctx, sidecar, last }: ClaimContext, target: string): number {
  const refused = last.get(keyText(ctx.key))?.refused;
  if (refused?.target !== target) return 0;
  return Math.max(0, refused.at + millisOf(sidecar.pace.backoff.most) - ctx.clock.steady());
}
