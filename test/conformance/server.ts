/**
 * A server as the recorded one was started: kubernetes dialect, no controllers, the same feature gates.
 *
 * @module
 */
import { type RunningServer, startServer } from "../../src/app/index.ts";

/** The feature gates that were switched on for the recordings. */
export const CONFORMANCE_GATES = {
  CoordinatedLeaderElection: true,
  ClusterTrustBundle: true,
  ClusterTrustBundleProjection: true,
  PodCertificateRequest: true,
  StorageVersionMigrator: true,
} as const;

/** Starts the server on a free port, in memory, over plain HTTP. */
export const startConformanceServer = (): Promise<RunningServer> =>
  startServer({
    dev: true,
    port: 0,
    insecureHttp: true,
    dialect: "kubernetes",
    controllers: ["none"],
    featureGates: CONFORMANCE_GATES,
  });
