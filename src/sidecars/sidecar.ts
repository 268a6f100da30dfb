/**
 * What every sidecar of a driver is made of.
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { Duration } from "../util/duration.ts";
import type { Clock } from "../util/clock.ts";
import { type Caller, called } from "./call.ts";
import type { Call, DriverCalls, StorageDriver } from "./contract.ts";
import type { OwnNode } from "./own-node.ts";
import { type SidecarNames, sidecarNames } from "./names.ts";
import { type SidecarKinds, type SidecarSpecs, sidecarKinds, sidecarSpecs } from "./specs.ts";

/** What may be set of the sidecars of a driver. */
export interface SidecarSettings {
  /** How long a call may take before it is given up and made again. Default 10 s. */
  readonly timeout?: Duration;
  /** The waits after failures. Default 1 s, doubled up to 5 m. */
  readonly retry?: { readonly first?: Duration; readonly most?: Duration };
  /** Calls of one sort side by side. Default 100. */
  readonly workers?: number;
  /** The file system of volumes whose class names none. Default none. */
  readonly defaultFsType?: string;
  /** Whether a driver is told the names of claims, volumes and snapshots with what it makes. */
  readonly extraCreateMetadata?: boolean;
  /** Whether it is told them with what it modifies, among the parameters of the attributes class. */
  readonly extraModifyMetadata?: boolean;
  /** Whether only the place of a selected node is told, in place of all with that first. */
  readonly strictTopology?: boolean;
  /** Whether claims that do not wait for a node are told of all places. Default true. */
  readonly immediateTopology?: boolean;
  /** Whether volumes that are only read are published so. */
  readonly controllerPublishReadOnly?: boolean;
  /** How names of volumes begin. Default `pvc`. */
  readonly volumeNamePrefix?: string;
  /** How names of snapshots begin. Default `snapshot`. */
  readonly snapshotNamePrefix?: string;
  /** Where capacity objects are written, and how often they are looked at anew; none are written without it. */
  readonly capacity?: CapacitySettings | undefined;
  /** The only node whose volumes are looked after, for a driver that has the disks of that; all without it. */
  readonly node?: OwnNode | undefined;
  /** What volumes say of the process that made them. Default the name of the driver. */
  readonly identity?: string;
}

/** See {@link SidecarSettings}. */
export interface CapacitySettings {
  readonly namespace: string;
  /** Default 1 m. */
  readonly pollInterval?: Duration;
  /** Whether classes that bind at once have capacity objects, too. */
  readonly forImmediateBinding?: boolean;
}

/** Hears of classes of which volumes were made, or could not be: their capacity may be another. */
export class CapacityNews {
  readonly #listeners = new Set<(storageClass: string) => void>();

  on(listener: (storageClass: string) => void): Disposable {
    const own = (storageClass: string): void => listener(storageClass);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  tell(storageClass: string): void {
    for (const listener of this.#listeners) listener(storageClass);
  }
}

/** See the head of this file. */
export interface Sidecar {
  readonly driver: StorageDriver;
  readonly dialect: Dialect;
  readonly names: SidecarNames;
  readonly specs: SidecarSpecs;
  readonly kinds: SidecarKinds;
  readonly settings: SidecarSettings;
  readonly caller: Caller;
  readonly capacityNews: CapacityNews;
  /** How a controller that calls the driver works. */
  readonly pace: {
    readonly concurrency: number;
    readonly timeout: Duration;
    readonly backoff: { readonly first: Duration; readonly most: Duration };
  };
}

/** Puts a sidecar together. */
export function sidecarOf(
  driver: StorageDriver,
  {
    dialect,
    clock,
    settings,
  }: { readonly dialect: Dialect; readonly clock: Clock; readonly settings: SidecarSettings },
  timeoutMillis: number,
): Sidecar {
  const names = sidecarNames(dialect, driver.name, settings.node);
  const { first = "1s", most = "5m" } = settings.retry ?? {};
  return {
    driver,
    dialect,
    names,
    settings,
    specs: sidecarSpecs(dialect),
    kinds: sidecarKinds(dialect, names),
    caller: { clock, timeoutMillis },
    capacityNews: new CapacityNews(),
    pace: {
      concurrency: settings.workers ?? 100,
      // A reconcile makes at most two calls; the rest is for the server.
      timeout: 2 * timeoutMillis + 60_000,
      backoff: { first, most },
    },
  };
}

/** Makes a call of the driver. @throws CallError */
export const callOf =
  ({ driver, caller }: Pick<Sidecar, "driver" | "caller">, signal: AbortSignal) =>
  <T>(name: string, call: (calls: DriverCalls, how: Call) => Promise<T>): Promise<T> =>
    called(caller, name, signal, (own) => call(driver.calls, { signal: own }));
