/**
 * Servers as the recorded ones were started: kubernetes dialect, the same feature gates, for some areas with controllers.
 *
 * @module
 */
import { type RunningServer, startServer } from "../../src/app/index.ts";
import type { Gate } from "../../src/meta/gates.ts";
import { startHookServer } from "./hooks.ts";
import { type Outcome, Player } from "./player.ts";
import type { RecordedScenario } from "./scenario.ts";

/** The feature gates that were switched on for the recordings. */
export const CONFORMANCE_GATES = {
  CoordinatedLeaderElection: true,
  ClusterTrustBundle: true,
  ClusterTrustBundleProjection: true,
  PodCertificateRequest: true,
  StorageVersionMigrator: true,
} as const;

/** How the server is started for the scenarios of some areas. */
interface Setup {
  readonly controllers: readonly string[];
  /** Steps of admission that run here alone. */
  readonly plugins: readonly string[];
  /** Who signs tokens of service accounts. */
  readonly issuers: readonly string[];
  /** Feature gates that are on beside {@link CONFORMANCE_GATES}. */
  readonly gates: Readonly<Partial<Record<Gate, boolean>>>;
  /** How often autoscalers are looked at. */
  readonly autoscalerSync?: string;
}

/** Default steps of admission that the recorded server ran only where an area asks for them. */
export const RECORDED_WITHOUT: readonly string[] = [
  "LimitRanger",
  "ServiceAccount",
  "TaintNodesByCondition",
  "PodSecurity",
  "Priority",
  "DefaultTolerationSeconds",
  "RuntimeClass",
  "ResourceQuota",
];

const ALONE: Setup = { controllers: ["none"], plugins: [], issuers: [], gates: {} };
const EXTENDED: Setup = { ...ALONE, gates: { MutatingAdmissionPolicy: true } };

/** How the recorded server was started for areas for which it was not started alone. */
const SETUPS: Readonly<Record<string, Setup>> = {
  controllers: { ...ALONE, controllers: ["*"] },
  rollouts: { ...ALONE, controllers: ["*"], autoscalerSync: "2s" },
  scheduling: { ...ALONE, controllers: ["*", "scheduler"] },
  trust: { ...ALONE, issuers: ["https://kubernetes.default.svc"] },
  admission: EXTENDED,
  crd: EXTENDED,
  quota: { ...ALONE, plugins: ["LimitRanger", "ResourceQuota"] },
  podadmission: {
    ...ALONE,
    plugins: ["Priority", "DefaultTolerationSeconds", "TaintNodesByCondition", "RuntimeClass"],
  },
};

const setupOf = (area: string): Setup => SETUPS[area] ?? ALONE;

/** Starts the server on a free port, in memory, over plain HTTP. */
const startConformanceServer = ({
  controllers,
  plugins,
  issuers,
  gates,
  autoscalerSync,
}: Setup): Promise<RunningServer> =>
  startServer({
    dev: true,
    port: 0,
    insecureHttp: true,
    dialect: "kubernetes",
    controllers,
    featureGates: { ...CONFORMANCE_GATES, ...gates },
    enableAdmissionPlugins: plugins,
    disableAdmissionPlugins: RECORDED_WITHOUT.filter((name) => !plugins.includes(name)),
    serviceAccountIssuer: issuers,
    ...(autoscalerSync === undefined ? {} : { horizontalPodAutoscalerSyncPeriod: autoscalerSync }),
  });

/** Plays scenarios, those of each setup against a server of their own; what became of each, in the order of the list. */
export async function playOnOwnServers(
  scenarios: readonly RecordedScenario[],
  run: string,
  sideBySide: number,
): Promise<Outcome[]> {
  const outcomes = new Map<RecordedScenario, Outcome>();
  for (const [setup, those] of Map.groupBy(scenarios, ({ area }) => setupOf(area))) {
    const server = await startConformanceServer(setup);
    await using hooks = await startHookServer();
    const player = new Player({ url: server.url, token: server.pki.adminToken, domain: "k8s.io", hooks }, run);
    for (const [i, outcome] of (await player.playAll(those, sideBySide)).entries()) outcomes.set(those[i]!, outcome);
    await server.close();
  }
  return scenarios.map((scenario) => outcomes.get(scenario)!);
}
