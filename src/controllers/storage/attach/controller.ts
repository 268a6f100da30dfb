/**
 * Attaches volumes to the nodes where Pods need them, and detaches them where nobody does any more.
 *
 * It asks for it by VolumeAttachments, which the attachers of drivers act on (CTL-OUT-4), and tells nodes what is attached. Little is
 * remembered that cannot be seen: whoever takes over goes by what there is (CTL-AD-18), and by what nodes used that are gone.
 *
 * @module
 */
import type { Dialect } from "../../../meta/dialect.ts";
import { type Controller, defineKeyController } from "../../../runtime/index.ts";
import { AttachMemory, attachSpecs } from "./memory.ts";
import { syncNode } from "./node.ts";
import { syncDisk } from "./disk.ts";

/** How volumes are attached and detached. */
export interface AttachSettings {
  /** Whether nodes that are not ready for six minutes lose volumes that they use. Default true. */
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
      // Handles of volumes may have slashes of their own.
      const name = ctx.key.slice(ctx.key.indexOf("/") + 1);
      return ctx.key.startsWith("node/") ? syncNode(context, name) : syncDisk(context, name);
    },
  });
}
