/**
 * The rules of a Pod's spec besides those of its volumes and containers (SUP-5).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { type TextCheck, dnsLabel, dnsSubdomain, qualifiedName } from "../../../../meta/names.ts";
import { validateLabels } from "../../../../meta/object-meta-rules.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { wholeObject } from "../../../rules/whole-object.ts";
import type { Source } from "../volumes/sources.ts";
import { checkAffinity } from "./affinity-rules.ts";
import { checkPodClaims, claimNames } from "./claim-rules.ts";
import { validateContainers } from "./container-rules.ts";
import type { Pod } from "./defaults.ts";
import { checkHostname } from "./hostname-rules.ts";
import { isMirror } from "./mirror.ts";
import { checkNames, checkShared } from "./network-rules.ts";
import { checkOs } from "./os-rules.ts";
import { checkOverhead, checkPodResources } from "./resource-rules.ts";
import { checkHostProcess, checkPodSecurity } from "./security-rules.ts";
import type { PodSpec, PodVolume } from "./spec-schema.ts";
import { checkTolerations } from "./toleration-rules.ts";
import { checkSpread } from "./topology-rules.ts";
import { validateVolumes } from "./volumes.ts";
import { checkWorkload } from "./workload-rules.ts";

/** Members with an enumeration of values. */
const WORDS: readonly (readonly [
  member: "dnsPolicy" | "restartPolicy" | "preemptionPolicy",
  words: readonly string[],
])[] = [
  ["dnsPolicy", ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]],
  ["restartPolicy", ["Always", "Never", "OnFailure"]],
  ["preemptionPolicy", ["Never", "PreemptLowerPriority"]],
];

/** Members that are names of objects. */
const NAMES: readonly (readonly [
  member: "serviceAccountName" | "nodeName" | "hostname" | "subdomain" | "priorityClassName" | "runtimeClassName",
  rule: TextCheck,
])[] = [
  ["serviceAccountName", dnsSubdomain],
  ["nodeName", dnsSubdomain],
  ["hostname", dnsLabel],
  ["subdomain", dnsLabel],
  ["priorityClassName", dnsSubdomain],
  ["runtimeClassName", dnsSubdomain],
];

/**
 * All faults of a Pod.
 *
 * @param isTemplate whether it is a template of Pods
 */
export function validatePodSpec(
  pod: Pod,
  sources: readonly Source[],
  errors: FieldErrors,
  ctx: ApiContext,
  isTemplate = false,
): void {
  const { spec } = pod;
  const volumes = validateVolumes(spec.volumes ?? [], pod.metadata.name ?? "", sources, errors, ctx);
  if (spec.resourceClaims && !isTemplate && isMirror(pod, ctx.dialect)) {
    errors.forbidden(wholeObject(ctx.dialect), "expected no resource claims: the Pod is one of its node alone");
  } else if (spec.resourceClaims) checkPodClaims(spec.resourceClaims, errors);
  const claims = claimNames(spec.resourceClaims);
  let named: ReadonlyMap<string, PodVolume> | undefined;
  const sent = () => (named ??= new Map(spec.volumes?.map((volume) => [volume.name, volume])));
  validateContainers({ errors, ctx, spec, isTemplate, volumes, sent, claims });
  for (const [member, words] of WORDS) {
    const value = spec[member];
    if (value === "") errors.required(`spec.${member}`, `expected one of ${words.join(", ")}`);
    else if (value !== undefined && !words.includes(value)) errors.notSupported(`spec.${member}`, value, words);
  }
  for (const [member, rule] of NAMES) {
    const value = spec[member];
    const wrong = value === undefined ? undefined : rule(value);
    if (wrong !== undefined) errors.invalid(`spec.${member}`, value, wrong);
  }
  if (spec.nodeSelector) validateLabels(spec.nodeSelector, "spec.nodeSelector", errors);
  if (spec.overhead) checkOverhead(spec.overhead, "spec.overhead", errors, ctx);
  checkPodResources(spec, claims, errors, ctx);
  checkPodSecurity(spec, errors, ctx);
  checkHostProcess(spec, errors, ctx);
  checkOs(spec, errors, ctx);
  checkWorkload(spec, errors);
  checkDeadline(spec.activeDeadlineSeconds, errors);
  checkGates(spec, errors);
  checkNames(spec, errors);
  checkHostname(spec, errors);
  checkShared(spec, errors);
  if (spec.tolerations) checkTolerations(spec.tolerations, "spec.tolerations", errors);
  if (spec.affinity) checkAffinity(spec.affinity, "spec.affinity", errors);
  if (spec.topologySpreadConstraints) checkSpread(spec.topologySpreadConstraints, errors);
}

const MAX_SECONDS = 2 ** 31 - 1;

function checkDeadline(seconds: number | undefined, errors: FieldErrors): void {
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_SECONDS)) return;
  errors.invalid("spec.activeDeadlineSeconds", seconds, `expected a number from 1 to ${MAX_SECONDS}`);
}

/** Gates have qualified names, each once; with gates there is no node yet. */
function checkGates(spec: PodSpec, errors: FieldErrors): void {
  const names = new Set<string>();
  (spec.schedulingGates ?? []).forEach(({ name }, i) => {
    const field = `spec.schedulingGates[${i}]`;
    const wrong = qualifiedName(name);
    if (wrong !== undefined) errors.invalid(field, name, wrong);
    if (names.has(name)) errors.duplicate(field, name);
    names.add(name);
  });
  (spec.readinessGates ?? []).forEach(({ conditionType }, i) => {
    const wrong = qualifiedName(conditionType);
    if (wrong !== undefined) errors.invalid(`spec.readinessGates[${i}].conditionType`, conditionType, wrong);
  });
}
