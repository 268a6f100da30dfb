/**
 * The attacher: attaches volumes of its driver to nodes, and takes them off, as VolumeAttachments ask (CTL-OUT-4, DEC-54, VA-16..19).
 *
 * Both the attachment and its volume have a finalizer before the driver is asked, so that what may be attached is taken off before
 * either goes.
 *
 * @module
 */
import type { Key } from "../../client/index.ts";
import type { VolumeAttachment } from "../../client/kinds/index.ts";
import { type Controller, type ObjectEvent, type Source, defineController, watches } from "../../runtime/index.ts";
import type { Sidecar } from "../sidecar.ts";
import { attach, markAttached } from "./attach.ts";
import { detach, letGo } from "./detach.ts";

/** The controller named `keelson-attacher`. */
export function attacher(sidecar: Sidecar): Controller {
  const { specs, driver, pace, settings } = sidecar;
  const canAttach = driver.abilities.has("PUBLISH_UNPUBLISH_VOLUME");
  return defineController({
    name: "keelson-attacher",
    eventSource: "external-attacher",
    for: specs.attachments,
    predicate: matters,
    uses: [specs.volumes],
    sources: canAttach ? [ofNodes(sidecar)] : [],
    ...pace,
    async reconcile(ctx) {
      const { spec, metadata, status } = ctx.object;
      const isElsewhere = settings.node && settings.node.name !== spec.nodeName;
      if (spec.attacher !== driver.name || isElsewhere) return undefined;
      const given = { ctx, sidecar };
      if (metadata.deletionTimestamp !== undefined) return canAttach ? detach(given) : letGo(given);
      if (status.attached) return undefined;
      return canAttach ? attach(given) : markAttached(given, {});
    },
  });
}

/** Errors that are written here are no reason to try again at once. */
const matters = (event: ObjectEvent<VolumeAttachment>): boolean =>
  event.type !== "changed" ||
  event.object.status.attached !== event.old.status.attached ||
  event.object.metadata.deletionTimestamp !== event.old.metadata.deletionTimestamp;

/** A node on which the driver is registered now may be what attachments wait for. */
const ofNodes = ({ specs, driver }: Sidecar): Source<Key<"Cluster">> =>
  watches(specs.csiNodes, ({ metadata }, informer) =>
    informer(specs.attachments)
      .by("node", metadata.name)
      .filter(({ spec, status }) => spec.attacher === driver.name && !status.attached)
      .map((one) => ({ name: one.metadata.name })),
  );
