/**
 * The rules of the status of a Pod, as node agents and schedulers write it (KIND-Pod-14, KIND-Pod-15).
 *
 * @module
 */
import { addressBytes, familyOf, addressWarnings, legacyAddressFault } from "../../../../meta/addresses.ts";
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsSubdomain, qualifiedName } from "../../../../meta/names.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { claimNames } from "./claim-rules.ts";
import type { Pod } from "./defaults.ts";
import { checkId } from "./security-rules.ts";
import type { PodSpec } from "./spec-schema.ts";
import type { PodStatus } from "./status-schema.ts";

const KNOWN_CONDITIONS = ["PodScheduled", "Ready", "Initialized"];

/** Reports the faults of the new status of a Pod. */
export function validatePodStatus(pod: Pod, old: Pod, errors: FieldErrors, ctx: ApiContext): void {
  const { status, spec } = pod;
  const before = old.status;
  checkConditions(status.conditions ?? [], errors);
  checkNominated(status.nominatedNodeName, before?.nominatedNodeName, spec, errors);
  if ((status.observedGeneration ?? 0) < 0) {
    errors.invalid("status.observedGeneration", status.observedGeneration, "expected 0 or more");
  }
  const [qos = "", had = ""] = [status.qosClass, before?.qosClass];
  if (qos !== had) errors.invalid("status.qosClass", qos, `expected it to stay ${had}`);
  checkEnded("containerStatuses", pod, old, errors);
  checkEnded("initContainerStatuses", pod, old, errors);
  checkEnded("ephemeralContainerStatuses", pod, old, errors);
  for (const list of LISTS) if (status[list]) checkUsers(status[list], spec, `status.${list}`, errors);
  if (status.resourceClaimStatuses) checkClaims(status.resourceClaimStatuses, spec, errors, ctx);
  checkAddresses(status.podIPs ?? [], before?.podIPs ?? [], "status.podIPs", errors, ctx);
  const hosts = status.hostIPs ?? [];
  if (hosts.length > 0 && (hosts[0]!.ip ?? "") !== (status.hostIP ?? "")) {
    errors.invalid("status.hostIPs[0].ip", hosts[0]!.ip ?? "", "expected what status.hostIP says");
  }
  checkAddresses(hosts, before?.hostIPs ?? [], "status.hostIPs", errors, ctx);
}

function checkConditions(conditions: NonNullable<PodStatus["conditions"]>, errors: FieldErrors): void {
  conditions.forEach(({ type, observedGeneration = 0 }, i) => {
    const field = `status.conditions[${i}]`;
    if (observedGeneration < 0) {
      errors.invalid(`${field}.observedGeneration`, observedGeneration, "expected 0 or more");
    }
    const wrong = KNOWN_CONDITIONS.includes(type) ? undefined : qualifiedName(type);
    // The field of the cause has the Go name of the member.
    if (wrong !== undefined) errors.invalid(`${field}.Type`, type, wrong);
  });
}

/** A nominated node: a name, and none for a Pod that has its node. */
function checkNominated(name: string | undefined, had: string | undefined, spec: PodSpec, errors: FieldErrors): void {
  if (!name || name === had) return;
  const field = "status.nominatedNodeName";
  const wrong = dnsSubdomain(name);
  if (wrong !== undefined) errors.invalid(field, name, wrong);
  if (spec.nodeName) errors.forbidden(field, "expected none, the Pod has its node");
}

type ClaimStatuses = NonNullable<PodStatus["resourceClaimStatuses"]>;

/** Claims for names of the Pod, each once. */
function checkClaims(claims: ClaimStatuses, spec: PodSpec, errors: FieldErrors, { dialect }: ApiContext): void {
  const known = claimNames(spec.resourceClaims);
  const seen = new Set<string>();
  claims.forEach(({ name, resourceClaimName: claim }, i) => {
    const field = `status.resourceClaimStatuses[${i}]`;
    if (!known.has(name)) errors.invalid(`${field}.name`, name, "expected a name in spec.resourceClaims");
    if (seen.has(name)) errors.duplicate(`${field}.name`, name);
    seen.add(name);
    const wrong = claim === undefined ? undefined : dnsSubdomain(claim);
    // Kubernetes reports the fault at the name.
    const blamed = dialect.rules.recordedCauseNames ? "name" : "resourceClaimName";
    if (wrong !== undefined) errors.invalid(`${field}.${blamed}`, claim, wrong);
  });
}

const LISTS = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

/** The users of processes: ids of Linux, on Linux. */
function checkUsers(
  statuses: NonNullable<PodStatus["containerStatuses"]>,
  { os }: PodSpec,
  at: string,
  errors: FieldErrors,
): void {
  statuses.forEach(({ user }, i) => {
    const linux = user?.linux;
    if (!linux) return;
    const field = `${at}[${i}].user.linux`;
    if (os?.name === "windows") return errors.forbidden(field, "expected none for windows");
    checkId(linux.uid, `${field}.uid`, errors);
    checkId(linux.gid, `${field}.gid`, errors);
    linux.supplementalGroups?.forEach((id, j) => checkId(id, `${field}.supplementalGroups[${j}]`, errors));
  });
}

const CONTAINERS = {
  containerStatuses: "containers",
  initContainerStatuses: "initContainers",
  ephemeralContainerStatuses: "ephemeralContainers",
} as const;

/** A container that has ended and does not restart cannot run again. */
function checkEnded(member: keyof typeof CONTAINERS, pod: Pod, old: Pod, errors: FieldErrors): void {
  if (!old.status?.[member]?.some(({ state }) => state?.terminated)) return;
  const going = new Set((pod.status[member] ?? []).filter(({ state }) => !state?.terminated).map(({ name }) => name));
  const containers = new Map((old.spec[CONTAINERS[member]] ?? []).map((one) => [one.name, one]));
  old.status[member].forEach(({ name, state }, i) => {
    const ended = state?.terminated;
    if (!ended || !going.has(name)) return;
    const container = containers.get(name);
    if (container && member !== "ephemeralContainerStatuses" && startsAgain(container, old.spec, ended.exitCode ?? 0))
      return;
    errors.forbidden(`status.${member}[${i}].state`, "expected it to stay as it has ended");
  });
}

/** Whether a container restarts after this end. */
function startsAgain(
  container: NonNullable<PodSpec["containers"]>[number],
  { restartPolicy: ofPod }: PodSpec,
  code: number,
): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    if (!exitCodes || !action.startsWith("Restart")) continue;
    if ((exitCodes.values ?? []).includes(code) === (exitCodes.operator === "In")) return true;
  }
  const policy = container.restartPolicy ?? ofPod;
  return policy === "Always" || (policy === "OnFailure" && code !== 0);
}

/** Addresses, at most one of each family; the form of existing ones is not validated. */
function checkAddresses(
  addresses: readonly { readonly ip?: string }[],
  before: readonly { readonly ip?: string }[],
  field: string,
  errors: FieldErrors,
  { dialect }: ApiContext,
): void {
  const had = new Set(before.map(({ ip }) => ip));
  addresses.forEach(({ ip = "" }, i) => {
    const wrong = had.has(ip) ? undefined : legacyAddressFault(ip);
    if (wrong !== undefined) errors.invalid(`${field}[${i}]`, ip, wrong);
  });
  if (addresses.length < 2) return;
  const bytes = addresses.map(({ ip = "" }) => addressBytes(ip));
  // For Kubernetes, duplicates are a fault of the server.
  if (dialect.rules.recordedCauseNames && bytes.includes(undefined)) {
    errors.add("InternalError", field, "Internal error: expected addresses");
  }
  const families = new Set(bytes.map((one) => one && familyOf(one)));
  if (families.size < bytes.length || families.has(undefined)) {
    errors.invalid(field, addresses, "expected at most one address of each family");
  }
}

/** Warnings about addresses of a status that are not in their canonical form. */
export function* statusAddressWarnings({ podIPs, hostIPs }: PodStatus): Generator<string> {
  for (const [i, { ip }] of (podIPs ?? []).entries()) yield* addressWarnings(`status.podIPs[${i}].ip`, ip);
  for (const [i, { ip }] of (hostIPs ?? []).entries()) yield* addressWarnings(`status.hostIPs[${i}].ip`, ip);
}
