/**
 * The parts of a cluster, and its interface.
 *
 * @module
 */
import type { AdmissionStep } from "../admission/contract.ts";
import type { PluginChoice } from "../admission/names.ts";
import type { ServiceMap } from "../admission/webhooks/address.ts";
import type { Authenticator, Authorizer, Identity, AuthContext } from "../auth/contract.ts";
import type { TokenSigner } from "../auth/service-account-tokens.ts";
import type { Client } from "../client/index.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { KindSet } from "../kinds/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { TrialReport } from "../meta/trial-report.ts";
import type { Gates } from "../meta/gates.ts";
import type { ServiceRanges } from "../meta/service-ranges.ts";
import type { Kinds, RegistryOptions, UnreadableRecord } from "../registry/index.ts";
import type { Controller } from "../runtime/index.ts";
import type { ResourceDefinition } from "../schema/definition.ts";
import type { ServerHandle, ServerOptions } from "../server/index.ts";
import type { Simulation } from "../simulation/index.ts";
import type { Store } from "../storage/contract.ts";
import type { TrialParts } from "../trial/index.ts";
import type { Value } from "../value/value.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import type { CurrentSpan } from "../util/span.ts";

/** The parts from which a cluster is built. */
export interface ClusterParts {
  /** Where objects are stored; the caller closes it after the cluster. */
  readonly store: Store;
  readonly dialect: Dialect;
  /** Those of the dialect by default. */
  readonly gates?: Gates;
  /** The addresses and ports for Services. */
  readonly serviceRanges?: ServiceRanges;
  /** Whether containers may be privileged, or use namespaces of the node; they may by default. */
  readonly allowsPrivileged?: boolean;
  /** The machine's by default. */
  readonly clock?: Clock;
  /** The clock of sockets, threads, locks and credentials, where that of {@link ClusterParts.clock} runs faster; the same by default. */
  readonly wallClock?: Clock;
  /** Names and uids of objects; the machine's by default. */
  readonly random?: Random;
  /**
   * Random numbers that are not stored: jitter, ids of requests. The same as `random` by default; with a generator of its own, reads do not
   * change the names and uids that follow.
   */
  readonly chance?: Random;
  /** Nothing is logged by default. */
  readonly log?: Log;
  /** The built-in kinds; all by default. */
  readonly kinds?: KindSet | undefined;
  /** The built-in kinds by default. */
  readonly definitions?: readonly ResourceDefinition[];
  /** Recognises the credentials of requests; without it only {@link Cluster.client} has access. */
  readonly authenticator?: (context: AuthContext) => Authenticator;
  /** By default, members of `system:masters` may do everything, and other users nothing. */
  readonly authorizer?: (context: AuthContext) => Authorizer;
  /** Whether default roles exist, where roles decide: {@link Cluster.makeRoles} creates them. None by default. */
  readonly defaultRoles?: boolean;
  /** Signs tokens of service accounts; called for each token. */
  readonly signer?: () => TokenSigner;
  /** The enabled steps of admission; those of a server of the dialect by default. */
  readonly plugins?: PluginChoice;
  /** Additional steps of admission. */
  readonly steps?: readonly AdmissionStep[];
  readonly cache?: RegistryOptions["cache"];
  /**
   * Whether cache and pools are compared with the store at intervals; they are by default. A fork that lives for seconds does not need it.
   */
  readonly checks?: boolean;
  /** Whether requests run by priority and fairness (APF-9); they do by default. Otherwise reads and writes are only counted (APF-22). */
  readonly fairness?: boolean;
  /** Calls webhooks; over HTTPS by default. */
  readonly hooks?: Hooks;
  /** The span of which calls of webhooks are parts; none by default. */
  readonly currentSpan?: CurrentSpan;
  /** Services of webhooks that listen at other addresses than those of their objects. */
  readonly services?: ServiceMap | undefined;
  /** The simulation of nodes, where there is one; its controllers run with those of {@link Cluster.simulationControllers}. */
  readonly simulation?: () => Simulation | undefined;
  /** Parts of the server besides those that the cluster passes to it. */
  readonly server?: Partial<
    Pick<
      ServerOptions,
      | "health"
      | "filters"
      | "routes"
      | "programs"
      | "collectors"
      | "limits"
      | "compress"
      | "version"
      | "activity"
      | "faults"
    >
  >;
}

/** The options of a trial of policies. */
export interface TryOptions {
  /** The user of the trial: objects that this user may not list are left out. The admin by default. */
  readonly identity: Identity;
  /** The number of findings that are reported in detail; 20 by default. */
  readonly limit: number;
  /** Aborts the trial. */
  readonly signal: AbortSignal;
}

/** The parts of a fork: a fork of the store, and the parts that differ from the cluster's. */
export type ForkParts = Partial<ClusterParts> & Pick<ClusterParts, "store">;

/** The state of a cluster at one time, for any number of forks. */
export interface KeptCluster {
  readonly dialect: Dialect;
  /**
   * A cluster over a fork of the moment's store; the time for it does not depend on the number of stored objects. It has the kinds that
   * were served then and the parts of that cluster, except those that are passed; no watches and no controllers.
   */
  fork(parts: ForkParts): Cluster;
}

/** A cluster that serves requests. */
export interface Cluster extends AsyncDisposable {
  readonly store: Store;
  readonly dialect: Dialect;
  /** The served kinds: they may be added, changed and removed. */
  readonly kinds: Kinds;
  /** The records that cannot be read: encrypted with a missing key, or damaged. */
  unreadable(): readonly UnreadableRecord[];
  /** Reads those again, when they may have become readable; resolves to the number of readable ones. */
  readAgain(): Promise<number>;
  /** The server: exchanges, requests of this process, ports. */
  readonly server: ServerHandle;
  /**
   * Creates the default roles, and repairs those that lack rules; only once, even if it is called again. Resolves when they exist, or when
   * some could not be created and are retried; `/readyz` fails until they exist. Has no effect without {@link ClusterParts.defaultRoles}.
   */
  makeRoles(): Promise<void>;
  /** A client in the same process, as the admin by default. */
  client(userAgent: string, identity?: Identity): Client;
  /**
   * Tries policies on all stored objects and on every write of the history; nothing is stored. Rejects with 400 or 422
   * for documents that the server would refuse.
   *
   * @param documents policies, their bindings, and objects that exist only in the trial
   */
  tryPolicies(documents: readonly Value[], options?: Partial<TryOptions>): Promise<TrialReport>;
  /** The parts that trials of policies need. */
  trialParts(): TrialParts;
  /** The number of stored simulated nodes. */
  simulatedNodes(): Promise<number>;
  /** The controllers of the simulation, and the server of the metrics of its nodes; none without a simulation. */
  simulationControllers(): readonly Controller[];
  /** The state of this cluster, for forks; `store` is a fork of its store that does not change. */
  keep(store: Store, clock: Clock): KeptCluster;
  /**
   * Runs controllers on one manager; resolves when each has synced, or is on standby. Where several servers share the store, `isShared`,
   * they elect the one that runs them. Objects of informers are frozen, so that tests find code that changes them; not where `freeze` is
   * false.
   */
  start(
    controllers: readonly Controller[],
    options?: { readonly isShared?: boolean; readonly freeze?: boolean },
  ): Promise<void>;
  /**
   * Stops controllers, ends watches, lets requests complete within `graceMillis` (10 s by default) and stops following
   * the store. The store stays open.
   */
  close(graceMillis?: number): Promise<void>;
}
