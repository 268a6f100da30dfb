/**
 * Removes the attacher's finalizer of volumes that are deleted and not attached any more.
 *
 * @module
 */
import { PersistentVolume } from "../../client/kinds/index.ts";
import { type Controller, defineController, watches } from "../../runtime/index.ts";
import { hasFinalizer, removeFinalizer } from "../finalizers.ts";
import { type Sidecar, changesOf } from "../sidecar.ts";

/** The controller named `keelson-volume-release`. */
export function volumeRelease({ specs, names }: Sidecar): Controller {
  return defineController({
    name: "keelson-volume-release",
    for: specs.volumes,
    predicate: changesOf<PersistentVolume>(({ metadata }) => metadata.deletionTimestamp),
    sources: [
      watches(
        specs.attachments,
        ({ spec }) => {
          const { persistentVolumeName: name } = spec.source;
          return name ? [{ name }] : [];
        },
        (event) => event.type === "deleted",
      ),
    ],
    async reconcile({ object, informer, client, key }) {
      if (object.metadata.deletionTimestamp === undefined || !hasFinalizer(object, names.attached)) return;
      if (informer(specs.attachments).by("volume", key.name).length > 0) return;
      await removeFinalizer(client, PersistentVolume, object, names.attached);
    },
  });
}
