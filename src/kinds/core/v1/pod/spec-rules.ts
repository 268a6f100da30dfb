/**
 * The rules of a Pod's spec beside those of its volumes and containers (SUP-5).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { type TextCheck, dnsLabel, dnsSubdomain, labelValue, qualifiedName } from "../../../../meta/names.ts";
import { validateLabels } from "../../../../meta/object-meta-rules.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { validateLabelSelector } from "../../../../schema/validation/label-selector.ts";
import { validateNodeSelector, validateWish } from "../node-selector.ts";
import type { Source } from "../volumes/sources.ts";
import { checkPodClaims, claimNames } from "./claim-rules.ts";
import { validateContainers } from "./container-rules.ts";
import type { Pod } from "./defaults.ts";
import { isMirror } from "./mirror.ts";
import { checkOs } from "./os-rules.ts";
import { checkOverhead, checkPodResources } from "./resource-rules.ts";
import { checkHostProcess, checkPodSecurity } from "./security-rules.ts";
import type { PodSpec, PodVolume } from "./spec-schema.ts";
import { validateVolumes } from "./volumes.ts";
import { checkWorkload } from "./workload-rules.ts";

/** Members that are one of a few words. */
const WORDS: readonly (readonly [
  member: "dnsPolicy" | "restartPolicy" | "preemptionPolicy",
  words: readonly string[],
])[] = [
  ["dnsPolicy", ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]],
  ["restartPolicy", ["Always", "Never", "OnFailure"]],
  ["preemptionPolicy", ["Never", "PreemptLowerPriority"]],
];

/** Members that are names of something. */
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
 * Everything that is wrong with a Pod.
 *
 * @param isTemplate whether it is only what Pods are made of
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
  if (spec.resourceClaims) checkPodClaims(spec.resourceClaims, !isTemplate && isMirror(pod, ctx.dialect), errors);
  const claims = claimNames(spec.resourceClaims);
  let named: ReadonlyMap<string, PodVolume> | undefined;
  const sent = () => (named ??= new Map(spec.volumes?.map((volume) => [volume.name, volume])));
  validateContainers({ errors, ctx, spec, isTemplate, volumes, sent, claims });
  for (const [member, words] of WORDS) {
    const value = spec[member];
    if (value && !words.includes(value)) errors.notSupported(`spec.${member}`, value, words);
  }
  for (const [member, rule] of NAMES) {
    const value = spec[member];
    const wrong = value ? rule(value) : undefined;
    if (wrong !== undefined) errors.invalid(`spec.${member}`, value, wrong);
  }
  if (spec.nodeSelector) validateLabels(spec.nodeSelector, "spec.nodeSelector", errors);
  if (spec.overhead) checkOverhead(spec.overhead, "spec.overhead", errors, ctx);
  checkPodResources(spec, claims, errors, ctx);
  checkPodSecurity(spec, errors, ctx);
  checkHostProcess(spec, errors);
  checkOs(spec, errors, ctx);
  checkWorkload(spec, errors);
  checkDeadline(spec.activeDeadlineSeconds, errors);
  checkGates(spec, errors);
  checkHosts(spec, errors);
  checkTolerations(spec.tolerations ?? [], errors);
  checkAffinity(spec.affinity, "spec.affinity", errors);
  checkSpread(spec, errors);
}

const MOST_SECONDS = 2 ** 31 - 1;

function checkDeadline(seconds: number | undefined, errors: FieldErrors): void {
  if (seconds === undefined || (seconds >= 1 && seconds <= MOST_SECONDS)) return;
  errors.invalid("spec.activeDeadlineSeconds", seconds, `expected a number from 1 to ${MOST_SECONDS}`);
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

function checkHosts(spec: PodSpec, errors: FieldErrors): void {
  (spec.hostAliases ?? []).forEach((alias, i) => {
    const field = `spec.hostAliases[${i}]`;
    checkAddress(`${field}.ip`, alias.ip, errors);
    (alias.hostnames ?? []).forEach((name, j) => {
      const wrong = dnsSubdomain(name);
      if (wrong !== undefined) errors.invalid(`${field}.hostnames[${j}]`, name, wrong);
    });
  });
  const servers = spec.dnsConfig?.nameservers ?? [];
  servers.forEach((server, i) => checkAddress(`spec.dnsConfig.nameservers[${i}]`, server, errors));
  if (spec.dnsPolicy !== "None" || servers.length > 0) return;
  const field = spec.dnsConfig ? "spec.dnsConfig.nameservers" : "spec.dnsConfig";
  errors.required(field, "expected at least one nameserver where dnsPolicy is None");
}

function checkAddress(field: string, address: string | undefined, errors: FieldErrors): void {
  if (!isAddress(address ?? "")) errors.invalid(field, address ?? "", "expected an IP address");
}

const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);

/** Whether a text is an IPv4 address in four plain numbers, or an IPv6 address. */
const isAddress = (text: string): boolean =>
  IPV4.test(text) || (/^[\da-fA-F:.]+$/.test(text) && text.includes(":") && URL.canParse(`http://[${text}]/`));

const EFFECTS = ["NoExecute", "NoSchedule", "PreferNoSchedule"];

function checkTolerations(tolerations: NonNullable<PodSpec["tolerations"]>, errors: FieldErrors): void {
  tolerations.forEach((toleration, i) => {
    const at = `spec.tolerations[${i}]`;
    const { key, operator = "", value = "", effect, tolerationSeconds } = toleration;
    const wrongKey = key ? qualifiedName(key) : undefined;
    if (wrongKey !== undefined) errors.invalid(`${at}.key`, key, wrongKey);
    if (!key && operator !== "Exists") errors.invalid(`${at}.operator`, operator, "expected Exists without a key");
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      errors.invalid(`${at}.effect`, effect ?? "", "expected NoExecute beside tolerationSeconds");
    }
    const wrongValue = labelValue(value);
    if (operator === "Exists") {
      if (value !== "") errors.invalid(`${at}.operator`, value, "expected no value for Exists");
    } else if (operator !== "" && operator !== "Equal") {
      errors.notSupported(`${at}.operator`, operator, ["Equal", "Exists"]);
    } else if (wrongValue !== undefined) errors.invalid(`${at}.operator`, value, wrongValue);
    if (effect && !EFFECTS.includes(effect)) errors.notSupported(`${at}.effect`, effect, EFFECTS);
  });
}

type Affinity = NonNullable<PodSpec["affinity"]>;
type PodTerm = NonNullable<
  NonNullable<Affinity["podAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]
>[number];

function checkAffinity(affinity: Affinity | undefined, at: string, errors: FieldErrors): void {
  const node = affinity?.nodeAffinity;
  const required = node?.requiredDuringSchedulingIgnoredDuringExecution;
  const field = "requiredDuringSchedulingIgnoredDuringExecution";
  if (required) validateNodeSelector(required, `${at}.nodeAffinity.${field}`, errors);
  (node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach(({ weight, preference }, i) => {
    const entry = `${at}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
    checkWeight(`${entry}.weight`, weight, errors);
    validateWish(preference ?? {}, `${entry}.preference`, errors);
  });
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    (affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? []).forEach((term, i) => {
      checkPodTerm(term, `${at}.${kind}.${field}[${i}]`, errors);
    });
    (affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach((wish, i) => {
      const entry = `${at}.${kind}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
      checkWeight(`${entry}.weight`, wish.weight, errors);
      checkPodTerm(wish.podAffinityTerm, `${entry}.podAffinityTerm`, errors);
    });
  }
}

function checkWeight(field: string, weight: number | undefined, errors: FieldErrors): void {
  if (weight === undefined || weight < 1 || weight > 100) {
    errors.invalid(field, weight ?? 0, "expected a number from 1 to 100");
  }
}

function checkPodTerm(term: Partial<PodTerm>, at: string, errors: FieldErrors): void {
  if (term.labelSelector) validateLabelSelector(term.labelSelector, `${at}.labelSelector`, errors);
  if (term.namespaceSelector) validateLabelSelector(term.namespaceSelector, `${at}.namespaceSelector`, errors);
  (term.namespaces ?? []).forEach((name, i) => {
    const wrong = dnsLabel(name);
    // The namespaces are told of by the field as a whole.
    if (wrong !== undefined) errors.invalid(`${at}.namespace`, name, `namespaces[${i}]: ${wrong}`);
  });
  checkTopologyKey(`${at}.topologyKey`, term.topologyKey, errors);
}

function checkTopologyKey(field: string, key: string | undefined, errors: FieldErrors): void {
  if (!key) return errors.required(field);
  const wrong = qualifiedName(key);
  if (wrong !== undefined) errors.invalid(field, key, wrong);
}

function checkSpread({ topologySpreadConstraints = [] }: PodSpec, errors: FieldErrors): void {
  const actions = ["DoNotSchedule", "ScheduleAnyway"];
  const idOf = (constraint: (typeof topologySpreadConstraints)[number]): string =>
    JSON.stringify([constraint.topologyKey, constraint.whenUnsatisfiable]);
  const last = new Map(topologySpreadConstraints.map((constraint, i) => [idOf(constraint), i]));
  topologySpreadConstraints.forEach((constraint, i) => {
    const at = `spec.topologySpreadConstraints[${i}]`;
    const { maxSkew, whenUnsatisfiable: action } = constraint;
    if (maxSkew <= 0) errors.invalid(`${at}.maxSkew`, maxSkew, "expected a number above 0");
    if (!constraint.topologyKey) errors.required(`${at}.topologyKey`);
    if (!actions.includes(action)) errors.notSupported(`${at}.whenUnsatisfiable`, action ?? "", actions);
    if (constraint.labelSelector) validateLabelSelector(constraint.labelSelector, `${at}.labelSelector`, errors);
    if (last.get(idOf(constraint))! > i) {
      errors.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${constraint.topologyKey}, ${action}}`);
    }
  });
}
