/**
 * The stored objects at one moment, as plain JSON.
 *
 * @module
 */

/** An object as it is stored: plain JSON. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generateName?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly apiVersion: string;
      readonly kind: string;
      readonly name: string;
      readonly uid: string;
      readonly controller?: boolean;
    }[];
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

/** A volume or snapshot that a storage driver has. */
export interface DriverObject {
  readonly kind: "Volume" | "Snapshot";
  /** The id that the driver gave. */
  readonly id: string;
  /** The name that the sidecar requested, if it is known. */
  readonly name?: string;
  /** A digest of the data, where it can be read. */
  readonly data?: string;
}

/**
 * The stored objects when a step is at rest. Objects that were there before the scenario and are unchanged are left out; so are
 * Events, and Leases of leader election.
 */
export interface State {
  /** In the order of group, kind, namespace and name. */
  readonly objects: readonly StoredObject[];
  /** The state of the storage driver; absent without one. */
  readonly driver?: readonly DriverObject[];
}
