/**
 * The controllers of workloads: each reads objects from informers, asks a planner of `src/workloads/`, and performs its plan.
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { Controller } from "../../runtime/index.ts";
import { deviceClaims } from "./device-claims.ts";

/** The settings of the controllers of workloads. */
export interface WorkloadSettings {
  readonly dialect: Dialect;
}

/** Returns the controllers of workloads of `*`. */
export function workloadControllers(_: WorkloadSettings): readonly Controller[] {
  return [deviceClaims];
}
