/**
 * The cluster: every room put together, without a port, a file or a process.
 *
 * @module
 */
export { createCluster } from "./cluster.ts";
export type { Cluster, ClusterParts, KeptCluster } from "./contract.ts";
export { inProcessTransport } from "./in-process.ts";
