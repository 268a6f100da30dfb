/** Why a budget permits no eviction, why an autoscaler does not scale, and why a Service has no addresses. */
import {
  EndpointSlice,
  type HorizontalPodAutoscaler,
  Pod,
  type PodDisruptionBudget,
  type Service,
} from "../client/kinds/index.ts";
import { isFinished } from "../claims/usage.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { isReady, isTerminating } from "../workloads/common/pods.ts";
import { quoted } from "./events.ts";
import { type Facts, First, prefixed, refOf, textOf } from "./facts.ts";
import { whenText } from "./waits.ts";

/** Explains a budget that permits no disruption. */
export function explainBudget(facts: Facts, { metadata, status }: PodDisruptionBudget): readonly ReportedReason[] {
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods, disruptedPods = {} } = status;
  const now = facts.client.clock.now();
  const reasons: ReportedReason[] = [];
  if (disruptionsAllowed === 0) {
    const says =
      expectedPods === 0
        ? "it permits no eviction: no Pod fits its selector"
        : `it permits no eviction: ${currentHealthy} of ${expectedPods} Pods are healthy, and ${desiredHealthy} have to be`;
    reasons.push({ says, who: "a user who makes the Pods ready, adds replicas, or changes the budget" });
  }
  for (const [name, time] of Object.entries(disruptedPods).slice(0, 10)) {
    const left = Date.parse(time ?? "") + DISRUPTED_MS - now;
    if (left > 0) reasons.push({ says: `${name} is evicted, and counts as disrupted until ${whenText(now, left)}` });
  }
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    reasons.push({
      says: "its status is older than its spec, so it permits no eviction yet",
      who: "the controller disruption",
    });
  return reasons;
}

/** After this time a Pod that was evicted and is there still counts again. */
const DISRUPTED_MS = 120_000;

/** Explains an autoscaler: the replicas that it wants, and what limits it. */
export function explainAutoscaler({ spec, status }: HorizontalPodAutoscaler): readonly ReportedReason[] {
  const { kind, name } = spec.scaleTargetRef;
  const { currentReplicas = 0, desiredReplicas, conditions = [] } = status;
  const reasons: ReportedReason[] = [];
  if (currentReplicas !== desiredReplicas)
    reasons.push({ says: `it wants ${desiredReplicas} replicas of ${kind} ${name}, which has ${currentReplicas}` });
  for (const { type, status: said, reason = "", message = "" } of conditions) {
    const limits =
      (type === "ScalingLimited" && said === "True") || (type === "AbleToScale" && reason.endsWith("Stabilized"));
    if (limits)
      reasons.push({ says: `${quoted(reason)}: ${quoted(message)}`, quotes: { in: "condition", reason: type } });
  }
  return reasons;
}

/** The maximum number of explained Pods. */
const MAX_PODS = 3;

/** Explains a Service without ready addresses. */
export async function explainService(facts: Facts, service: Service): Promise<readonly ReportedReason[]> {
  const { metadata, spec, status } = service;
  const { namespace, name } = metadata;
  if (spec.type === "ExternalName") return [];
  const ports: ReportedReason[] =
    spec.type === "LoadBalancer" && (status.loadBalancer?.ingress ?? []).length === 0
      ? [
          {
            says: "it has no address of a load balancer yet",
            who: "a controller of load balancers, or an operator who starts the server with addresses for them",
          },
        ]
      : [];
  const labelSelector = `kubernetes.io/service-name=${name}`;
  for await (const { endpoints = [] } of facts.each(EndpointSlice, { namespace, labelSelector }))
    if (endpoints?.some(({ conditions }) => conditions?.ready !== false)) return ports;
  const { selector = {} } = spec;
  if (Object.keys(selector).length === 0)
    return [
      ...ports,
      { says: "it has no selector and no addresses", who: "a user who creates EndpointSlices, or adds a selector" },
    ];
  const text = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const waiting = new First<Pod>(MAX_PODS);
  let ready = 0;
  for await (const pod of facts.each(Pod, { namespace, labelSelector: text })) {
    if (isFinished(pod)) continue;
    if (isReady(pod) && !isTerminating(pod)) ready++;
    else waiting.add(pod);
  }
  if (ready > 0)
    return [
      ...ports,
      { says: `${ready} of its Pods are ready, and have no address in it yet`, who: "the controller endpointslice" },
    ];
  if (waiting.count === 0)
    return [
      ...ports,
      {
        says: `it has no addresses: no Pod has the labels ${quoted(text)}`,
        who: "a user who creates Pods, or changes its selector",
      },
    ];
  const reasons: ReportedReason[] = [
    ...ports,
    { says: `it has no ready addresses: none of its ${waiting.count} Pods is ready` },
  ];
  for (const pod of waiting.items)
    reasons.push(...prefixed(`its ${textOf(pod)}`, await facts.reasonsOf(pod)), ...going(pod));
  return reasons;
}

const going = (pod: Pod): readonly ReportedReason[] =>
  isTerminating(pod) ? [{ says: `its ${textOf(pod)} is being deleted`, about: refOf(pod) }] : [];
