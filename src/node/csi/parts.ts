/**
 * The parts of the CSI plugin.
 *
 * @module
 */
import type { CSIDriver, Pod } from "../../client/kinds/index.ts";
import type { Driver } from "../../csi/driver.ts";
import type { Informer } from "../../runtime/index.ts";
import type { KeyedLock } from "../../util/keyed-lock.ts";
import type { TokenOptions } from "../../volumes/contract.ts";
import { type NeededVolume, type PluginContext, VolumeError } from "../contract.ts";
import type { RecordStore } from "./record-store.ts";
import type { CsiNames } from "./names.ts";
import type { CsiPaths } from "./csi-paths.ts";
import type { Waits } from "./waits.ts";
import { messageOf } from "../../util/error.ts";

/** Returns the tokens of Pods, and renews them in time (NODE-37). */
export interface PodTokens {
  /** A token of the Pod's service account that is bound to the Pod, and its end as RFC 3339. */
  get(pod: Pod, wish: TokenOptions): Promise<{ readonly token: string; readonly expirationTimestamp: string }>;
}

/** Applies a group to everything below a path (NODE-39, NODE-40). */
export type ApplyGroup = (
  path: string,
  wish: { readonly gid: number; readonly readOnly?: boolean; readonly changePolicy?: string | undefined },
  options: { readonly signal: AbortSignal },
) => Promise<void>;

/** Settings that differ between nodes. */
export interface CsiSettings {
  readonly tokens: PodTokens;
  readonly applyGroup: ApplyGroup;
  /** Whether the node has SELinux (NODE-43). Default false. */
  readonly hasSELinux?: boolean | undefined;
}

/** See the head of this file. */
export interface Parts extends Required<CsiSettings> {
  readonly context: PluginContext;
  readonly names: CsiNames;
  readonly paths: CsiPaths;
  readonly records: RecordStore;
  readonly objects: Pick<Informer<CSIDriver, "Cluster">, "get">;
  /** The registered drivers. */
  readonly drivers: { driver(name: string): Driver | undefined };
  /** Runs one operation at a time for each volume of a driver. */
  readonly locks: KeyedLock;
  readonly waits: Waits;
}

/** The context of one operation. */
export interface Operation extends Parts {
  readonly signal: AbortSignal;
}

/** The context of a volume that a Pod needs. */
export interface SetUp extends Operation {
  readonly needed: NeededVolume;
}

/** A registered driver (NODE-29). @throws VolumeError where it is not registered */
export function registered(drivers: Parts["drivers"], name: string): Driver {
  const driver = drivers.driver(name);
  if (driver) return driver;
  throw new VolumeError(
    `driver name ${name} not found in the list of registered CSI drivers: expected its socket in plugins_registry`,
  );
}

/** An error as one of the volume, with the original as its cause. */
export function asVolumeError(error: unknown): VolumeError {
  if (error instanceof VolumeError) return error;
  return new VolumeError(messageOf(error), { cause: error });
}
