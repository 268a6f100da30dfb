import { keyText } from "../../client/index.ts";
import type { Pod } from "../../client/kinds/index.ts";
import { claimsOfPod } from "../../claims/pod-claims.ts";
import { type Amounts, requested } from "./amounts.ts";
import { type InlineDisk, inlineDisks } from "./disks.ts";
import { type HostPort, hostPorts } from "./ports.ts";
import type { SchedulerNames } from "./names.ts";

/** A Pod with what it uses of a node. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly key: string;
  readonly priority: number;
  readonly requests: Amounts;
  /** The keys of its claims without duplicates, those of ephemeral volumes included. */
  readonly claims: readonly string[];
  readonly disks: readonly InlineDisk[];
  readonly ports: readonly HostPort[];
}

/** Returns the {@link PodInfo} of a Pod. */
export const podInfoOf = (pod: Pod, names: SchedulerNames): PodInfo => ({
  pod,
  uid: pod.metadata.uid,
  key: keyText(pod.metadata),
  priority: pod.spec.priority ?? 0,
  requests: requested(pod),
  claims: [...new Set(claimsOfPod(pod).map((key) => keyText(key)))],
  disks: inlineDisks(pod, names),
  ports: hostPorts(pod),
});
