/**
 * The controllers of workloads: each reads objects from informers, asks a planner of `src/workloads/`, and performs its plan.
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { Controller } from "../../runtime/index.ts";
import { daemonSet } from "./daemonset.ts";
import { statefulSet } from "./statefulset.ts";
import { deploymentRollout } from "./deployment.ts";
import { replicaSets, replicationControllerPods } from "./replicas.ts";
import { endpoints } from "./endpoints.ts";
import { endpointSliceMirroring } from "./endpointslice-mirroring.ts";
import { endpointSlices } from "./endpointslices.ts";

/** The settings of the controllers of workloads. */
export interface WorkloadSettings {
  readonly dialect: Dialect;
}

/** Returns the controllers of workloads of `*`. */
export const workloadControllers: (settings: WorkloadSettings) => readonly Controller[] = () => [
  daemonSet,
  deploymentRollout,
  endpointSliceMirroring,
  endpointSlices,
  endpoints,
  replicaSets,
  replicationControllerPods,
  statefulSet,
];
