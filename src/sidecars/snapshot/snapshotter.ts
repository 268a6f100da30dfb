/**
 * The driver's part of snapshots: takes and deletes them as their contents ask.
 *
 * Before the driver is asked, a content is marked; the mark goes when it is stored what came of it. So a snapshot that is deleted
 * meanwhile leaves nothing behind.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import { type Controller, type ObjectEvent, defineController, watches } from "../../runtime/index.ts";
import type { Sidecar } from "../sidecar.ts";
import { dropSnapshot } from "./drop.ts";
import type { VolumeSnapshotContent } from "./kinds.ts";
import { contentNameOf, snapshotSpecs } from "./specs.ts";
import { takeSnapshot } from "./take.ts";

/** The controller named `keelson-snapshotter`. */
export function snapshotter(sidecar: Sidecar): Controller {
  const specs = snapshotSpecs(sidecar);
  const { driver, pace } = sidecar;
  const unclear = new Map<string, number>();
  return defineController({
    name: "keelson-snapshotter",
    eventSource: "csi-snapshotter",
    for: specs.contents,
    predicate: matters(sidecar),
    sources: [
      watches(specs.classes, ({ metadata }, informer) =>
        informer(specs.contents)
          .list()
          .filter(({ spec, status }) => spec.volumeSnapshotClassName === metadata.name && status?.readyToUse !== true)
          .map((one) => ({ name: one.metadata.name })),
      ),
      // Who took its finalizers off by hand told its content nothing.
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
      const given = { ctx, sidecar, specs, unclear };
      return ctx.object.metadata.deletionTimestamp === undefined ? takeSnapshot(given) : dropSnapshot(given);
    },
    gone: (key) => void unclear.delete(keyText(key)),
  });
}

/** What is written here starts nothing: neither what the status says, nor the mark of {@link takeSnapshot}. */
const matters =
  ({ names }: Sidecar) =>
  (event: ObjectEvent<VolumeSnapshotContent>): boolean => {
    if (event.type !== "changed") return true;
    const told = ({ spec, metadata }: VolumeSnapshotContent): string => {
      const { [names.snapshot.beingCreated]: _, ...annotations } = metadata.annotations ?? {};
      return JSON.stringify([spec, metadata.deletionTimestamp, annotations]);
    };
    return told(event.object) !== told(event.old);
  };
