/**
 * The snapshotter: takes and deletes snapshots of the driver as their contents say.
 *
 * A content gets an annotation before the call, which is removed when the result is stored. So a snapshot that is deleted
 * meanwhile leaves nothing behind.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { type Controller, defineController, watches } from "../../runtime/index.ts";
import { type Sidecar, changesOf } from "../sidecar.ts";
import { dropSnapshot } from "./drop.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import { contentNameOf, snapshotSpecs } from "./specs.ts";
import { takeSnapshot } from "./take.ts";

/** The controller named `keelson-snapshotter`. */
export function snapshotter(sidecar: Sidecar): Controller {
  const specs = snapshotSpecs(sidecar);
  const { driver, pace, names } = sidecar;
  const unclear = new Map<string, number>();
  return defineController({
    name: "keelson-snapshotter",
    eventSource: "csi-snapshotter",
    for: specs.contents,
    // The snapshotter itself writes the status and this annotation: they start no reconcile.
    predicate: changesOf<VolumeSnapshotContent>(({ spec, metadata }) => [
      spec,
      metadata.deletionTimestamp,
      { ...metadata.annotations, [names.snapshot.beingCreated]: undefined },
    ]),
    sources: [
      watches(specs.classes, ({ metadata }, informer) =>
        informer(specs.contents)
          .list()
          .filter(({ spec, status }) => spec.volumeSnapshotClassName === metadata.name && status?.readyToUse !== true)
          .map((one) => ({ name: one.metadata.name })),
      ),
      // A snapshot that was deleted by force has not marked its content.
      watches(
        specs.snapshots,
        (snapshot) =>
          [snapshot.status?.boundVolumeSnapshotContentName, contentNameOf(snapshot)]
            .filter((name) => name !== undefined)
            .map((name) => ({ name })),
        (event) => event.type === "deleted",
      ),
    ],
    ...pace,
    async reconcile(ctx) {
      if (ctx.object.spec.driver !== driver.name) return undefined;
      const context = { ctx, sidecar, specs, unclear };
      return ctx.object.metadata.deletionTimestamp === undefined ? takeSnapshot(context) : dropSnapshot(context);
    },
    gone: (key) => void unclear.delete(keyText(key)),
  });
}
