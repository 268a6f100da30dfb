/**
 * What a cluster of the kit is for a test.
 *
 * @module
 */
import type { ApiObject, ApplyConfiguration, Client, Kind, Manifest, ObjectIn } from "../client/index.ts";
import type { Controller } from "../runtime/index.ts";
import type { Route } from "../server/index.ts";
import type { Log } from "../util/log.ts";
import type { TestClock } from "./clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ReportedEvent } from "./events.ts";
import type { Faults } from "./faults.ts";
import type { RunOptions, Running } from "./run.ts";
import type { SettleOptions } from "./settled.ts";
import type { Recording, RequestMatch, RequestRecord } from "./traffic.ts";

/** How a cluster is made; all of it has a default. */
export interface ClusterOptions {
  /** `kubernetes` by default. */
  readonly dialect?: "kubernetes" | "neutral";
  /**
   * The built-in controllers: `lifecycle` (namespaces and what belongs to them, expiry of Events), `all` that a server runs
   * by default, `none`, or those named; `lifecycle` by default.
   */
  readonly controllers?: "lifecycle" | "all" | "none" | readonly string[];
  /**
   * Steps of admission, by the names that kube-apiserver has for them, beside those that run by default, and which of those
   * do not: `{ enable: ["Priority"] }`.
   */
  readonly admission?: { readonly enable?: readonly string[]; readonly disable?: readonly string[] };
  /**
   * Whether roles decide what somebody may do, as they do on a server: `as()` may then do what bindings give. By default only
   * members of `system:masters` may do anything, and everything.
   */
  readonly rbac?: boolean;
  /** `virtual` by default: time moves when the test says so. */
  readonly clock?: "virtual" | "system";
  /** Where a virtual clock begins, RFC 3339; 2026-01-01T00:00:00Z by default. */
  readonly now?: string;
  /** What chance begins with: uids, names, jitter; 1 by default. */
  readonly seed?: number;
  /** A `snapshot()` to begin with; its time and its chance go on. */
  readonly from?: Uint8Array;
  /** Paths that the server answers beside its own. */
  readonly routes?: (cluster: () => Cluster) => readonly Route[];
  /** Where the server, and what was forgotten in a test, is told; warnings go to standard error by default. */
  readonly log?: Log;
}

declare const mark: unique symbol;

/** A moment of a cluster to which it can be reset. */
export interface Mark {
  readonly [mark]: true;
}

/** A cluster for tests. */
export interface Cluster extends AsyncDisposable {
  /** The test's own hand: the admin, whom no fault meets unless it asks for `origin: "test"`. */
  client(userAgent?: string): Client;
  /** Somebody else: a subject of faults and records, with the rights of the user and the groups. */
  as(user: { readonly user: string; readonly groups?: readonly string[] }): Client;
  /**
   * Applies objects in an order that works; files, folders, YAML and objects. Those of a namespaced kind without a
   * namespace go to `default`. What is there answers in the order in which it was given.
   *
   * @throws ApplyError with all that was refused, when all else has been applied
   */
  apply(...sources: readonly (string | Manifest)[]): Promise<readonly ApiObject[]>;
  apply<T extends ApiObject>(kind: Kind<T>, ...configs: readonly ApplyConfiguration<T>[]): Promise<readonly T[]>;
  /** Applies objects of one of several kinds: what all of them have in common is known. */
  apply<K extends Kind>(
    kind: K,
    ...configs: readonly ApplyConfiguration<ObjectIn<K>>[]
  ): Promise<readonly ObjectIn<K>[]>;
  /**
   * Runs controllers on the cluster's clock, as the admin by default; resolves when they run, or when nothing but the
   * clock brings them on: a slow first list, a crash.
   *
   * @throws Error where a kind is not served, or what they follow is refused
   */
  run(controllers: Controller | readonly Controller[], options?: RunOptions): Promise<Running>;
  /**
   * Resolves when nothing is under way: no request, no event on its way to a watch, no key of a controller. What waits for
   * the clock only is not under way.
   *
   * @throws NotSettled, HotLoop or ReconcileFailed
   */
  settled(options?: SettleOptions): Promise<void>;
  /** Work of the test's own that `settled()` waits for. */
  track<V>(work: Promise<V>): Promise<V>;
  readonly clock: TestClock;
  readonly faults: Faults;
  /** A second cluster that begins with what is stored here now, at once and in constant time; each is closed for itself. */
  fork(options?: { readonly seed?: number }): Cluster;
  /** This moment, to come back to. */
  mark(): Mark;
  /** Goes back: to how it was created or forked by default, under the same address. Prefer a fork. */
  reset(to?: Mark): Promise<void>;
  /** All that is stored, with time and chance, as bytes for `createCluster({ from })` in another process. */
  snapshot(): Uint8Array;
  /** The requests that were met since the beginning, the last 10,000 at most. */
  requests(match?: RequestMatch): readonly RequestRecord[];
  /** The requests that are met from now on. */
  record(match?: RequestMatch): Recording;
  /** What was reported with Events, about one object where it is given. */
  events(about?: ApiObject): Promise<readonly ReportedEvent[]>;
  /** Opens a port, for clients in other processes; any free one by default. */
  listen(options?: { readonly port?: number }): Promise<Endpoint>;
  /** Whether clients outside take part, in real time: a port is open, or the clock is that of the machine. */
  readonly realTime: boolean;
  /** The newest version of all that is stored. */
  readonly version: number;
  /** Resolves when something has been written after a version, or after some real time. */
  changed(since: number, withinMillis: number): Promise<void>;
  /** Ends everything; what was forgotten is told: faults that nothing met. */
  close(): Promise<void>;
}
