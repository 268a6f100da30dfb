/**
 * The server inside a test cluster: new, from a snapshot, or from a moment of another cluster.
 *
 * @module
 */
import type { Authenticator, AuthContext } from "../auth/contract.ts";
import { authorizerOf } from "../auth/authorizer.ts";
import type { TokenSigner } from "../auth/service-account-tokens.ts";
import { type Cluster as Core, type KeptCluster, createCluster as createCore } from "../cluster/index.ts";
import type { Hooks } from "../hooks/hooks.ts";
import { builtInDefinitions } from "../kinds/index.ts";
import type { PluginChoice } from "../admission/names.ts";
import type { Dialect } from "../meta/dialect.ts";
import { type Gates, gatesOf } from "../meta/gates.ts";
import type { ResourceDefinition } from "../schema/definition.ts";
import type { Filter, Route } from "../server/index.ts";
import { type MemoryStore, openMemoryStore } from "../storage/memory/store.ts";
import type { Simulation } from "../simulation/index.ts";
import type { Activity } from "../util/activity.ts";
import { type Clock, ManualClock, type SeededRandom, seededRandom } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import { shouldRefuseWrite } from "./filters.ts";
import { RefusableStore } from "./refusable-store.ts";
import { type Snapshot, encodeSnapshot } from "./snapshot.ts";
import { noteWrites } from "./writers.ts";

/** The state of a cluster at a time, with its clock and random numbers. It is never changed; clusters are created from it. */
export interface Moment {
  readonly core: KeptCluster;
  readonly store: MemoryStore;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly random: SeededRandom;
  /** Images, stages and files of simulated nodes, where there are such; it runs nothing. */
  readonly simulation?: Simulation | undefined;
}

/** A server with its store. */
export interface Serving {
  readonly core: Core;
  readonly store: MemoryStore;
}

/** The parts of a server, besides its moment. */
export interface ServingParts {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly activity: Activity;
  readonly filters: readonly Filter[];
  readonly routes: readonly Route[];
  readonly authenticator: (context: AuthContext) => Authenticator;
  readonly signer: () => TokenSigner;
  readonly hooks: Hooks;
  readonly log: Log;
  readonly simulation: () => Simulation | undefined;
  readonly checks: boolean;
  /** The first revision; by default that of the moment. */
  readonly revision?: number;
}

/** The parts of the first moment. */
export interface Beginning {
  readonly dialect: Dialect;
  readonly now: number;
  readonly seed: number;
  /** Those that differ from the defaults of the dialect. */
  readonly gates: Partial<Gates>;
  readonly plugins: PluginChoice;
  /** Whether RBAC authorizes requests. */
  readonly rbac: boolean;
  readonly from?: Snapshot;
}

const known = new Map<string, readonly ResourceDefinition[]>();

/** The built-in kinds, which all clusters of the process with the same gates share. */
function definitionsOf(dialect: Dialect, gates: Gates): readonly ResourceDefinition[] {
  const key = JSON.stringify([dialect.name, gates]);
  const definitions = known.get(key) ?? builtInDefinitions({ dialect, gates, ...NOWHERE });
  known.set(key, definitions);
  return definitions;
}

/** Definitions use the clock of each request; this one is never used. */
const NOWHERE = { clock: new ManualClock(), random: seededRandom(0) };

/** Creates a moment with only the system namespaces, or with the content of a snapshot. */
export async function firstMoment({ dialect, now, seed, plugins, rbac, from, ...own }: Beginning): Promise<Moment> {
  if (from && from.dialect !== dialect.name) {
    throw new Error(`expected a snapshot of the ${dialect.name} dialect, got one of ${from.dialect}`);
  }
  const random = seededRandom(seed);
  const gates = gatesOf(dialect, own.gates);
  const inner = await openMemoryStore(from ? { records: from.records, revision: from.revision } : {});
  const store = new RefusableStore(inner, shouldRefuseWrite, noteWrites);
  const core = await createCore({
    store,
    dialect,
    clock: new ManualClock(from?.now ?? now),
    random,
    chance: seededRandom(seed),
    plugins,
    gates,
    ...(rbac ? { authorizer: authorizerOf(["RBAC"]), defaultRoles: true } : {}),
    definitions: definitionsOf(dialect, gates),
  });
  await core.makeRoles();
  return momentOf({ core, store }, from?.now ?? now, from ? seededRandom(from.random) : random);
}

/** Returns the current moment of a server. */
export function momentOf({ core, store }: Serving, now: number, random: SeededRandom, simulation?: Simulation): Moment {
  const still = store.fork();
  const then = new ManualClock(now);
  return {
    core: core.keep(still, then),
    store: still,
    now,
    random: random.fork(),
    simulation: simulation?.fork({ clock: then }),
  };
}

/** Creates a server from a moment. */
export function serverFrom(
  { core, store }: Moment,
  { activity, filters, routes, revision, authenticator, ...own }: ServingParts,
): Serving {
  const forked = store.fork({ activity, ...(revision === undefined ? {} : { revision }) });
  return {
    core: core.fork({
      ...own,
      chance: seededRandom(own.random.position),
      authenticator,
      store: forked,
      server: { activity, filters, routes },
    }),
    store: forked,
  };
}

/** Encodes a moment. */
export const snapshotOf = ({ core, store, now, random }: Moment): Uint8Array =>
  encodeSnapshot({
    format: 1,
    dialect: core.dialect.name,
    now,
    random: random.position,
    revision: store.revision,
    records: store.records(),
  });
