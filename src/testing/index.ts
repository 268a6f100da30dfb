/**
 * `keelson/testing`: a cluster for tests of controllers, operators and drivers, in the process of the test.
 *
 *     import { conflict, createCluster } from "keelson/testing";
 *
 *     await using cluster = await createCluster();
 *     await cluster.apply("fixtures/");
 *     cluster.faults.next({ verb: "update" }, conflict());
 *     await cluster.settled();
 *     await cluster.clock.advance("1h");
 *
 * `docs/guides/testing-kit.md` begins from an empty folder.
 *
 * @module
 */
export { ApplyError, type Manifest, type Refusal } from "../client/index.ts";
export { hasCondition, isOwnedBy } from "./assertions.ts";
export type { TestClock, WaitingTimer } from "./clock.ts";
export { createCluster } from "./cluster.ts";
export type { Cluster, ClusterOptions, Mark } from "./contract.ts";
export type { Endpoint } from "./endpoint.ts";
export type { ReportedEvent } from "./events.ts";
export { consistently, eventually } from "./eventually.ts";
export {
  type Fault,
  type WatchFault,
  alreadyExists,
  conflict,
  crash,
  dropConnection,
  forbidden,
  hang,
  internalError,
  notFound,
  serviceUnavailable,
  slow,
  storeRefuses,
  tooManyRequests,
  watchEnds,
  watchExpires,
  watchLags,
  watchStalls,
} from "./fault.ts";
export { explore, replay } from "./explore/exploration.ts";
export { type ExplorationModule, type ExploredPrograms, defineExploration } from "./explore/explored.ts";
export type { ExploreOptions, ExploreResult, ReplayResult } from "./explore/explore.ts";
export type * from "./explore/scenario.ts";
export type { Operations } from "./explore/laboratory.ts";
export type * from "../explore/index.ts";
// The kit has faults and refusals of its own.
export type { Fault as FoundFault, Refusal as RefusalOfServer } from "../explore/index.ts";
export type { FaultHandle, Faults } from "./faults.ts";
export { type GoBuild, buildGoProgram } from "./explore/wasm/build.ts";
export {
  type GoContext,
  type GoMoment,
  type GoProgram,
  type GoProgramOptions,
  type GoRun,
  goProgram,
} from "./explore/wasm/program.ts";
export type { RunOptions, Running } from "./run.ts";
export type { TrialCounts, TrialFinding, TrialOfPolicy, TrialReport } from "../meta/trial-report.ts";
export { type RunCommandOptions, runCommand } from "./run-command.ts";
export { HotLoop, NotSettled, ReconcileFailed, type SettleOptions } from "./settled.ts";
export type { ContainerOf, TestRequest, TestSimulation } from "./simulated.ts";
export type {
  ContainerRequest,
  ContainerResponse,
  ExecResult,
  ExitOptions,
  ImageScript,
  NodeOptions,
  NodeTarget,
  ScriptContext,
  SimulationFaults,
  Usage,
  VolumeFiles,
} from "../simulation/index.ts";
export type { Origin, Recording, RequestMatch, RequestRecord, Verb } from "./traffic.ts";
export {
  type TestWebhook,
  type WebhookResponse,
  type WebhookFault,
  type WebhookHandler,
  type WebhookOptions,
  type WebhookRequest,
  lies,
  refuses,
} from "./webhooks.ts";
