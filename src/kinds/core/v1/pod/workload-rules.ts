import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../../../meta/names.ts";
import type { PodSpec } from "./spec-schema.ts";

/** The group of Pods with which a Pod is scheduled has valid names. */
export function checkWorkload({ workloadRef }: PodSpec, errors: FieldErrors): void {
  if (!workloadRef) return;
  const { name, podGroup, podGroupReplicaKey } = workloadRef;
  const wrong = {
    name: dnsSubdomain(name),
    podGroup: dnsLabel(podGroup),
    podGroupReplicaKey: podGroupReplicaKey ? dnsLabel(podGroupReplicaKey) : undefined,
  };
  for (const member of ["name", "podGroup", "podGroupReplicaKey"] as const) {
    if (wrong[member] !== undefined) errors.invalid(`spec.workloadRef.${member}`, workloadRef[member], wrong[member]);
  }
}
