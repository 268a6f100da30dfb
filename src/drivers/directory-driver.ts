/**
 * A CSI driver whose volumes are directories, or images of disks, below a directory of one machine: for trying things, for
 * tests, and for a machine that has only its own disk. Which parts of the interface it has can be chosen.
 *
 * @module
 */
import type { DriverServices } from "../csi/serve.ts";
import { controllerPublish } from "./directory/controller-publish.ts";
import { controllerSnapshots } from "./directory/controller-snapshots.ts";
import { controllerVolumes } from "./directory/controller-volumes.ts";
import { controllerCapabilities, identity, nodeIntroduction } from "./directory/introduction.ts";
import { nodePublishing } from "./directory/node-publishing.ts";
import { nodeStaging } from "./directory/node-staging.ts";
import { nodeVolumes } from "./directory/node-volumes.ts";
import { type DirectoryDriverSettings, fullSettings } from "./directory/settings.ts";
import { openShop } from "./directory/shop.ts";

export { type DirectoryDriverSettings, type Feature, defaultFeatures } from "./directory/settings.ts";

/**
 * Opens the directory and makes the services of the driver, to be served by `serveDriver`. Rejects for settings that
 * cannot be, and where images are asked for and cannot be mounted.
 */
export async function directoryDriver(
  settings: DirectoryDriverSettings,
): Promise<Required<Pick<DriverServices, "identity" | "controller" | "node">>> {
  const shop = await openShop(fullSettings(settings));
  return {
    identity: identity(shop),
    controller: {
      ...controllerCapabilities(shop),
      ...controllerVolumes(shop),
      ...controllerPublish(shop),
      ...controllerSnapshots(shop),
    },
    node: { ...nodeIntroduction(shop), ...nodeStaging(shop), ...nodePublishing(shop), ...nodeVolumes(shop) },
  };
}
