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

/** What a cluster is made of. */
export interface ClusterParts {
  /** Where objects are kept; the caller closes it after the cluster. */
  readonly store: Store;
  readonly dialect: Dialect;
  /** Those of the dialect by default. */
  readonly gates?: Gates;
  /** The addresses and ports that Services are given. */
  readonly serviceRanges?: ServiceRanges;
  /** Whether containers may be privileged, and processes of the node; they may by default. */
  readonly allowsPrivileged?: boolean;
  /** The machine's by default. */
  readonly clock?: Clock;
  /** The time of sockets, threads, locks and credentials, where that of {@link ClusterParts.clock} passes faster; the same by default. */
  readonly wallClock?: Clock;
  /** Names and uids of objects; the machine's by default. */
  readonly random?: Random;
  /**
   * What is not stored: jitter, ids of requests. The same as `random` by default; one of its own leaves names and uids as they are, however
   * often something is read.
   */
  readonly chance?: Random;
  /** Nothing is logged by default. */
  readonly log?: Log;
  /** Which built-in kinds there are; all by default. */
  readonly kinds?: KindSet | undefined;
  /** The built-in kinds by default. */
  readonly definitions?: readonly ResourceDefinition[];
  /** Recognises the credentials of requests; without it only {@link Cluster.client} gets in. */
  readonly authenticator?: (context: AuthContext) => Authenticator;
  /** By default, members of `system:masters` may do everything, and other users nothing. */
  readonly authorizer?: (context: AuthContext) => Authorizer;
  /** Whether there are roles from the start, where roles decide: {@link Cluster.makeRoles} makes them. None by default. */
  readonly defaultRoles?: boolean;
  /** Signs tokens of service accounts; called for each token. */
  readonly signer?: () => TokenSigner;
  /** Which steps of admission run; those of a server of the dialect by default. */
  readonly plugins?: PluginChoice;
  /** Steps of admission that are added to them. */
  readonly steps?: readonly AdmissionStep[];
  readonly cache?: RegistryOptions["cache"];
  /** Whether cache and pools are compared with the store from time to time; they are by default. A fork that lives for seconds needs it not. */
  readonly checks?: boolean;
  /** Whether requests run by priority and fairness (APF-9); by default. Else reads and writes are only counted (APF-22). */
  readonly fairness?: boolean;
  /** Asks webhooks; over HTTPS by default. */
  readonly hooks?: Hooks;
  /** The span of which calls of webhooks are parts; none by default. */
  readonly currentSpan?: CurrentSpan;
  /** Services of webhooks that listen elsewhere than their objects say. */
  readonly services?: ServiceMap | undefined;
  /** The simulation of nodes, once there is one; its controllers run with those of {@link Cluster.simulationControllers}. */
  readonly simulation?: () => Simulation | undefined;
  /** What the server is given beside what the cluster gives it. */
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

/** How policies are tried. */
export interface TryOptions {
  /** Who tries: what this user may not list is left out. The admin by default. */
  readonly identity: Identity;
  /** How many findings are reported in detail; 20 by default. */
  readonly limit: number;
  /** Ends the trial. */
  readonly signal: AbortSignal;
}

/** What a fork has of its own: a fork of the store, and whatever else is not as it was. */
export type ForkParts = Partial<ClusterParts> & Pick<ClusterParts, "store">;

/** The state of a cluster at one time, for any number of forks. */
export interface KeptCluster {
  readonly dialect: Dialect;
  /**
   * A cluster over a fork of the moment's store, in a time that does not depend on how much is stored. It has the kinds that
   * were served then and the parts of that cluster, where it is not given its own; no watches and no controllers.
   */
  fork(parts: ForkParts): Cluster;
}

/** A cluster that answers. */
export interface Cluster extends AsyncDisposable {
  readonly store: Store;
  readonly dialect: Dialect;
  /** The kinds that it serves: they come, change and go. */
  readonly kinds: Kinds;
  /** The records that cannot be read now: encrypted with a key that is not there, or damaged. */
  unreadable(): readonly UnreadableRecord[];
  /** Reads those again, when there is reason to believe that they can be read now; resolves to how many can. */
  readAgain(): Promise<number>;
  /** The server: exchanges, requests of this process, ports. */
  readonly server: ServerHandle;
  /**
   * Makes the roles that are there from the start and puts right those that lack something; once, however often it is called.
   * Resolves when they are there, or when not all could be made and are tried again; `/readyz` fails until they are. Nothing
   * to do without {@link ClusterParts.defaultRoles}.
   */
  makeRoles(): Promise<void>;
  /** A client in the same process, in the name of the admin by default. */
  client(userAgent: string, identity?: Identity): Client;
  /**
   * Tries policies on everything that is stored and on every write of the history; nothing is stored. Rejects with 400 or 422
   * for documents that the server would refuse.
   *
   * @param documents policies, their bindings, and objects that are there for the trial
   */
  tryPolicies(documents: readonly Value[], options?: Partial<TryOptions>): Promise<TrialReport>;
  /** What trials of policies are made of. */
  trialParts(): TrialParts;
  /** The number of simulated nodes that are stored. */
  simulatedNodes(): Promise<number>;
  /** The controllers of the simulation, and who serves the metrics of its nodes; none without one. */
  simulationControllers(): readonly Controller[];
  /** The state of this cluster, for forks; `store` is a fork of its store that does not change. */
  keep(store: Store, clock: Clock): KeptCluster;
  /**
   * Runs controllers on one manager; resolves when each has seen what there is, or stands by. Where several servers share
   * the store, `isShared`, they elect who runs them. What informers give out is frozen, so
   * that tests find who writes to it; not where `freeze` is false.
   */
  start(
    controllers: readonly Controller[],
    options?: { readonly isShared?: boolean; readonly freeze?: boolean },
  ): Promise<void>;
  /**
   * Stops controllers, ends watches, lets requests finish within `graceMillis` (10 s by default) and stops following
   * the store. The store stays open.
   */
  close(graceMillis?: number): Promise<void>;
}
