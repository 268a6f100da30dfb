/**
 * The defaults that Kubernetes writes into a Pod (SUP-5).
 *
 * @module
 */
import type { ApiContext, ApiObject } from "../../../../schema/definition.ts";
import { isHugePage, roundResources } from "../../../rules/quantities.ts";
import { defaultPullPolicy } from "../volumes/images.ts";
import type { Source } from "../volumes/sources.ts";
import type { ContainerValue } from "./container-schema.ts";
import { type ResourceRequirements, isOfPods } from "./resource-rules.ts";
import { totalLimits, totalRequests } from "./resource-totals.ts";
import type { PodSpec } from "./spec-schema.ts";
import type { PodStatus } from "./status-schema.ts";
import { defaultVolumes } from "./volumes.ts";

/** A Pod in wire form. */
export type Pod = ApiObject & { spec: PodSpec; status: PodStatus };

const GRACE_SECONDS = 30;

type Probe = NonNullable<ContainerValue["livenessProbe"]>;

/** Sets the defaults; changes `pod`. */
export function defaultPod(pod: Pod, sources: readonly Source[], ctx: ApiContext): void {
  const { spec } = pod;
  spec.enableServiceLinks ??= true;
  // A negative time means the minimum (KIND-PodSpec-18).
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    defaultRequests(container);
    if (spec.hostNetwork) defaultHostPorts(container);
  }
  if (spec.resources) defaultPodResources(spec, spec.resources);
  defaultPodSpec(spec, sources, ctx);
  if (pod.status) defaultAddresses(pod.status);
}

/** Sets the defaults that a template of Pods has, too (KIND-All-12); changes `spec`. */
export function defaultPodSpec(spec: PodSpec, sources: readonly Source[], ctx: ApiContext): void {
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= GRACE_SECONDS;
  spec.schedulerName ||= "default-scheduler";
  nameServiceAccount(spec);
  roundResources(spec.overhead);
  roundResources(spec.resources?.limits);
  roundResources(spec.resources?.requests);
  defaultVolumes(spec.volumes ?? [], sources, ctx);
  for (const list of ["containers", "initContainers", "ephemeralContainers"] as const) {
    for (const container of spec[list] ?? []) defaultContainer(container);
  }
}

/** The service account has two names, of which the newer one has precedence. */
function nameServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function defaultContainer(container: ContainerValue): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image ?? "");
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  roundResources(container.resources?.limits);
  roundResources(container.resources?.requests);
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) defaultProbe(probe);
  }
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
}

/** A resource with a limit and without a request gets the limit as its request. */
function defaultRequests({ resources }: ContainerValue): void {
  const limits = resources?.limits;
  if (!limits || Object.keys(limits).length === 0) return;
  resources.requests = { ...limits, ...resources.requests };
}

/** Missing requests of the Pod as a whole are those of its containers, then its limits (KIND-Pod-2). */
function defaultPodResources(spec: PodSpec, resources: ResourceRequirements): void {
  const limits = { ...resources.limits };
  const requests = { ...resources.requests };
  if (isEmpty(limits) && isEmpty(requests)) return;
  const total = totalLimits(spec);
  for (const name in total) {
    if (isHugePage(name) && requests[name] === undefined) limits[name] ??= total[name]!;
  }
  if (isEmpty(limits)) return;
  resources.limits = limits;
  const asked = totalRequests(spec);
  for (const name in asked) if (isOfPods(name) && !isHugePage(name)) requests[name] ??= asked[name]!;
  for (const name in limits) if (isOfPods(name)) requests[name] ??= limits[name]!;
  if (!isEmpty(requests)) resources.requests = requests;
}

const isEmpty = (map: object): boolean => Object.keys(map).length === 0;

/** On the network of the node a port is a port of the node. */
function defaultHostPorts({ ports }: ContainerValue): void {
  for (const port of ports ?? []) port.hostPort ||= port.containerPort;
}

/** The first of the addresses is the address; where both are set and differ, the address has precedence. */
function defaultAddresses(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  else if (first && !status.podIP) status.podIP = first;
}
