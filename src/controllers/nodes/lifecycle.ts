/**
 * The lifecycle of nodes: finds those whose agents are silent, makes their conditions Unknown and their Pods not ready, and keeps the
 * taints that follow from conditions.
 * A node has one due time, which heartbeats postpone without any work: there is none while all nodes are healthy. The times of heartbeats
 * are kept in memory, as in kube-controller-manager, so that clocks of other machines do not matter: a new leader gives each node its full
 * grace period again.
 */
import { type Key, attempt } from "../../client/index.ts";
import { Node, Pod } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { formatTime, parseTime } from "../../meta/time.ts";
import { type Controller, type KeyContext, type Result, defineKeyController } from "../../runtime/index.ts";
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import { isReady as isPodReady } from "../../workloads/common/pods.ts";
import { silentConditions, silentIn } from "../../workloads/node-health/health.ts";
import { changedRate, decideZones, intervalOf, zoneOf } from "../../workloads/node-health/zones.ts";
import { isReady } from "../common/nodes.ts";
import { LifecycleMemory, NODE, POD, ZONE, ZONES, isNotReady, lifecycleSpecs } from "./memory.ts";
import {
  type NodeTaint,
  type TaintTerms,
  evictingTaintsOf,
  taintsOf,
  withEvicting,
  withoutEvicting,
} from "./taints.ts";

/** The settings of the lifecycle of nodes. */
export interface NodeLifecycleSettings {
  /**
   * Whether nodes that have never had a heartbeat count as alive; default false, as with kube-controller-manager. The kit sets true: its
   * clock moves faster than heartbeats for a plain object could be sent.
   */
  readonly plainNodesLive?: boolean;
}

interface Parts extends KeyContext<LifecycleMemory> {
  readonly domain: string;
  readonly plainNodesLive: boolean;
}

/** A younger node is reported when it is seen first, in milliseconds. */
const NEW_MS = 60_000;

/** The controller named `node-lifecycle-controller`. */
export function nodeLifecycle(
  { labelDomain }: Dialect,
  { plainNodesLive = false }: NodeLifecycleSettings = {},
): Controller {
  const domain = `node.${labelDomain}/`;
  return defineKeyController({
    name: "keelson-node-lifecycle-controller",
    eventSource: "node-controller",
    uses: [lifecycleSpecs.nodes, lifecycleSpecs.leases, lifecycleSpecs.pods],
    begin: (parts, add) => new LifecycleMemory(domain, parts, add),
    async reconcile(ctx): Promise<Result> {
      const { key, memory } = ctx;
      const parts = { ...ctx, domain, plainNodesLive };
      if (key === ZONES) return lookAtZones(parts);
      if (key.startsWith(ZONE)) return taintNext(parts, key.slice(ZONE.length));
      if (key.startsWith(NODE)) return lookAtNode(parts, key.slice(NODE.length));
      const pod = memory.pod(key.slice(POD.length));
      const node = memory.node(pod?.spec.nodeName ?? "");
      if (!pod || !node || !isNotReady(node)) return undefined;
      return (await markNotReady(parts, [pod])) ? undefined : REQUEUE_SOON;
    },
  });
}

async function lookAtNode(parts: Parts, name: string): Promise<Result> {
  const { memory, clock, event, plainNodesLive } = parts;
  const node = memory.node(name);
  const removed = memory.takeRemoved(name);
  if (removed) event("Normal", removed, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
  if (!node) return undefined;
  const moment = { now: clock.now(), steady: clock.steady() };
  const left = silentIn({ node, heartbeats: memory.heartbeats(node), plainNodesLive }, moment);
  if (left !== undefined && left <= 0) {
    const conditions = silentConditions(node, moment.now);
    if (conditions) return setSilent(parts, node, conditions);
    // The process that wrote the conditions may have ended before its Pods were marked, or got no response.
    if (!(await markNotReady(parts, memory.podsOn(name)))) return REQUEUE_SOON;
  }
  if (!(await writeNode(parts, node))) return REQUEUE_SOON;
  return left !== undefined && left > 0 ? { requeueAfter: left } : undefined;
}

/** Writes the conditions of a silent node, and the conditions of its Pods. */
async function setSilent(parts: Parts, node: Node, conditions: readonly object[]): Promise<Result> {
  const { client, event, memory } = parts;
  const { name, uid, resourceVersion } = node.metadata;
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } };
  const written = await attempt(
    client.resource(Node).status.patch({ name }, patch, { strategic: true }),
    "NotFound",
    "Conflict",
  );
  if (!written.ok) return REQUEUE_SOON;
  if (!isReady(node)) return undefined;
  event("Normal", node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
  return (await markNotReady(parts, memory.podsOn(name))) ? undefined : REQUEUE_SOON;
}

/** Sets the condition Ready of Pods to False; reason and message stay. Returns false where one of them had changed. */
async function markNotReady({ client, clock, event }: Parts, pods: readonly Pod[]): Promise<boolean> {
  let isDone = true;
  for (const pod of pods) {
    if (!isPodReady(pod)) continue;
    const { namespace = "", name, uid, generation } = pod.metadata;
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const ready = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()), ...observed };
    const patch = { metadata: { uid }, status: { conditions: [ready] } };
    const written = await attempt(
      client.resource(Pod).status.patch({ namespace, name }, patch, { strategic: true }),
      "NotFound",
      "Conflict",
    );
    if (written.ok) event("Warning", pod, "NodeNotReady", "Node is not ready");
    else if (written.reason === "Conflict") isDone = false;
  }
  return isDone;
}

/** Writes the labels and taints that follow from a node; returns false where the node had changed. */
async function writeNode(parts: Parts, node: Node): Promise<boolean> {
  const { memory, event, clock } = parts;
  const { name, creationTimestamp } = node.metadata;
  if (memory.isNew(node) && clock.now() - (parseTime(creationTimestamp ?? "") ?? 0) < NEW_MS) {
    event("Normal", node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
  }
  const terms = termsOf(parts);
  const scheduling = taintsOf(node, terms.domain, terms.now);
  const all = scheduling ?? node.spec.taints ?? [];
  const evicting = evictingTaintsOf(node, all, terms);
  const stopped = memory.hasStopped ? withoutEvicting(all, terms.domain) : undefined;
  const taints = stopped && stopped.length < all.length ? stopped : (evicting.taints ?? scheduling);
  memory.wait(name, zoneOf(node), evicting.waits);
  return patchNode(parts, node, { taints, labels: agingLabelsOf(node) });
}

/** Adds a taint NoExecute to the next node of a zone, if its rate permits it. */
async function taintNext(parts: Parts, key: string): Promise<Result> {
  const { memory, clock } = parts;
  const zone = memory.zone(key);
  if (memory.hasStopped) return undefined;
  for (const name of zone.waiting) {
    const left = zone.rate.next - clock.steady();
    if (left === Infinity) return undefined;
    if (left > 0) return { requeueAfter: left };
    const node = memory.node(name);
    const taints = node && withEvicting(node, termsOf(parts));
    if (node && taints) {
      if (!(await patchNode(parts, node, { taints }))) return REQUEUE_SOON;
      zone.rate = { ...zone.rate, next: clock.steady() + zone.rate.interval };
    }
    zone.waiting.delete(name);
  }
  return undefined;
}

/** Evaluates all zones: their states, their rates, and whether the fault is outside of the nodes. */
function lookAtZones({ memory, clock }: Parts): Result {
  const now = clock.steady();
  if (memory.lookAt !== undefined && memory.lookAt > now) return { requeueAfter: memory.lookAt - now };
  memory.lookAt = undefined;
  const before = new Map([...memory.zones].map(([key, { state }]) => [key, state]));
  for (const [key, { ready, notReady }] of memory.zones) if (ready + notReady === 0) memory.zones.delete(key);
  const { states, is, allLost } = decideZones(before, memory.zones);
  memory.hasStopped = allLost;
  if (is !== "goes on") {
    if (is === "resumes") memory.beginAnew();
    memory.addNodes();
  }
  for (const [key, state] of states) {
    const zone = memory.zone(key);
    zone.state = state;
    const interval = memory.hasStopped ? Infinity : intervalOf(state, zone);
    zone.rate = changedRate(zone.rate, interval, now);
    if (zone.waiting.size > 0) memory.addZone(key);
  }
  return undefined;
}

const termsOf = ({ domain, clock }: Parts): TaintTerms => ({ domain, now: formatTime(clock.now()) });

/** Pairs of labels of which the second, older one follows the first. */
const AGING_LABELS = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

/** Returns the older labels that are missing or differ; undefined where there is none. */
function agingLabelsOf({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | undefined {
  const changed = AGING_LABELS.flatMap(([now, then]) => {
    const value = labels[now];
    return value !== undefined && labels[then] !== value ? [[then, value]] : [];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** Patches a node in the version of the decision; returns false where it had changed. */
async function patchNode(
  { client }: Parts,
  { metadata: { name, resourceVersion } }: Node,
  { taints, labels }: { readonly taints?: readonly NodeTaint[] | undefined; readonly labels?: object | undefined },
): Promise<boolean> {
  if (!taints && !labels) return true;
  const key: Key<"Cluster"> = { name };
  const patch = {
    metadata: { resourceVersion, ...(labels ? { labels } : {}) },
    ...(taints ? { spec: { taints } } : {}),
  };
  return (await attempt(client.resource(Node).patch(key, patch), "NotFound", "Conflict")).ok;
}
