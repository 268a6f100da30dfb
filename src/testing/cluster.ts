/**
 * Creates a cluster for tests: a whole API server in the process of the test.
 *
 *     await using cluster = await createCluster();
 *     await cluster.run(myController);
 *     await cluster.apply("fixtures/");
 *     await cluster.settled();
 *
 * Store, server, built-in controllers, the controllers under test and the test itself share one event loop. Before
 * `listen()` there is no socket, no file, no certificate and no other process or thread.
 *
 * @module
 */
import { ADMISSION_PLUGINS, PLUGIN_CONTROLLERS, idleNames, unavailablePlugin } from "../admission/names.ts";
import { builtInControllers, chooseControllers, lifecycleControllers, loadBalancers } from "../controllers/index.ts";
import { serviceNetworkFault } from "../meta/service-ranges.ts";
import type { Controller as BuiltIn } from "../runtime/index.ts";
import { type Dialect, dialectOf } from "../meta/dialect.ts";
import { GATES, type Gate } from "../meta/gates.ts";
import { systemClock } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import { BoundedCache } from "../util/bounded-cache.ts";
import type { Cluster, ClusterOptions } from "./contract.ts";
import { FAULT_REASON } from "./fault.ts";
import { NODE_PLUGINS, kitPlugins } from "./plugins.ts";
import { decodeSnapshot } from "./snapshot.ts";
import { type Settings, TestCluster } from "./test-cluster.ts";
import { usualBeginning } from "./usual-beginning.ts";
import { type Moment, firstMoment } from "./world.ts";

const EVENT_TTL_MS = 3_600_000;
const START_TIME = "2026-01-01T00:00:00Z";

/** Prints warnings and errors on standard error, except errors of injected faults. */
const warningLog: Log = {
  error(message, facts = {}) {
    const text = JSON.stringify(facts);
    if (!text.includes(FAULT_REASON)) process.emitWarning(`${message} ${text}`, "Keelson");
  },
  warn: (message) => process.emitWarning(message, "Keelson"),
  info() {},
  debug() {},
};

/** Creates a cluster; when it resolves, the built-in controllers have finished their first work. */
export const createCluster = (options?: ClusterOptions): Promise<Cluster> => createTestCluster(options);

/** Creates a cluster, with what only the kit itself uses of it. */
export async function createTestCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const { clock = "virtual", now = START_TIME, seed = 1, from, routes, log = warningLog } = options;
  const virtual = clock === "virtual";
  const dialect = dialectOf(options.dialect ?? "kubernetes");
  if (!dialect) throw new RangeError(`expected dialect to be kubernetes or neutral, got ${options.dialect}`);
  if (!virtual && clock !== "system")
    throw new RangeError(`expected clock to be virtual or system, got ${String(clock)}`);
  if (!Number.isInteger(seed)) throw new RangeError(`expected seed to be an integer, got ${seed}`);
  if (Number.isNaN(Date.parse(now)))
    throw new RangeError(`expected now to be a time such as ${START_TIME}, got ${now}`);
  const { admission = {}, rbac = false, featureGates: gates = {} } = options;
  for (const gate of Object.keys(gates))
    if (!GATES.includes(gate as Gate))
      throw new RangeError(`expected featureGates to name some of ${GATES.join(", ")}, got ${gate}`);
  const { unknown } = idleNames(admission);
  if (unknown.length > 0) {
    const names = Object.keys(ADMISSION_PLUGINS).join(", ");
    throw new RangeError(`expected admission to name some of ${names}, got ${unknown.join(", ")}`);
  }
  const unavailable = unavailablePlugin(admission);
  if (unavailable !== undefined) throw new RangeError(`expected admission to enable other plugins, got ${unavailable}`);
  const { controllers = "lifecycle", nodes } = options;
  const forNodes = nodeControllers(dialect, options);
  const { enable = [], disable = [] } = admission;
  const forPods = nodes === undefined ? [] : NODE_PLUGINS.filter((name) => !disable.includes(name));
  const plugins = kitPlugins({
    enable: [...new Set([...enable, ...forPods])],
    disable,
    controllers: accountControllers(controllers),
  });
  const beginning = { dialect, seed, plugins, rbac, gates };
  if (!virtual || from || options.log) {
    const settings = { dialect, virtual, builtIn: chooseBuiltIn(dialect, options), forNodes, seed, log };
    const moment = await firstMoment({
      ...beginning,
      now: virtual ? Date.parse(now) : systemClock.now(),
      ...(from ? { from: decodeSnapshot(from) } : {}),
    });
    const cluster = new TestCluster(settings, moment, routes);
    // The cluster of a snapshot has begun already.
    if (!from) await cluster.begin();
    else await cluster.resume();
    return withNodes(cluster, nodes);
  }
  const begin = async (): Promise<Begun> => {
    const settings = { dialect, virtual, builtIn: chooseBuiltIn(dialect, options), forNodes, seed, log };
    const usual = isDefault(options) ? usualBeginning(dialect.name, Date.parse(now), seed) : undefined;
    const first = await firstMoment({ ...beginning, now: Date.parse(now), ...(usual ? { from: usual } : {}) });
    if (usual) return { settings, moment: first };
    const cluster = new TestCluster(settings, first);
    const moment = await cluster.begin();
    await cluster.close();
    return { settings, moment };
  };
  const { settings, moment } = await begunOnce(
    [dialect.name, now, seed, plugins, rbac, gates, options.controllers, options.loadBalancerAddresses],
    begin,
  );
  return withNodes(new TestCluster(settings, moment, routes), nodes);
}

/** Adds the nodes of the options, which then belong to the initial state. */
async function withNodes(cluster: TestCluster, nodes: ClusterOptions["nodes"]): Promise<TestCluster> {
  if (nodes === undefined || nodes === 0) return cluster;
  const { count, ...more } = typeof nodes === "number" ? { count: nodes } : nodes;
  await cluster.nodes(count, more);
  await cluster.begin();
  return cluster;
}

/** The controllers of a choice that create the accounts of Pods. */
const accountControllers = (chosen: NonNullable<ClusterOptions["controllers"]>): readonly string[] =>
  PLUGIN_CONTROLLERS.filter((name) => chosen === "all" || chosen.includes(name));

/** Whether the options change nothing of the initial state but time and seed. */
const isDefault = ({
  admission,
  rbac = false,
  controllers = "lifecycle",
  loadBalancerAddresses,
  featureGates,
}: ClusterOptions): boolean =>
  admission === undefined &&
  !rbac &&
  controllers === "lifecycle" &&
  loadBalancerAddresses === undefined &&
  featureGates === undefined;

/** The initial state of a cluster, for further clusters with the same options; it is never changed. */
interface Begun {
  readonly settings: Settings;
  readonly moment: Moment;
}

/** Clusters with the same options have the same initial state, as time and random numbers are their own. */
const begun = new BoundedCache<Promise<Begun>>({ entries: 8, bytes: 1 << 16 });

async function begunOnce(options: readonly unknown[], begin: () => Promise<Begun>): Promise<Begun> {
  const key = JSON.stringify(options);
  const beginning = begun.get(key) ?? begin();
  begun.set(key, beginning);
  try {
    return await beginning;
  } catch (error) {
    begun.delete(key);
    throw error;
  }
}

/** The controllers that simulated nodes bring: the scheduler, and all others where nothing was chosen. */
function nodeControllers(dialect: Dialect, options: ClusterOptions): readonly BuiltIn[] {
  const { controllers: chosen } = options;
  const brings =
    chosen === undefined ? ["*", "scheduler"] : chosen === "all" || chosen === "lifecycle" ? ["scheduler"] : [];
  const running = new Set(chooseBuiltIn(dialect, options).map(({ name }) => name));
  return chooseControllers(
    builtInControllers(settingsOf(dialect, options)),
    brings.length === 0 ? ["none"] : brings,
  ).filter(({ name }) => !running.has(name));
}

/** The clock moves faster than anyone could beat for a plain Node. */
const settingsOf = (dialect: Dialect, { loadBalancerAddresses }: ClusterOptions) => ({
  dialect,
  eventTtlMillis: EVENT_TTL_MS,
  caCertificate: "",
  plainNodesLive: true,
  loadBalancerAddresses,
});

/** @throws Error for an unknown controller, RangeError for networks that are none */
function chooseBuiltIn(dialect: Dialect, options: ClusterOptions): readonly BuiltIn[] {
  const { controllers: chosen = "lifecycle", loadBalancerAddresses } = options;
  const fault = loadBalancerAddresses && serviceNetworkFault(loadBalancerAddresses);
  if (fault !== undefined) throw new RangeError(`loadBalancerAddresses: ${fault}`);
  const settings = settingsOf(dialect, options);
  if (chosen === "lifecycle") {
    return [...lifecycleControllers(settings), ...(loadBalancerAddresses ? [loadBalancers(settings)] : [])];
  }
  const all = builtInControllers(settings);
  return chooseControllers(all, chosen === "all" ? ["*"] : chosen === "none" ? [] : [chosen].flat());
}
