/**
 * Controllers and simulated nodes of an API server of envtest, where a suite requests them: Pods are then scheduled, start and end, and
 * workloads have their Pods. envtest itself has none of them.
 *
 * @module
 */
import type { Cluster } from "../../cluster/index.ts";
import { kubernetes as dialect } from "../../meta/dialect.ts";
import type { SystemParts } from "../process/system-parts.ts";
import { chosenControllers } from "../start/controllers.ts";
import type { ServerParts } from "../start/server-parts.ts";
import { openSimulation } from "../start/simulation.ts";
import type { ApiServerPlan } from "./apiserver-flags.ts";

/** What the workloads of a server are started with. */
interface WorkloadParts {
  readonly system: SystemParts;
  readonly simulated: ServerParts["simulated"];
  readonly opened: AsyncDisposableStack;
}

/** Starts them; resolves when the nodes are stored and the controllers run. @throws OptionError for an unknown controller */
export async function startWorkloads(
  cluster: Cluster,
  plan: ApiServerPlan,
  { system, simulated, opened }: WorkloadParts,
): Promise<void> {
  const options = { ...plan.options, dialect };
  await openSimulation(cluster, { options, clusterClock: system.clock, system, simulated, opened });
  const chosen = chosenControllers(options, { caCertificate: "" }, simulated.simulation !== undefined);
  await cluster.start([...chosen, ...cluster.simulationControllers()], {
    isShared: cluster.store.isShared === true,
    freeze: false,
  });
}
