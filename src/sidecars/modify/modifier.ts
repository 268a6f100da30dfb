/**
 * The modifier: changes volumes of its driver to the attributes class that their claim names (CTL-OUT-9, DEC-59, MVS-1..4).
 *
 * @module
 */
import { keyOf, keyText } from "../../client/index.ts";
import type { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { type Controller, defineController, watches } from "../../runtime/index.ts";
import { type LastCall, volumeOfClaim } from "../claim-context.ts";
import { type Sidecar, changesOf } from "../sidecar.ts";
import { modify } from "./modify.ts";

/** The controller named `keelson-modifier`. */
export function modifier(sidecar: Sidecar): Controller {
  const { specs, pace } = sidecar;
  const last = new Map<string, LastCall>();
  return defineController({
    name: "keelson-modifier",
    eventSource: "external-resizer",
    for: specs.claims,
    uses: [specs.volumes],
    predicate: changesOf<PersistentVolumeClaim>(({ spec, status }) => [
      spec.volumeAttributesClassName,
      spec.volumeName,
      status.phase,
      status.currentVolumeAttributesClassName,
    ]),
    // Claims may wait for a class.
    sources: [
      watches(specs.attributes, ({ metadata }, informer) =>
        informer(specs.claims)
          .by("attributes", metadata.name)
          .map((claim) => keyOf<"Namespaced">(claim)),
      ),
    ],
    ...pace,
    async reconcile(ctx) {
      const context = { ctx, sidecar, last };
      const volume = await volumeOfClaim(context);
      return volume && modify(context, volume);
    },
    gone: (key) => void last.delete(keyText(key)),
  });
}
