/**
 * A Pod as nodes count it: what it takes of a node beside being there.
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import type { Pod } from "../../client/kinds/index.ts";
import { claimsOfPod } from "../../claims/pod-claims.ts";
import { type Amounts, requested } from "./amounts.ts";
import { type InlineDisk, inlineDisks } from "./disks.ts";
import { type HostPort, hostPorts } from "./ports.ts";
import type { SchedulerNames } from "./names.ts";

/** See the head of this file. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  /** `namespace/name`. */
  readonly key: string;
  readonly priority: number;
  readonly requests: Amounts;
  /** The keys of its claims, those of its ephemeral volumes among them, each once. */
  readonly claims: readonly string[];
  readonly disks: readonly InlineDisk[];
  readonly ports: readonly HostPort[];
}

/** What a Pod takes. */
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
