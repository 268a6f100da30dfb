/**
 * The sidecars of a storage driver: controllers between a driver and a server. Each is a client like any other.
 *
 *     const sidecars = sidecarsOf(driver, { dialect, clock });
 *     createManager({ client, name: "keelson-csi", countedEvents: true }).add(...sidecars);
 *
 * They do the work of external-provisioner, external-attacher, external-resizer and external-snapshotter, use the same
 * names, and can replace them one by one. They have no sockets: `contract.ts` is the interface of a driver.
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { Controller } from "../runtime/index.ts";
import type { Clock } from "../util/clock.ts";
import { attacher } from "./attach/attacher.ts";
import { volumeRelease } from "./attach/volume-release.ts";
import { capacity } from "./capacity/capacity.ts";
import type { StorageDriver } from "./contract.ts";
import { modifier } from "./modify/modifier.ts";
import { deleter } from "./provision/deleter.ts";
import { provisioner } from "./provision/provisioner.ts";
import { sourceProtection } from "./provision/source-protection.ts";
import { resizer } from "./resize/resizer.ts";
import { type Sidecar, type SidecarSettings, sidecarOf } from "./sidecar.ts";
import { claimRelease } from "./snapshot/claim-release.ts";
import { snapshotController } from "./snapshot/controller.ts";
import { snapshotter } from "./snapshot/snapshotter.ts";

export type { SidecarSettings } from "./sidecar.ts";

/** The sidecars by their names, with a sentence about each. */
export const SIDECARS = {
  provisioner: "Makes volumes for claims, deletes those that are released, and tells how much room there is.",
  attacher: "Attaches volumes to nodes, and takes them off.",
  resizer: "Enlarges volumes.",
  modifier: "Gives volumes the attributes of the class that their claim names.",
  snapshotter: "Takes snapshots, and deletes them.",
  "snapshot-controller": "Gives snapshots of the driver their contents; not together with another snapshot controller.",
} as const;

/** The name of a sidecar. */
export type SidecarName = keyof typeof SIDECARS;

/** Options of {@link sidecarsOf}. */
export interface SidecarOptions {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly settings?: SidecarSettings;
  /** Which sidecars; all by default. Those that the driver does not support are left out. */
  readonly only?: readonly SidecarName[];
}

/** The controllers of the sidecars of a driver, for one manager. */
export function sidecarsOf(driver: StorageDriver, options: SidecarOptions): readonly Controller[] {
  const { dialect, clock, settings = {}, only = Object.keys(SIDECARS) as readonly SidecarName[] } = options;
  const sidecar = sidecarOf(driver, dialect, clock, settings);
  return only.flatMap((name) => CONTROLLERS[name](sidecar));
}

const CONTROLLERS: Readonly<Record<SidecarName, (sidecar: Sidecar) => readonly Controller[]>> = {
  provisioner(sidecar) {
    const { driver, settings } = sidecar;
    if (!driver.abilities.has("CREATE_DELETE_VOLUME")) return [];
    const forCapacity = settings.capacity && driver.abilities.has("GET_CAPACITY");
    const counts = forCapacity ? [capacity(sidecar, settings.capacity)] : [];
    return [provisioner(sidecar), deleter(sidecar), ...sourceProtection(sidecar), ...counts];
  },
  attacher: (sidecar) => [attacher(sidecar), volumeRelease(sidecar)],
  resizer: (sidecar) =>
    (["EXPAND_VOLUME", "NODE_EXPAND_VOLUME"] as const).some((ability) => sidecar.driver.abilities.has(ability))
      ? [resizer(sidecar)]
      : [],
  modifier: (sidecar) => (sidecar.driver.abilities.has("MODIFY_VOLUME") ? [modifier(sidecar)] : []),
  snapshotter: (sidecar) => [snapshotter(sidecar)],
  "snapshot-controller": (sidecar) => [snapshotController(sidecar), claimRelease(sidecar)],
};
