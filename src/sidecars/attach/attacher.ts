/**
 * The attacher: attaches volumes of its driver to nodes and detaches them, as VolumeAttachments say (CTL-OUT-4, DEC-54,
 * VA-16..19).
 *
 * The attachment and its volume get a finalizer before the call. So a volume that may be attached is detached before either
 * is gone.
 *
 * @module
 */
import type { Key } from "../../client/index.ts";
import type { VolumeAttachment } from "../../client/kinds/index.ts";
import { type Controller, type Source, defineController, watches } from "../../runtime/index.ts";
import { type Sidecar, changesOf } from "../sidecar.ts";
import { attach, markAttached } from "./attach.ts";
import { detach, release } from "./detach.ts";

/** The controller named `keelson-attacher`. */
export function attacher(sidecar: Sidecar): Controller {
  const { specs, driver, pace, settings } = sidecar;
  const canAttach = driver.abilities.has("PUBLISH_UNPUBLISH_VOLUME");
  return defineController({
    name: "keelson-attacher",
    eventSource: "external-attacher",
    for: specs.attachments,
    // The attacher itself writes errors into the status: they start no reconcile.
    predicate: changesOf<VolumeAttachment>(({ status, metadata }) => [status.attached, metadata.deletionTimestamp]),
    uses: [specs.volumes],
    sources: canAttach ? [ofNodes(sidecar)] : [],
    ...pace,
    async reconcile(ctx) {
      const { spec, metadata, status } = ctx.object;
      const isElsewhere = settings.node && settings.node.name !== spec.nodeName;
      if (spec.attacher !== driver.name || isElsewhere) return undefined;
      const context = { ctx, sidecar };
      if (metadata.deletionTimestamp !== undefined) return canAttach ? detach(context) : release(context);
      if (status.attached) return undefined;
      return canAttach ? attach(context) : markAttached(context, {});
    },
  });
}

/** Attachments to a node may wait until the driver is registered there. */
const ofNodes = ({ specs, driver }: Sidecar): Source<Key<"Cluster">> =>
  watches(specs.csiNodes, ({ metadata }, informer) =>
    informer(specs.attachments)
      .by("node", metadata.name)
      .filter(({ spec, status }) => spec.attacher === driver.name && !status.attached)
      .map((one) => ({ name: one.metadata.name })),
  );
