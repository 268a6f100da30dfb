/**
 * A driver over its socket, as sidecars ask it.
 *
 * @module
 */
import type { Driver } from "../csi/driver.ts";
import type { Ability, StorageDriver } from "./contract.ts";

/** Asks a driver who it is and what it can do. @throws DriverError */
export async function storageDriver(driver: Driver, signal?: AbortSignal): Promise<StorageDriver> {
  const how = { signal };
  const [{ name }, plugin, controller, node] = await Promise.all([
    driver.info(how),
    driver.pluginCapabilities(how),
    driver.controllerCapabilities(how),
    driver.nodeCapabilities(how),
  ]);
  const { controller: calls } = driver;
  return {
    name,
    abilities: new Set<Ability>([
      ...controller,
      ...[...plugin].map((one) => `PLUGIN_${one}` as const),
      ...[...node].map((one) => `NODE_${one}` as const),
    ]),
    calls: {
      createVolume: (request, call) => calls.createVolume(request, call),
      deleteVolume: (request, call) => calls.deleteVolume(request, call),
      controllerPublishVolume: (request, call) => calls.controllerPublishVolume(request, call),
      controllerUnpublishVolume: (request, call) => calls.controllerUnpublishVolume(request, call),
      controllerExpandVolume: (request, call) => calls.controllerExpandVolume(request, call),
      controllerModifyVolume: (request, call) => calls.controllerModifyVolume(request, call),
      getCapacity: (request, call) => calls.getCapacity(request, call),
      createSnapshot: (request, call) => calls.createSnapshot(request, call),
      deleteSnapshot: (request, call) => calls.deleteSnapshot(request, call),
      listSnapshots: (request, call) => calls.listSnapshots(request, call),
    },
  };
}
