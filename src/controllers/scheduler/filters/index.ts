import type { Filter } from "../filter.ts";
import { boundVolumes } from "./bound-volumes.ts";
import { claimsReady } from "./claims-ready.ts";
import { exclusiveClaims } from "./exclusive-claims.ts";
import { exclusiveDisks } from "./exclusive-disks.ts";
import { freePorts } from "./free-ports.ts";
import { delayedVolumes } from "./delayed-volumes.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { unsupportedFields } from "./unsupported-fields.ts";
import { podAffinity } from "./pod-affinity.ts";
import { resources } from "./resources.ts";
import { taints } from "./taints.ts";
import { topologySpread } from "./topology-spread.ts";
import { unschedulable } from "./unschedulable.ts";
import { volumeLimits } from "./volume-limits.ts";
import { volumeZones } from "./volume-zones.ts";

/** All filters, in the order in which a node is evaluated: the first obstacle counts. */
export const FILTERS: readonly Filter[] = [
  unsupportedFields,
  claimsReady,
  unschedulable,
  taints,
  nodeAffinity,
  freePorts,
  resources,
  exclusiveClaims,
  exclusiveDisks,
  volumeLimits,
  boundVolumes,
  delayedVolumes,
  volumeZones,
  topologySpread,
  podAffinity,
];
