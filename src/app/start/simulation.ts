/**
 * The simulated nodes of a server. They are objects: a server that finds some goes on with them, whatever its options say.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { Cluster } from "../../cluster/index.ts";
import { messageOf } from "../../util/error.ts";
import { OptionError } from "../options/error.ts";
import type { ServerParts } from "./server-parts.ts";

/** Opens the simulation where the options or stored nodes ask for it, and makes the nodes that are missing. */
export async function openSimulation(cluster: Cluster, parts: ServerParts): Promise<void> {
  const { options, clusterClock, system, simulated, opened } = parts;
  const { simulatedNodes, stages, dialect, readOnly, kinds } = options;
  const isAsked = simulatedNodes !== undefined || stages.length > 0;
  if (isAsked && dialect.name !== "kubernetes") {
    throw new OptionError(`expected the dialect kubernetes with --nodes or --stages, got ${dialect.name}`);
  }
  if (readOnly || dialect.name !== "kubernetes" || kinds !== "all") return;
  const { countSimulatedNodes } = await import("../../cluster/index.ts");
  const client = cluster.client("keelson-simulation");
  // A store whose records cannot be read now may have some later: then the options say it.
  const stored = cluster.unreadable().length > 0 ? 0 : await countSimulatedNodes(client);
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
  const missing = (simulatedNodes?.count ?? 0) - stored;
  if (simulatedNodes && missing > 0) await simulation.addNodes(client, missing, simulatedNodes.options);
}

function readStages(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new OptionError(`expected --stages to name files that can be read: ${messageOf(error)}`);
  }
}
