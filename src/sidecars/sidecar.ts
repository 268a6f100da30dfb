/**
 * What every sidecar of a driver has.
 *
 * @module
 */
import type { ApiObject, Scope } from "../client/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { CommonContext } from "../runtime/definition.ts";
import type { Context, ObjectEvent } from "../runtime/index.ts";
import type { Clock } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";
import { type CallOptions, called } from "./call.ts";
import type { DriverMethods, StorageDriver } from "./contract.ts";
import { type SidecarNames, sidecarNames } from "./names.ts";
import type { OwnNode } from "./own-node.ts";
import { type SidecarKinds, type SidecarSpecs, sidecarKinds, sidecarSpecs } from "./specs.ts";

/** The settings of the sidecars of a driver. */
export interface SidecarSettings {
  /** After which a call times out and is repeated. Default 10 s. */
  readonly timeout?: Duration;
  /** The waits after failures. Default 1 s, doubled up to 5 m. */
  readonly retry?: { readonly first?: Duration; readonly most?: Duration };
  /** How many calls of one kind run at once. Default 100. */
  readonly workers?: number;
  /** The file system of volumes whose class names none. Default none. */
  readonly defaultFsType?: string;
  /** Whether a driver gets the names of claims, volumes and snapshots when it creates something. */
  readonly extraCreateMetadata?: boolean;
  /** Whether a driver gets these names when it modifies a volume, among the parameters of the attributes class. */
  readonly extraModifyMetadata?: boolean;
  /** Whether a driver gets only the topology of a selected node, instead of all with that one first. */
  readonly strictTopology?: boolean;
  /** Whether a driver gets all topologies for claims that do not wait for a node. Default true. */
  readonly immediateTopology?: boolean;
  /** Whether read-only volumes are published as such. */
  readonly controllerPublishReadOnly?: boolean;
  /** The prefix of the names of volumes. Default `pvc`. */
  readonly volumeNamePrefix?: string;
  /** The prefix of the names of snapshots. Default `snapshot`. */
  readonly snapshotNamePrefix?: string;
  /** Settings of capacity objects; none are written without it. */
  readonly capacity?: CapacitySettings | undefined;
  /** The only node whose volumes count, for a driver with the disks of one node. Default: all nodes. */
  readonly node?: OwnNode | undefined;
  /** The identity of this process in the attributes of its volumes. Default: the name of the driver. */
  readonly identity?: string;
}

/** The settings of capacity objects. */
export interface CapacitySettings {
  readonly namespace: string;
  /** How often the capacity is requested from the driver. Default 1 m. */
  readonly pollInterval?: Duration;
  /** Whether classes that bind at once have capacity objects, too. */
  readonly forImmediateBinding?: boolean;
}

/**
 * Notifies observers of storage classes whose capacity may have changed: a volume was created or deleted, or could not be.
 */
export class CapacityChanges {
  readonly #observers = new Set<(storageClass: string) => void>();

  onChange(observer: (storageClass: string) => void): Disposable {
    const own = (storageClass: string): void => observer(storageClass);
    this.#observers.add(own);
    return { [Symbol.dispose]: () => void this.#observers.delete(own) };
  }

  notify(storageClass: string): void {
    for (const observer of this.#observers) observer(storageClass);
  }
}

/** See the head of this file. */
export interface Sidecar {
  readonly driver: StorageDriver;
  readonly names: SidecarNames;
  readonly specs: SidecarSpecs;
  readonly kinds: SidecarKinds;
  readonly settings: SidecarSettings;
  readonly callOptions: CallOptions;
  readonly capacityChanges: CapacityChanges;
  /** The pace of a controller that calls the driver. */
  readonly pace: {
    readonly concurrency: number;
    readonly timeout: Duration;
    readonly backoff: { readonly first: Duration; readonly most: Duration };
  };
}

/** Creates a sidecar from its parts. */
export function sidecarOf(driver: StorageDriver, dialect: Dialect, clock: Clock, settings: SidecarSettings): Sidecar {
  const names = sidecarNames(dialect, driver.name, settings.node);
  const timeoutMillis = millisOf(settings.timeout ?? "10s");
  const { first = "1s", most = "5m" } = settings.retry ?? {};
  return {
    driver,
    names,
    settings,
    specs: sidecarSpecs(dialect),
    kinds: sidecarKinds(dialect, names),
    callOptions: { clock, timeoutMillis },
    capacityChanges: new CapacityChanges(),
    pace: {
      concurrency: settings.workers ?? 100,
      // A reconcile makes at most two calls of the driver; the rest is for calls of the server.
      timeout: 2 * timeoutMillis + 60_000,
      backoff: { first, most },
    },
  };
}

/** The context of a reconcile, and its sidecar. */
export interface SidecarContext<T extends ApiObject, S extends Scope> {
  readonly ctx: Context<T, S>;
  readonly sidecar: Sidecar;
}

/** Calls the driver. @throws CallError */
export const callDriver = <M extends keyof DriverMethods>(
  { ctx, sidecar }: { readonly ctx: Pick<CommonContext, "signal">; readonly sidecar: Sidecar },
  method: M,
  request: DriverMethods[M][0],
): Promise<DriverMethods[M][1]> =>
  called(sidecar.callOptions, method, ctx.signal, (call) => sidecar.driver.calls[method](request, call));

/** A predicate for new and deleted objects, and for changes of one part of an object. */
export const changesOf =
  <T>(part: (object: T) => unknown) =>
  (event: ObjectEvent<T>): boolean =>
    event.type !== "changed" || JSON.stringify(part(event.object)) !== JSON.stringify(part(event.old));
