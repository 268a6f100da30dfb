/**
 * The controllers of workloads: each reads objects from informers, asks a planner of `src/workloads/`, and performs its plan.
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { Controller } from "../../runtime/index.ts";
import { type AutoscalerSettings, autoscaling } from "./autoscaler.ts";
import { cronJob } from "./cronjob.ts";
import { daemonSet } from "./daemonset.ts";
import { deploymentRollout } from "./deployment.ts";
import { deviceClaims } from "./device-claims.ts";
import { disruption } from "./disruption.ts";
import { endpointSliceMirroring } from "./endpointslice-mirroring.ts";
import { endpointSlices } from "./endpointslices.ts";
import { endpoints } from "./endpoints.ts";
import { job } from "./job.ts";
import { type LoadBalancerSettings, loadBalancers } from "./load-balancers.ts";
import { replicaSets, replicationControllerPods } from "./replicas.ts";
import { statefulSet } from "./statefulset.ts";
import { ttlAfterFinished } from "./ttl-after-finished.ts";

/** The settings of the controllers of workloads. */
export interface WorkloadSettings extends AutoscalerSettings, LoadBalancerSettings {
  readonly dialect: Dialect;
}

/** Returns the controllers of workloads of `*`. */
export function workloadControllers(settings: WorkloadSettings): readonly Controller[] {
  const { loadBalancerAddresses = [] } = settings;
  return [
    autoscaling(settings),
    cronJob,
    daemonSet,
    deploymentRollout,
    deviceClaims,
    disruption,
    endpointSliceMirroring,
    endpointSlices,
    endpoints,
    job,
    replicaSets,
    replicationControllerPods,
    statefulSet,
    ttlAfterFinished,
    ...(loadBalancerAddresses.length > 0 ? [loadBalancers(settings)] : []),
  ];
}
