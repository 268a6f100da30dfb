/**
 * Attaches volumes to the nodes whose Pods need them, and detaches unneeded ones.
 *
 * It creates VolumeAttachments, which the attachers of drivers execute (CTL-OUT-4), and lists attached volumes in the
 * status of nodes. After a restart it continues from the objects (CTL-AD-18).
 */
import type { Dialect } from "../../../meta/dialect.ts";
import { type Controller, defineKeyController } from "../../../runtime/index.ts";
import { AttachMemory, attachSpecs } from "./memory.ts";
import { syncNode } from "./node.ts";
import { syncDisk } from "./disk.ts";

/** The settings of the attachdetach controller. */
export interface AttachSettings {
  /** Whether volumes are detached from nodes that are not ready for six minutes. Default true. */
  readonly forceDetach?: boolean;
}

/** The controller named `attachdetach`. */
export function attachDetach(dialect: Dialect, { forceDetach = true }: AttachSettings = {}): Controller {
  const specs = attachSpecs(dialect);
  return defineKeyController({
    name: "keelson-attachdetach",
    eventSource: "attachdetach-controller",
    uses: [specs.attachments, specs.pods, specs.claims, specs.volumes, specs.nodes, specs.drivers, specs.csiNodes],
    concurrency: 8,
    begin: (parts, add) => new AttachMemory(specs, parts, add),
    async reconcile(ctx) {
      const context = { ...ctx, forceDetach };
      // Volume handles may contain slashes.
      const name = ctx.key.slice(ctx.key.indexOf("/") + 1);
      return ctx.key.startsWith("node/") ? syncNode(context, name) : syncDisk(context, name);
    },
  });
}
