/**
 * What making volumes of drivers works with.
 *
 * @module
 */
import type { CSIDriver, Pod } from "../../client/kinds/index.ts";
import type { Driver } from "../../csi/driver.ts";
import type { Informer } from "../../runtime/index.ts";
import type { KeyedLock } from "../../util/keyed-lock.ts";
import type { TokenOptions } from "../../volumes/contract.ts";
import { type NeededVolume, type NodeGround, VolumeError } from "../contract.ts";
import type { Ledger } from "./ledger.ts";
import type { CsiNames } from "./names.ts";
import type { Places } from "./places.ts";
import type { Waits } from "./waits.ts";

/** Gives the tokens of Pods, and asks for new ones in time (NODE-37). */
export interface PodTokens {
  /** A token of the Pod's account, bound to the Pod, and when it ends, as RFC 3339 says it. */
  get(pod: Pod, wish: TokenOptions): Promise<{ readonly token: string; readonly expirationTimestamp: string }>;
}

/** Gives everything below a path to a group (NODE-39, NODE-40). */
export type ApplyGroup = (
  path: string,
  wish: { readonly gid: number; readonly readOnly?: boolean; readonly changePolicy?: string | undefined },
  options: { readonly signal: AbortSignal },
) => Promise<void>;

/** What is not the same on every node. */
export interface CsiSettings {
  readonly tokens: PodTokens;
  readonly applyGroup: ApplyGroup;
  /** Whether the node has SELinux (NODE-43). Default false. */
  readonly hasSELinux?: boolean | undefined;
}

/** See the head of this file. */
export interface Parts extends Required<CsiSettings> {
  readonly ground: NodeGround;
  readonly names: CsiNames;
  readonly places: Places;
  readonly ledger: Ledger;
  readonly objects: Pick<Informer<CSIDriver, "Cluster">, "get">;
  /** The drivers that are registered. */
  readonly drivers: { driver(name: string): Driver | undefined };
  /** One operation at a time for each volume of a driver. */
  readonly locks: KeyedLock;
  readonly waits: Waits;
}

/** What one operation works with. */
export interface Operation extends Parts {
  readonly signal: AbortSignal;
}

/** The operation of a volume that a Pod needs. */
export interface SetUp extends Operation {
  readonly needed: NeededVolume;
}

/**
 * A driver that is registered (NODE-29).
 *
 * @throws VolumeError where it is not
 */
export function registered(drivers: Parts["drivers"], name: string): Driver {
  const driver = drivers.driver(name);
  if (driver) return driver;
  throw new VolumeError(
    `driver name ${name} not found in the list of registered CSI drivers: nothing in plugins_registry has made it known`,
  );
}

/** What a call failed with, as it is told on the Pod; what it failed with first is its cause. */
export function told(error: unknown): VolumeError {
  if (error instanceof VolumeError) return error;
  return new VolumeError(error instanceof Error ? error.message : String(error), { cause: error });
}
