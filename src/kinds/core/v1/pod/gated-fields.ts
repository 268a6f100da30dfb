/**
 * Members of a Pod's spec that belong to features that are off: they are dropped, unless the stored spec has one of them
 * (KIND-All-23).
 *
 * @module
 */
import type { WriteContext } from "../../../../schema/definition.ts";
import { dropGated } from "../../../rules/gated-field.ts";
import { containersOf } from "./containers.ts";
import type { PodSpec } from "./spec-schema.ts";
import type { PodStatus } from "./status-schema.ts";
import { dropGatedVolumes } from "./volumes.ts";

/** Drops members of features that are off; changes `spec`. */
export function dropGatedMembers(spec: PodSpec, stored: PodSpec | undefined, ctx: WriteContext): void {
  dropGatedVolumes(spec.volumes ?? [], stored?.volumes ?? [], ctx);
  dropGated(spec, stored, "workloadRef", "GenericWorkload", "spec", ctx);
  if (!ctx.gates.ContainerStopSignals) dropStopSignals(spec, stored, ctx);
}

/** The members of a status that belong to features that are off. */
const OF_STATUS = ["extendedResourceClaimStatus", "allocatedResources", "resources"] as const;
const OF_CONTAINERS = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

/** Drops members of a status of features that are off and that the stored one does not have; changes `status`. */
export function dropGatedStatus(status: PodStatus, stored: PodStatus | undefined): void {
  for (const member of OF_STATUS) if (stored?.[member] === undefined) delete status[member];
  for (const list of OF_CONTAINERS) {
    for (const container of status[list] ?? []) delete container.allocatedResourcesStatus;
  }
}

function dropStopSignals(spec: PodSpec, stored: PodSpec | undefined, ctx: WriteContext): void {
  let isUsed: boolean | undefined;
  for (const [container, at] of containersOf(spec)) {
    const { lifecycle } = container;
    if (lifecycle?.stopSignal === undefined) continue;
    isUsed ??=
      stored !== undefined && containersOf(stored).some(([{ lifecycle: old }]) => old?.stopSignal !== undefined);
    if (isUsed) return;
    dropGated(lifecycle, undefined, "stopSignal", "ContainerStopSignals", `${at}.lifecycle`, ctx);
    if (!lifecycle.postStart && !lifecycle.preStop) delete container.lifecycle;
  }
}
