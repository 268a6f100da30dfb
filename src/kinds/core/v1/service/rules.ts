/**
 * The rules of a Service (KIND-Service-9..16).
 *
 * @module
 */
import { addressWarnings, networkWarnings, legacyNetworkFault } from "../../../../meta/addresses.ts";
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain, qualifiedName } from "../../../../meta/names.ts";
import { validateLabels } from "../../../../meta/object-meta-rules.ts";
import type { ApiObject, WriteContext } from "../../../../schema/definition.ts";
import { checkPortNumber, isPortName } from "../../../rules/ports.ts";
import { type LoadBalancerIngress, validatePlaces } from "../../../rules/load-balancer.ts";
import { endpointAddressFault } from "../../../rules/endpoint-address.ts";
import { validateAddresses } from "./families.ts";
import {
  type Port,
  type Service,
  type ServiceSpec,
  isBalanced,
  isHeadless,
  isReachedFromOutside,
  needsHealthPort,
} from "./schema.ts";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const AFFINITIES = ["ClientIP", "None"];
const TRAFFIC = ["Cluster", "Local"];
const DISTRIBUTIONS = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const MODES = ["Proxy", "VIP"];
const MAX_AFFINITY_LENGTH = 86_400;

/** All faults of a Service. */
export function validateService(
  object: Service,
  before: Service | undefined,
  errors: FieldErrors,
  { dialect }: WriteContext,
): void {
  const { spec } = object;
  const old = before?.spec;
  const { type = "", selector, ports = [] } = spec;
  if (type === "") errors.required("spec.type");
  else if (!TYPES.includes(type)) errors.notSupported("spec.type", type, TYPES);
  if (type === "ExternalName") validateName(spec, errors);
  if (isHeadless(spec) && (type === "NodePort" || type === "LoadBalancer")) {
    errors.invalid("spec.clusterIPs[0]", "None", `expected an address for the type ${type}`);
  }
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") errors.required("spec.ports");
  validatePorts(spec, errors);
  if (selector) validateLabels(selector, "spec.selector", errors);
  validateAffinity(spec, errors);
  validateAddresses(spec, old, errors);
  validateExternal(spec, errors);
  validateBalancer(spec, old, errors);
  validateTraffic(spec, errors);
  validateTopology(object, dialect.labelDomain, errors);
  validateRangesNote(object, before, dialect.labelDomain, errors);
}

function validateName(
  { externalName = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy }: ServiceSpec,
  errors: FieldErrors,
): void {
  const none = "expected none, an ExternalName has no address";
  if (clusterIPs.length > 0) errors.forbidden("spec.clusterIPs", none);
  if (ipFamilies.length > 0) errors.forbidden("spec.ipFamilies", none);
  if (ipFamilyPolicy !== undefined) errors.forbidden("spec.ipFamilyPolicy", none);
  const name = externalName.replace(/\.$/, "");
  if (name === "") return errors.required("spec.externalName");
  const wrong = dnsSubdomain(name);
  if (wrong) errors.invalid("spec.externalName", externalName, wrong);
}

function validatePorts({ type, ports = [] }: ServiceSpec, errors: FieldErrors): void {
  const names = new Set<string>();
  const pairs = new Set<string>();
  const nodePorts = new Set<string>();
  ports.forEach((port, i) => {
    const field = `spec.ports[${i}]`;
    validatePort(port, field, ports.length > 1, errors);
    const { name = "", protocol = "", nodePort = 0 } = port;
    if (name !== "" && names.has(name)) errors.duplicate(`${field}.name`, name);
    names.add(name);
    if (nodePort !== 0 && type === "ClusterIP") {
      errors.forbidden(`${field}.nodePort`, "expected none for the type ClusterIP");
    }
    if (nodePort !== 0 && nodePorts.has(`${nodePort}/${protocol}`)) errors.duplicate(`${field}.nodePort`, nodePort);
    nodePorts.add(`${nodePort}/${protocol}`);
    if (pairs.has(`${port.port}/${protocol}`)) errors.duplicate(field, { port: port.port, protocol });
    pairs.add(`${port.port}/${protocol}`);
  });
}

function validatePort(port: Port, field: string, isOneOfMany: boolean, errors: FieldErrors): void {
  const { name = "", protocol = "", targetPort, appProtocol } = port;
  if (name === "" && isOneOfMany) errors.required(`${field}.name`, "expected a name, there are several ports");
  const wrongName = name === "" ? undefined : dnsLabel(name);
  if (wrongName) errors.invalid(`${field}.name`, name, wrongName);
  checkPortNumber(`${field}.port`, port.port, errors);
  if (protocol === "") errors.required(`${field}.protocol`);
  else if (!PROTOCOLS.includes(protocol)) errors.notSupported(`${field}.protocol`, protocol, PROTOCOLS);
  if (typeof targetPort === "number") checkPortNumber(`${field}.targetPort`, targetPort, errors);
  else if (!isPortName(targetPort)) errors.invalid(`${field}.targetPort`, targetPort, "expected the name of a port");
  const wrongProtocol = appProtocol === undefined ? undefined : qualifiedName(appProtocol);
  if (wrongProtocol) errors.invalid(`${field}.appProtocol`, appProtocol, wrongProtocol);
}

function validateAffinity(
  { sessionAffinity = "", sessionAffinityConfig: config }: ServiceSpec,
  errors: FieldErrors,
): void {
  const field = "spec.sessionAffinityConfig";
  if (sessionAffinity === "") return errors.required("spec.sessionAffinity");
  if (!AFFINITIES.includes(sessionAffinity)) {
    return errors.notSupported("spec.sessionAffinity", sessionAffinity, AFFINITIES);
  }
  if (sessionAffinity === "None") {
    if (config) errors.forbidden(field, "expected none where spec.sessionAffinity is None");
    return;
  }
  const seconds = config?.clientIP?.timeoutSeconds;
  if (seconds === undefined) return errors.required(`${field}.clientIP.timeoutSeconds`);
  if (seconds < 1 || seconds > MAX_AFFINITY_LENGTH) {
    errors.invalid(`${field}.clientIP.timeoutSeconds`, seconds, `expected 1 to ${MAX_AFFINITY_LENGTH}`);
  }
}

function validateExternal({ externalIPs = [] }: ServiceSpec, errors: FieldErrors): void {
  externalIPs.forEach((text, i) => {
    const wrong = endpointAddressFault(text);
    if (wrong) errors.invalid(`spec.externalIPs[${i}]`, text, wrong);
  });
}

function validateBalancer(spec: ServiceSpec, old: ServiceSpec | undefined, errors: FieldErrors): void {
  const { loadBalancerSourceRanges: ranges = [], loadBalancerClass, allocateLoadBalancerNodePorts: allocates } = spec;
  const only = "expected none, it is for the type LoadBalancer";
  // The documents spell the field with a capital letter, and clients look for that.
  const field = "spec.LoadBalancerSourceRanges";
  if (ranges.length > 0 && !isBalanced(spec)) errors.forbidden(field, only);
  const had = new Set(old?.loadBalancerSourceRanges?.map((range) => range.trim()));
  ranges.forEach((range, i) => {
    const wrong = had.has(range.trim()) ? undefined : legacyNetworkFault(range.trim());
    if (wrong) errors.invalid(`${field}[${i}]`, range, wrong);
  });
  if (allocates !== undefined && !isBalanced(spec)) errors.forbidden("spec.allocateLoadBalancerNodePorts", only);
  if (loadBalancerClass === undefined) return;
  const wrong = isBalanced(spec) ? qualifiedName(loadBalancerClass) : undefined;
  if (!isBalanced(spec)) errors.forbidden("spec.loadBalancerClass", only);
  if (wrong) errors.invalid("spec.loadBalancerClass", loadBalancerClass, wrong);
}

function validateTraffic(spec: ServiceSpec, errors: FieldErrors): void {
  const {
    type = "",
    externalTrafficPolicy: outside = "",
    internalTrafficPolicy: inside,
    healthCheckNodePort = 0,
  } = spec;
  if (!isReachedFromOutside(spec)) {
    if (outside !== "") {
      errors.invalid("spec.externalTrafficPolicy", outside, "expected none, nothing outside leads to the service");
    }
  } else if (outside === "") errors.required("spec.externalTrafficPolicy");
  else if (!TRAFFIC.includes(outside)) errors.notSupported("spec.externalTrafficPolicy", outside, TRAFFIC);
  const field = "spec.healthCheckNodePort";
  if (!needsHealthPort(spec)) {
    const expected = "expected none but for the type LoadBalancer with spec.externalTrafficPolicy Local";
    if (healthCheckNodePort !== 0) errors.invalid(field, healthCheckNodePort, expected);
  } else if (healthCheckNodePort === 0) errors.required(field);
  else checkPortNumber(field, healthCheckNodePort, errors);
  if (inside === undefined && TYPES.includes(type) && type !== "ExternalName") {
    errors.required("spec.internalTrafficPolicy");
  }
  if (inside !== undefined && !TRAFFIC.includes(inside)) {
    errors.notSupported("spec.internalTrafficPolicy", inside, TRAFFIC);
  }
  const { trafficDistribution } = spec;
  if (trafficDistribution !== undefined && !DISTRIBUTIONS.includes(trafficDistribution)) {
    errors.notSupported("spec.trafficDistribution", trafficDistribution, DISTRIBUTIONS);
  }
}

/** The old annotation about topology and the new one must be equal. */
function validateTopology({ metadata }: ApiObject, domain: string, errors: FieldErrors): void {
  const [hints, mode] = [`service.${domain}/topology-aware-hints`, `service.${domain}/topology-mode`];
  const { [hints]: old, [mode]: now } = metadata.annotations ?? {};
  if (old === undefined || now === undefined || old === now) return;
  errors.invalid(`metadata.annotations[${mode}]`, now, `expected what the annotation ${hints} says`);
}

/** The ranges of a load balancer may be in an annotation, where they are not in the spec. */
function validateRangesNote(
  { metadata, spec }: ApiObject & Partial<Service>,
  old: ApiObject | undefined,
  domain: string,
  errors: FieldErrors,
): void {
  const key = `service.beta.${domain}/load-balancer-source-ranges`;
  const said = metadata.annotations?.[key];
  if (said === undefined || (spec?.loadBalancerSourceRanges?.length ?? 0) > 0) return;
  const field = `metadata.annotations[${key}]`;
  if (!isBalanced(spec ?? {})) errors.forbidden(field, "expected none, it is for the type LoadBalancer");
  if (said.trim() === "" || old?.metadata.annotations?.[key] === said) return;
  for (const range of said.split(",")) {
    const wrong = legacyNetworkFault(range.trim());
    if (wrong) errors.invalid(field, range.trim(), wrong);
  }
}

/** The immutable members: allocated addresses and families, the class of a load balancer (KIND-Service-7, 12). */
export function validateChange(spec: ServiceSpec, old: ServiceSpec, errors: FieldErrors): void {
  if (spec.type !== "ExternalName" && old.type !== "ExternalName") {
    if (!isHeadless(spec) || !isHeadless(old)) {
      validateKept(["clusterIPs", "address"], spec, old.clusterIPs ?? [], spec.clusterIPs ?? [], errors);
    }
    if (!isHeadless(spec) && !isHeadless(old)) {
      validateKept(["ipFamilies", "family"], spec, old.ipFamilies ?? [], spec.ipFamilies ?? [], errors);
    }
  }
  if (isBalanced(spec) && isBalanced(old) && spec.loadBalancerClass !== old.loadBalancerClass) {
    errors.invalid("spec.loadBalancerClass", spec.loadBalancerClass, "expected no change, once it is a load balancer");
  }
  if (needsHealthPort(spec) && needsHealthPort(old) && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    errors.forbidden("spec.healthCheckNodePort", "expected no change");
  }
}

/** The first is immutable; a second one may be added, and removed where the policy requires that. */
function validateKept(
  [member, what]: readonly [string, string],
  { ipFamilyPolicy }: ServiceSpec,
  before: readonly string[],
  now: readonly string[],
  errors: FieldErrors,
): void {
  const compared = before.length === now.length ? before.length : Math.min(1, before.length);
  for (let i = 0; i < compared; i++) {
    if (before[i] !== now[i]) errors.invalid(`spec.${member}[${i}]`, now, "may not change once set");
  }
  if (before.length > 1 && now.length === 1 && ipFamilyPolicy !== "SingleStack") {
    errors.invalid("spec.ipFamilyPolicy", ipFamilyPolicy, `expected SingleStack where the second ${what} is given up`);
  }
}

/** All faults of the status of a load balancer (KIND-Service-16). */
export function validateLoadBalancer(
  ingress: readonly LoadBalancerIngress[],
  field: string,
  errors: FieldErrors,
  had: readonly LoadBalancerIngress[],
): void {
  validatePlaces(ingress, field, errors, had);
  ingress.forEach(({ ip = "", ipMode }, i) => {
    const at = `${field}[${i}].ipMode`;
    if (ipMode === undefined && ip !== "") errors.required(at, "expected VIP or Proxy together with an address");
    else if (ipMode !== undefined && ip === "") errors.forbidden(at, "expected none without an address");
    else if (ipMode !== undefined && !MODES.includes(ipMode)) errors.notSupported(at, ipMode, MODES);
  });
}

/** Texts for `Warning` headers about a Service. */
export function* warningsOf(object: Service, domain: string): Generator<string> {
  const { spec } = object;
  const { clusterIPs = [], externalIPs = [], loadBalancerIP = "", externalName = "" } = spec;
  const hints = `service.${domain}/topology-aware-hints`;
  if (object.metadata.annotations?.[hints] !== undefined) {
    yield `the annotation ${hints} is deprecated, use service.${domain}/topology-mode`;
  }
  for (const [i, text] of clusterIPs.entries()) yield* addressWarnings(`spec.clusterIPs[${i}]`, text);
  if (isHeadless(spec) && spec.type === "ClusterIP") {
    const idle = (member: string): string => `spec.${member} has no effect on a service without an address`;
    if (loadBalancerIP !== "") yield idle("loadBalancerIP");
    if (externalIPs.length > 0) yield idle("externalIPs");
    if (spec.sessionAffinity !== "None") yield idle("sessionAffinity");
  }
  for (const [i, text] of externalIPs.entries()) yield* addressWarnings(`spec.externalIPs[${i}]`, text);
  if (loadBalancerIP !== "") yield* addressWarnings("spec.loadBalancerIP", loadBalancerIP);
  for (const [i, text] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    yield* networkWarnings(`spec.loadBalancerSourceRanges[${i}]`, text);
  }
  const isName = spec.type === "ExternalName";
  if (isName && externalIPs.length > 0) yield "spec.externalIPs has no effect on the type ExternalName";
  if (!isName && externalName !== "") yield "spec.externalName has no effect but on the type ExternalName";
  if (spec.trafficDistribution === "PreferClose") {
    yield 'spec.trafficDistribution: "PreferClose" is deprecated, use "PreferSameZone"';
  }
}
