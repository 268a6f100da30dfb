/**
 * A driver over its socket, as sidecars call it.
 *
 * @module
 */
import type { Driver } from "../csi/driver.ts";
import type { Ability, StorageDriver } from "./contract.ts";

/** Requests the name and the capabilities of a driver. @throws DriverError */
export async function storageDriver(driver: Driver, signal?: AbortSignal): Promise<StorageDriver> {
  const options = { signal };
  const [{ name }, plugin, controller, node] = await Promise.all([
    driver.info(options),
    driver.pluginCapabilities(options),
    driver.controllerCapabilities(options),
    driver.nodeCapabilities(options),
  ]);
  const abilities = new Set<Ability>([
    ...controller,
    ...[...plugin].map((one) => `PLUGIN_${one}` as const),
    ...[...node].map((one) => `NODE_${one}` as const),
  ]);
  return { name, abilities, calls: driver.controller };
}
