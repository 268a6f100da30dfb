/**
 * The modifier: gives volumes of its driver the attributes of the class that their claim names (CTL-OUT-9, DEC-59, MVS-1..4).
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { PersistentVolume, type PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { type Controller, type ObjectEvent, type Result, defineController, watches } from "../../runtime/index.ts";
import { isReached } from "../own-node.ts";
import type { Sidecar } from "../sidecar.ts";
import type { LastModification, Modifying } from "./given.ts";
import { modify } from "./modify.ts";

/** The controller named `keelson-modifier`. */
export function modifier(sidecar: Sidecar): Controller {
  const { specs, pace } = sidecar;
  const last = new Map<string, LastModification>();
  return defineController({
    name: "keelson-modifier",
    eventSource: "external-resizer",
    for: specs.claims,
    uses: [specs.volumes],
    predicate: matters,
    // A class that comes is what claims wait for.
    sources: [
      watches(specs.attributes, ({ metadata }, informer) =>
        informer(specs.claims)
          .by("attributes", metadata.name)
          .map((claim) => ({ namespace: claim.metadata.namespace ?? "", name: claim.metadata.name })),
      ),
    ],
    ...pace,
    reconcile: (ctx) => reconcile({ ctx, sidecar, last }),
    gone: (key) => void last.delete(keyText(key)),
  });
}

function matters(event: ObjectEvent<PersistentVolumeClaim>): boolean {
  if (event.type !== "changed") return true;
  const told = ({ spec, status }: PersistentVolumeClaim): string =>
    JSON.stringify([
      spec.volumeAttributesClassName,
      spec.volumeName,
      status.phase,
      status.currentVolumeAttributesClassName,
    ]);
  return told(event.object) !== told(event.old);
}

async function reconcile(given: Modifying): Promise<Result> {
  const { ctx, sidecar } = given;
  const { spec, status, metadata } = ctx.object;
  const { volumeName: name = "" } = spec;
  if (status.phase !== "Bound" || name === "") return undefined;
  const known = ctx.informer(sidecar.specs.volumes).get({ name });
  const volume = known ?? (await ctx.client.resource(PersistentVolume).find({ name }));
  if (volume?.spec.csi?.driver !== sidecar.driver.name || volume.spec.claimRef?.uid !== metadata.uid) return undefined;
  return isReached(volume, sidecar.settings.node) ? modify(given, volume) : undefined;
}
