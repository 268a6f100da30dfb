/**
 * The API of a test cluster.
 *
 * @module
 */
import type { ApiObject, ApplyConfiguration, Client, Kind, Manifest, ObjectIn, PlanReport } from "../client/index.ts";
import type { Gate } from "../meta/gates.ts";
import type { TrialReport } from "../meta/trial-report.ts";
import type { Node } from "../client/kinds/index.ts";
import type { Controller } from "../runtime/index.ts";
import type { Route } from "../server/index.ts";
import type { ImageScript, NodeOptions } from "../simulation/index.ts";
import type { Log } from "../util/log.ts";
import type { TestClock } from "./clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ReportedEvent } from "./events.ts";
import type { Faults } from "./faults.ts";
import type { RunOptions, Running } from "./run.ts";
import type { TestSimulation } from "./simulated.ts";
import type { SettleOptions } from "./settled.ts";
import type { TestWebhook, WebhookHandler, WebhookOptions } from "./webhooks.ts";
import type { Recording, RequestMatch, RequestRecord } from "./traffic.ts";

/** The options of a cluster; all have defaults. */
export interface ClusterOptions {
  /** `kubernetes` by default. */
  readonly dialect?: "kubernetes" | "neutral";
  /**
   * The built-in controllers: `lifecycle` (namespaces and their content, expiry of Events), `all` default controllers of a server,
   * `none`, or a list of names; `lifecycle` by default. Simulated nodes bring the scheduler with `lifecycle` and `all`; if
   * this is not set, they bring all.
   */
  readonly controllers?: "lifecycle" | "all" | "none" | readonly string[];
  /**
   * Networks whose addresses Services of the type LoadBalancer get, at most one of each family: `["192.0.2.0/24"]`. By default
   * none gets one.
   */
  readonly loadBalancerAddresses?: readonly string[];
  /**
   * Admission plugins to enable in addition to those of the kit, which are fewer than those of a server, and those of the kit to
   * disable, by the names of kube-apiserver: `{ enable: ["Priority"] }`. With `nodes` there is `DefaultTolerationSeconds`, too, so that
   * Pods stay on a lost node for five minutes.
   */
  readonly admission?: { readonly enable?: readonly string[]; readonly disable?: readonly string[] };
  /**
   * Whether RBAC authorizes requests, as on a server: users of `as()` may do what their bindings allow. By default only members
   * of `system:masters` may do something, which is everything.
   */
  readonly rbac?: boolean;
  /** Feature gates, where they differ from the defaults of the dialect: `{ ClusterTrustBundle: true }`. */
  readonly featureGates?: Readonly<Partial<Record<Gate, boolean>>>;
  /** `virtual` by default: only the test moves the time. */
  readonly clock?: "virtual" | "system";
  /** The start of a virtual clock, RFC 3339; 2026-01-01T00:00:00Z by default. */
  readonly now?: string;
  /** The seed of random numbers, for UIDs, names and jitter; 1 by default. */
  readonly seed?: number;
  /** Simulated nodes from the start, as {@link Cluster.nodes} adds them; none by default. */
  readonly nodes?: number | (NodeOptions & { readonly count: number });
  /** A `snapshot()` to start from; its time and random numbers continue. */
  readonly from?: Uint8Array;
  /** Further routes of the server. */
  readonly routes?: (cluster: () => Cluster) => readonly Route[];
  /** The log of the server and of the cluster; by default warnings and errors go to standard error. */
  readonly log?: Log;
}

declare const mark: unique symbol;

/** A state of a cluster for `reset()`. */
export interface Mark {
  readonly [mark]: true;
}

/** A cluster for tests. */
export interface Cluster extends AsyncDisposable {
  /** Returns the client of the test itself, as the admin. Only faults with `origin: "test"` apply to it. */
  client(userAgent?: string): Client;
  /** Returns the client of another user, whose requests are subject to faults and recorded. */
  as(user: { readonly user: string; readonly groups?: readonly string[] }): Client;
  /**
   * Applies files, folders, YAML and objects in a working order; the default namespace is `default`. Resolves to the objects in
   * the given order.
   *
   * @throws ApplyError with all refused objects, after all others were applied
   */
  apply(...sources: readonly (string | Manifest)[]): Promise<readonly ApiObject[]>;
  apply<T extends ApiObject>(kind: Kind<T>, ...configs: readonly ApplyConfiguration<T>[]): Promise<readonly T[]>;
  /** Applies objects of a union of kinds. */
  apply<K extends Kind>(
    kind: K,
    ...configs: readonly ApplyConfiguration<ObjectIn<K>>[]
  ): Promise<readonly ObjectIn<K>[]>;
  /**
   * Plans files, folders, YAML and objects as one, as the manager of {@link Cluster.apply}: nothing is stored. Refused documents are part
   * of the report. The status of objects is not part of a plan.
   */
  plan(...sources: readonly (string | Manifest)[]): Promise<PlanReport>;
  /**
   * Applies the same as one: all objects are stored at one revision, or none. Resolves to the objects in the given order.
   *
   * @throws StatusError of the first refused object; its `plan` has the outcome of each
   */
  applyAll(...sources: readonly (string | Manifest)[]): Promise<readonly ApiObject[]>;
  /**
   * Runs controllers on the clock of the cluster, as the admin by default; resolves when they run, or when they wait for the
   * clock, as after a slow list or a crash.
   *
   * @throws Error if a kind is not served, or their informers are refused
   */
  run(controllers: Controller | readonly Controller[], options?: RunOptions): Promise<Running>;
  /**
   * Resolves when no work is running: no request, no event for a watch, no key of a controller. Work that waits for the clock is not
   * running.
   *
   * @throws NotSettled, HotLoop or ReconcileFailed
   */
  settled(options?: SettleOptions): Promise<void>;
  /** Makes `settled()` wait for work of the test. */
  track<V>(work: Promise<V>): Promise<V>;
  /**
   * Creates a webhook whose calls run a function of the test, and its configuration:
   * `cluster.webhook({ name: "pods.example.com", for: Pod }, ({ object }) => ({ allowed: object?.metadata.labels !== undefined }))`.
   *
   * @throws StatusError where the configuration is refused
   */
  webhook<T extends ApiObject>(options: WebhookOptions<T>, handler: WebhookHandler<T>): Promise<TestWebhook>;
  /**
   * Adds simulated nodes, whose Pods live without containers: `cluster.nodes(3, { zone: ["a", "b"], capacity: { cpu: "4" } })`. The
   * controllers that their Pods need run from now on ({@link ClusterOptions.controllers}). Resolves to the new nodes.
   */
  nodes(count: number, options?: NodeOptions): Promise<readonly Node[]>;
  /**
   * Sets the behaviour of the containers of an image: `cluster.image("db", async (ctx) => { await ctx.ready({ after: "5s" }); })`. The
   * image is an exact name, a name without tag, or a prefix with `*`. A script that throws fails {@link Cluster.settled}.
   */
  image(pattern: string, script: ImageScript): void;
  /**
   * Adds Stages of kwok, which then move the Pods or nodes without a script: files, folders or texts.
   *
   * @throws Error that names file, stage and field
   */
  stages(...sources: readonly string[]): void;
  /** Faults of simulated nodes, and the logs, commands and requests of their Pods. */
  readonly simulation: TestSimulation;
  readonly clock: TestClock;
  readonly faults: Faults;
  /**
   * Tries admission policies on everything that is stored and on every write so far; nothing is stored.
   *
   * @param documents policies, with bindings, params and namespaces or without: files, folders, YAML and objects
   * @throws Error for documents that the server would refuse
   */
  tryPolicies(...documents: readonly (string | Manifest)[]): Promise<TrialReport>;
  /** Creates a second cluster with the same state, in constant time; each must be closed. */
  fork(options?: { readonly seed?: number }): Cluster;
  /** Returns the current state for `reset()`. */
  mark(): Mark;
  /** Resets the cluster, by default to its initial state; its address stays. A fork is usually better. */
  reset(to?: Mark): Promise<void>;
  /** Returns the state, with time and random numbers, as bytes for `createCluster({ from })` in another process. */
  snapshot(): Uint8Array;
  /** Returns the recorded requests, the last 10,000 at most. */
  requests(match?: RequestMatch): readonly RequestRecord[];
  /** Records the requests from now on. */
  record(match?: RequestMatch): Recording;
  /** Returns the Events, or those about one object. */
  events(about?: ApiObject): Promise<readonly ReportedEvent[]>;
  /** Opens a port for clients in other processes; a free one by default. */
  listen(options?: { readonly port?: number }): Promise<Endpoint>;
  /** Whether real time matters: a port is open, or the clock is that of the machine. */
  readonly realTime: boolean;
  /** The current revision of the store. */
  readonly version: number;
  /** Resolves when something is written after a version, or after a real time. */
  changed(since: number, withinMillis: number): Promise<void>;
  /** Closes the cluster, and warns of faults that no request has hit. */
  close(): Promise<void>;
}
