/**
 * A server as the recorded one was started: kubernetes dialect, no controllers, the same feature gates.
 *
 * @module
 */
import { type RunningServer, resolveOptions, silentLog, startServer } from "../../src/app/index.ts";

const GATES = [
  "CoordinatedLeaderElection",
  "ClusterTrustBundle",
  "ClusterTrustBundleProjection",
  "PodCertificateRequest",
  "StorageVersionMigrator",
];

/** Starts the server on a free port, in memory, over plain HTTP. */
export const startConformanceServer = (): Promise<RunningServer> =>
  startServer(
    resolveOptions({
      dev: "true",
      port: "0",
      "insecure-http": "true",
      dialect: "kubernetes",
      controllers: "none",
      "feature-gates": GATES.map((gate) => `${gate}=true`).join(","),
    }),
    { log: silentLog },
  );
