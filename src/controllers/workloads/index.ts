/**
 * The controllers of workloads: each reads objects from informers, asks a planner of `src/workloads/`, and performs its plan.
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { Controller } from "../../runtime/index.ts";
import { type AutoscalerSettings, autoscaling } from "./autoscaler.ts";
import { disruption } from "./disruption.ts";
import { daemonSet } from "./daemonset.ts";
import { statefulSet } from "./statefulset.ts";
import { deploymentRollout } from "./deployment.ts";
import { replicaSets, replicationControllerPods } from "./replicas.ts";
import { endpoints } from "./endpoints.ts";
import { endpointSliceMirroring } from "./endpointslice-mirroring.ts";
import { endpointSlices } from "./endpointslices.ts";
import { type LoadBalancerSettings, loadBalancers } from "./load-balancers.ts";

/** The settings of the controllers of workloads. */
export interface WorkloadSettings extends AutoscalerSettings, LoadBalancerSettings {
  readonly dialect: Dialect;
}

/** Returns the controllers of workloads of `*`. */
export function workloadControllers(settings: WorkloadSettings): readonly Controller[] {
  const { loadBalancerAddresses = [] } = settings;
  return [
    autoscaling(settings),
    daemonSet,
    deploymentRollout,
    disruption,
    endpointSliceMirroring,
    endpointSlices,
    endpoints,
    replicaSets,
    replicationControllerPods,
    statefulSet,
    ...(loadBalancerAddresses.length > 0 ? [loadBalancers(settings)] : []),
  ];
}
