/**
 * What every handler may use of the server that it runs in.
 *
 * @module
 */
import type { Authenticator, Authorizer } from "../auth/contract.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { Registry } from "../registry/contract.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Endpoints } from "./endpoint.ts";
import type { HealthCheck } from "./operations/health-check.ts";
import type { ServerMetrics } from "./operations/metrics.ts";
import type { ServerLimits } from "./limits.ts";
import type { VersionInfo } from "./documents/version.ts";
import type { WatchWheel } from "./watch/wheel.ts";
import type { YamlWorker } from "./body/yaml-worker.ts";
import type { Discovery } from "./documents/discovery.ts";
import type { OpenApi } from "./documents/openapi.ts";

/** Where failures of ours are told; messages never carry credentials or bodies. */
export interface ServerLog {
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Everything that requests share. */
export interface ServerContext {
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ServerLog;
  readonly limits: ServerLimits;
  readonly metrics: ServerMetrics;
  readonly version: VersionInfo;
  readonly health: readonly HealthCheck[];
  readonly endpoints: Endpoints;
  readonly wheel: WatchWheel;
  readonly yaml: YamlWorker;
  readonly discovery: Discovery;
  readonly openApi: OpenApi;
  /** How many requests run now: reads at 1, writes at 2. */
  readonly running: { 1: number; 2: number };
  /** The watchers that run, so that a shutdown can end them in order. */
  readonly watchers: Set<{ finish(): void }>;
  /** When large answers are compressed: for peers on other machines, always, or never. */
  readonly compress: "remote" | "always" | "never";
  /** True from the beginning of the shutdown on. */
  readonly closing: () => boolean;
}
