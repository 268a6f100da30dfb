/**
 * Nodes without machines: their Pods go through the phases that a kubelet reports, by scripts, on the clock of the cluster.
 *
 * It is a client of the API, like every controller. It runs no container, opens no socket and writes no file.
 */
export * from "./contract.ts";
export { isSimulated } from "./nodes/marks.ts";
export { createSimulation } from "./simulation.ts";
