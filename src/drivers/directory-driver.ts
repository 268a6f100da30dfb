/**
 * A CSI driver whose volumes are directories or disk images below one directory of one machine: for experiments, for tests,
 * and for a machine that has only its own disk. Its settings choose which parts of the interface it has.
 *
 * @module
 */
import type { DriverServices } from "../csi/serve.ts";
import { controllerPublish } from "./directory/controller-publish.ts";
import { controllerSnapshots } from "./directory/controller-snapshots.ts";
import { controllerVolumes } from "./directory/controller-volumes.ts";
import { controllerCapabilities, identity, nodeInfo } from "./directory/capabilities.ts";
import { nodePublishing } from "./directory/node-publishing.ts";
import { nodeStaging } from "./directory/node-staging.ts";
import { nodeVolumes } from "./directory/node-volumes.ts";
import { type DirectoryDriverSettings, fullSettings } from "./directory/settings.ts";
import { openContext } from "./directory/driver-context.ts";

export { type DirectoryDriverSettings, type Feature, defaultFeatures } from "./directory/settings.ts";

/**
 * Opens the directory and returns the services of the driver for `serveDriver`. Rejects for invalid settings, and where
 * disk images cannot be mounted.
 */
export async function directoryDriver(
  settings: DirectoryDriverSettings,
): Promise<Required<Pick<DriverServices, "identity" | "controller" | "node">>> {
  const context = await openContext(fullSettings(settings));
  return {
    identity: identity(context),
    controller: {
      ...controllerCapabilities(context),
      ...controllerVolumes(context),
      ...controllerPublish(context),
      ...controllerSnapshots(context),
    },
    node: { ...nodeInfo(context), ...nodeStaging(context), ...nodePublishing(context), ...nodeVolumes(context) },
  };
}
