/**
 * The resizer: enlarges volumes of its driver when their claims ask for more (CTL-OUT-5, DEC-58, RSZ-1..4).
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { PersistentVolume, type PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { capacityOf, requestOf } from "../../claims/fit.ts";
import { claimCapacity, isGrowing, stateOf } from "../../claims/resize.ts";
import { AGAIN, write } from "../../runtime/writes.ts";
import { annotated } from "../../meta/annotations.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import { type Controller, type ObjectEvent, type Result, defineController } from "../../runtime/index.ts";
import { isReached } from "../own-node.ts";
import type { Sidecar } from "../sidecar.ts";
import { expand } from "./expand.ts";
import type { LastResize, Resizing } from "./given.ts";
import { STATE } from "./states.ts";

/** The controller named `keelson-resizer`. */
export function resizer(sidecar: Sidecar): Controller {
  const { specs, pace, names } = sidecar;
  const last = new Map<string, LastResize>();
  return defineController({
    name: "keelson-resizer",
    eventSource: "external-resizer",
    for: specs.claims,
    uses: [specs.volumes],
    // What is written here starts nothing.
    predicate: (event) => matters(event, new Set([STATE.inProgress, STATE.nodePending, names.resizeRefused])),
    ...pace,
    reconcile: (ctx) => reconcile({ ctx, sidecar, last }),
    gone: (key) => void last.delete(keyText(key)),
  });
}

function matters(event: ObjectEvent<PersistentVolumeClaim>, own: ReadonlySet<string>): boolean {
  if (event.type !== "changed") return true;
  const told = (claim: PersistentVolumeClaim): string =>
    JSON.stringify([requestOf(claim), claimCapacity(claim), claim.status.phase, claim.spec.volumeName]);
  const [now, before] = [stateOf(event.object), stateOf(event.old)];
  return told(event.object) !== told(event.old) || (now !== before && !own.has(now ?? ""));
}

async function reconcile(given: Resizing): Promise<Result> {
  const { ctx, sidecar } = given;
  const claim = ctx.object;
  const { volumeName: name = "" } = claim.spec;
  if (claim.status.phase !== "Bound" || name === "") return undefined;
  const known = ctx.informer(sidecar.specs.volumes).get({ name });
  const volume = known ?? (await ctx.client.resource(PersistentVolume).find({ name }));
  const isOurs = volume?.spec.csi?.driver === sidecar.driver.name;
  const isBound = volume?.spec.claimRef?.uid === claim.metadata.uid;
  if (!volume || !isOurs || !isBound || !isReached(volume, sidecar.settings.node)) return undefined;
  const unmarked = await withoutMark(given, volume);
  if (!unmarked) return AGAIN;
  return isGrowing(claim) ? expand(given, unmarked) : undefined;
}

/** Takes off a volume what its claim had before, once a node has enlarged the rest. */
async function withoutMark(
  { ctx, sidecar }: Resizing,
  volume: PersistentVolume,
): Promise<PersistentVolume | undefined> {
  const { beforeResize } = sidecar.names;
  const isMarked = volume.metadata.annotations?.[beforeResize] !== undefined;
  if (!isMarked || compareQuantities(claimCapacity(ctx.object), capacityOf(volume)) < 0) return volume;
  return write(ctx.client, PersistentVolume, annotated(volume, { [beforeResize]: undefined }));
}
