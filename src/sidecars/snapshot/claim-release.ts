/**
 * Removes the finalizer of claims whose snapshots were deleted by force while they were taken.
 *
 * @module
 */
import { PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { type Controller, defineController, watches } from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import type { Sidecar } from "../sidecar.ts";
import type { VolumeSnapshot } from "./kinds.ts";
import { openSnapshots } from "./source-claims.ts";
import { snapshotSpecs } from "./specs.ts";

/** The controller named `keelson-snapshot-claim-release`. */
export function claimRelease(sidecar: Sidecar): Controller {
  const specs = snapshotSpecs(sidecar);
  const { claimAsSource } = sidecar.names.snapshot;
  return defineController({
    name: "keelson-snapshot-claim-release",
    for: sidecar.specs.claims,
    predicate: (event) => event.type !== "changed" && hasFinalizer(event.object, claimAsSource),
    sources: [
      watches(
        specs.snapshots,
        ({ metadata, spec }) => {
          const { persistentVolumeClaimName: name } = spec.source;
          return name === undefined ? [] : [{ namespace: metadata.namespace ?? "", name }];
        },
        (event) => event.type === "deleted",
      ),
    ],
    async reconcile({ object, informer, client }) {
      if (!hasFinalizer(object, claimAsSource) || openSnapshots(informer(specs.snapshots), object).length > 0) return;
      // The informer may have the claim, and not yet the snapshot that needs it.
      const { namespace = "", name } = object.metadata;
      const { items } = await client.resource(specs.kinds.snapshot).list({ namespace });
      const isOpen = ({ spec, status }: VolumeSnapshot): boolean =>
        spec.source.persistentVolumeClaimName === name && status?.readyToUse !== true;
      if (items.some(isOpen)) return;
      await removeFinalizer(client, PersistentVolumeClaim, object, claimAsSource);
    },
  });
}
