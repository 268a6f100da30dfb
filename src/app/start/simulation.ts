/**
 * The simulated nodes of a server. They are objects: a server that finds some continues with them, whatever its options are.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { attempt } from "../../client/index.ts";
import type { Cluster } from "../../cluster/index.ts";
import type { Simulation } from "../../simulation/index.ts";
import { messageOf } from "../../util/error.ts";
import type { SimulatedNodes } from "../options/simulated-nodes.ts";
import { OptionError } from "../options/error.ts";
import type { ServerParts } from "./server-parts.ts";

const MAX_TRIES = 10;

/** What a simulation is opened with. */
type SimulationParts = Pick<ServerParts, "options" | "clusterClock" | "system" | "simulated" | "opened">;

/** Opens the simulation where the options or stored nodes ask for it, and creates the missing nodes. */
export async function openSimulation(cluster: Cluster, parts: SimulationParts): Promise<void> {
  const { options, clusterClock, system, simulated, opened } = parts;
  const { simulatedNodes, stages, dialect, readOnly, kinds } = options;
  const isAsked = simulatedNodes !== undefined || stages.length > 0;
  if (isAsked && dialect.name !== "kubernetes") {
    throw new OptionError(`expected the dialect kubernetes with --nodes or --stages, got ${dialect.name}`);
  }
  if (readOnly || dialect.name !== "kubernetes" || kinds !== "all") return;
  // A store whose records cannot be read now may have some later: then the options decide.
  const stored = cluster.unreadable().length > 0 ? 0 : await cluster.simulatedNodes();
  if (!isAsked && stored === 0) return;
  const { createSimulation } = await import("../../simulation/index.ts");
  const simulation = createSimulation(
    { clock: clusterClock },
    {
      log: system.log,
      onError: (error, where) => system.log.error("a simulated node has failed", { where, error: messageOf(error) }),
    },
  );
  opened.use(simulation);
  simulated.simulation = simulation;
  for (const file of stages) simulation.stages(readStages(file), file);
  if (simulatedNodes) await addMissing(cluster, simulation, simulatedNodes);
}

/** Creates the missing nodes. Another server of the same store may do so at the same time: then they are counted again. */
async function addMissing(cluster: Cluster, simulation: Simulation, { count, options }: SimulatedNodes): Promise<void> {
  const client = cluster.client("keelson-simulation");
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // oxlint-disable-next-line no-await-in-loop -- each try counts what is there
    const missing = count - (await cluster.simulatedNodes());
    if (missing <= 0) return;
    // oxlint-disable-next-line no-await-in-loop
    if ((await attempt(simulation.addNodes(client, missing, options), "AlreadyExists")).ok) return;
  }
}

function readStages(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new OptionError(`expected --stages to name files that can be read: ${messageOf(error)}`);
  }
}
