/**
 * A whole cluster in a page: store, server, controllers and simulated nodes, in the thread that calls this. It has no port, no
 * file and no certificate; clients reach it in process.
 *
 * It serves the first groups of kinds as soon as its store is open. The other groups, the controllers and the nodes are modules
 * of their own, which are loaded meanwhile; a request for what is not there yet waits for it.
 *
 * @module
 */
import { ADMIN } from "../../../src/auth/admin.ts";
import { authorizerOf } from "../../../src/auth/authorizer.ts";
import type { Transport } from "../../../src/client/transport.ts";
import { type Cluster, createCluster, inProcessTransport } from "../../../src/cluster/index.ts";
import { dialectOf } from "../../../src/meta/dialect.ts";
import { gatesOf } from "../../../src/meta/gates.ts";
import { resourceSpecs } from "../../../src/registry/kinds.ts";
import type { Simulation } from "../../../src/simulation/contract.ts";
import { openMemoryStore } from "../../../src/storage/memory/store.ts";
import { type Clock, newSystemClock, sleep, systemRandom } from "../../../src/util/clock.ts";
import { fasterClock } from "../../../src/util/faster-clock.ts";
import { silentLog } from "../../../src/util/log.ts";
import { loadExpressions } from "./later-expressions.ts";

const EVENT_TTL_MS = 3_600_000;
/** How many changes the history of a page has. */
const HISTORY_EVENTS = 5000;
/** How long the first request has the thread for itself. */
const FIRST_REQUEST_MS = 20;
/** Paths of the first kinds. */
const FIRST_PATHS = ["/api/v1/", "/apis/apps/v1/", "/apis/rbac.authorization.k8s.io/v1/"];

/** What a cluster in a page is made of. */
export interface PageClusterOptions {
  /** Simulated nodes from the start; none by default. */
  readonly nodes?: number | undefined;
  /** How many times as fast as in the world time passes; 1 by default. */
  readonly speed?: number | undefined;
  readonly version: string;
  /** Prints a warning or an error of the server. */
  readonly warn?: (message: string) => void;
}

/** A cluster in a page. */
export interface PageCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Sends requests as the admin; one for a kind that is not loaded yet waits. */
  readonly transport: Transport;
  /** Runs a command in a container of a simulated node; a word says why it does not run. */
  readonly exec: Simulation["exec"];
  /** Resolves when all kinds are served, and the controllers run. */
  readonly complete: Promise<void>;
}

/** Starts a cluster; it is ready when this resolves. */
export async function startPageCluster({
  nodes = 0,
  speed = 1,
  version,
  warn = () => {},
}: PageClusterOptions): Promise<PageCluster> {
  const dialect = dialectOf("kubernetes")!;
  const wallClock = newSystemClock();
  const clock = speed === 1 ? wallClock : fasterClock(wallClock, speed);
  const log = {
    ...silentLog,
    error: (message: string, facts: object = {}) => warn(`${message} ${JSON.stringify(facts)}`),
    warn: (message: string, facts: object = {}) => warn(`${message} ${JSON.stringify(facts)}`),
  };
  const simulated: { simulation?: Simulation } = {};
  const store = await openMemoryStore({ historyEvents: HISTORY_EVENTS, now: () => wallClock.now() });
  const cluster = await createCluster({
    store,
    dialect,
    clock,
    wallClock,
    log,
    simulation: () => simulated.simulation,
    authorizer: authorizerOf(["RBAC"]),
    defaultRoles: true,
    // A page has one user.
    fairness: false,
    server: { version },
  });
  async function loadRest(): Promise<void> {
    // The first response is sent before the thread has more modules to load.
    await sleep(wallClock, FIRST_REQUEST_MS);
    const [kinds, controllers] = await Promise.all([
      import("./later-kinds.ts"),
      import("./controllers.ts"),
      loadExpressions(),
    ]);
    const api = { dialect, clock, random: systemRandom, gates: gatesOf(dialect) };
    await cluster.kinds.setAll(resourceSpecs(kinds.laterDefinitions(api as never)));
    await cluster.makeRoles();
    const onError = (error: unknown, where: string): void => warn(`${where}: ${String(error)}`);
    simulated.simulation = controllers.createSimulation({ clock }, { log, onError });
    const settings = { dialect, eventTtlMillis: EVENT_TTL_MS, caCertificate: "" };
    const chosen = controllers.chooseControllers(controllers.builtInControllers(settings), ["*", "scheduler"]);
    if (nodes > 0) await simulated.simulation.addNodes(cluster.client("keelson-simulation"), nodes, {});
    await cluster.start([...chosen, ...cluster.simulationControllers()], { freeze: false });
  }
  const complete = loadRest();
  complete.catch((error: unknown) => warn(`the rest of the cluster did not start: ${String(error)}`));
  const inProcess = inProcessTransport(cluster.server)(ADMIN);
  return {
    cluster,
    clock,
    complete,
    async exec(target, request) {
      await complete;
      return simulated.simulation?.exec(target, request) ?? "NotSimulated";
    },
    async transport(request) {
      if (!FIRST_PATHS.some((path) => request.path.startsWith(path))) await complete;
      return inProcess(request);
    },
    async [Symbol.asyncDispose]() {
      await complete.catch(() => {});
      await cluster.close(0);
      simulated.simulation?.[Symbol.dispose]();
      await store.close();
    },
  };
}
