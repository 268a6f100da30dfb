/**
 * The cluster: every room put together, without a port, a file or a process.
 *
 * @module
 */
export { type Cluster, type ClusterParts, type KeptCluster, createCluster } from "./cluster.ts";
export { inProcessTransport } from "./in-process.ts";
