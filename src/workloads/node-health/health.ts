/**
 * Whether the agent of a node is silent: the time since its last heartbeat, and the resulting conditions.
 *
 * @module
 */
import type { Lease, Node } from "../../client/kinds/index.ts";
import { formatTime, parseTime } from "../../meta/time.ts";

/** After this time without a heartbeat the conditions of a node become Unknown, in milliseconds. */
export const GRACE_MS = 50_000;

/** The same for a node that has never had the condition Ready, since its creation. */
export const STARTUP_GRACE_MS = 60_000;

/** Marks a node whose Pods are simulated; the value does not matter. */
export const SIMULATED_NODE = "simulation.keelson.dev/node";

/** The time (RFC 3339) of the last heartbeat of a simulated node; without it the node is alive. */
export const HEARTBEATS_STOPPED = "simulation.keelson.dev/heartbeats-stopped";

const KWOK_NODE = "kwok.x-k8s.io/node";

/** The types that become Unknown; the agent does not set `NetworkUnavailable`. */
const AGENT_CONDITIONS = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] as const;

type Condition = NonNullable<NonNullable<Node["status"]>["conditions"]>[number];

/** The last seen heartbeats of a node: as texts, which are only compared, and when they last changed. */
export interface Heartbeats {
  readonly uid: string;
  readonly status: string;
  readonly lease: string;
  /** On the steady clock. */
  readonly seenAt: number;
}

/** A time on both clocks, in milliseconds. */
export interface Moment {
  /** Since the epoch. */
  readonly now: number;
  /** On the steady clock, which does not jump. */
  readonly steady: number;
}

/** The heartbeats of a node, and the rule for nodes without heartbeats. */
export interface NodeHealthInput {
  readonly node: Node;
  readonly heartbeats: Heartbeats;
  /** Whether a node without a lease, and whose condition Ready has no `lastHeartbeatTime`, counts as alive. */
  readonly plainNodesLive: boolean;
}

/** Returns a condition of a node. */
export const conditionOfNode = ({ status }: Node, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** Whether the condition Ready has the status that a controller writes for a silent node. */
const isSilence = (ready: Condition | undefined): boolean =>
  ready?.status === "Unknown" && (ready.reason === "NodeStatusUnknown" || ready.reason === "NodeStatusNeverUpdated");

/**
 * Returns the heartbeats of a node after a look at it and at its lease. Clocks of other machines are not compared: a changed condition
 * Ready or a renewed lease counts from when it is seen. What this project writes about silent nodes is no heartbeat.
 */
export function heartbeatsOf(
  before: Heartbeats | undefined,
  node: Node,
  lease: Lease | undefined,
  steady: number,
): Heartbeats {
  const { uid } = node.metadata;
  const known = before?.uid === uid ? before : undefined;
  const ready = conditionOfNode(node, "Ready");
  const status = isSilence(ready) && known ? known.status : beatOf(ready);
  const renewed = lease?.spec?.renewTime ?? "";
  if (known && known.status === status && known.lease === renewed) return known;
  return { uid, status, lease: renewed, seenAt: steady };
}

const beatOf = (ready: Condition | undefined): string =>
  ready ? `${ready.status} ${ready.lastHeartbeatTime ?? ""} ${ready.lastTransitionTime ?? ""}` : "";

/** Whether a node is simulated: its lease is not renewed, and it is alive until its heartbeats are stopped. */
export function isSimulatedNode({ metadata: { annotations = {} } }: Pick<Node, "metadata">): boolean {
  return Object.hasOwn(annotations, SIMULATED_NODE) || annotations[KWOK_NODE] === "fake";
}

/**
 * Returns the milliseconds until a node counts as silent, 0 or fewer where it does; undefined where it never does.
 *
 * - A simulated node: 50 s after the time in its annotation, never without one.
 * - A node that never had the condition Ready and no lease: 60 s after its creation.
 * - Others: 50 s after the last heartbeat was seen.
 */
export function silentIn({ node, heartbeats, plainNodesLive }: NodeHealthInput, moment: Moment): number | undefined {
  const stopped = parseTime(node.metadata.annotations?.[HEARTBEATS_STOPPED] ?? "");
  if (stopped !== undefined) return stopped + GRACE_MS - moment.now;
  if (isSimulatedNode(node)) return undefined;
  const ready = conditionOfNode(node, "Ready");
  if (plainNodesLive && heartbeats.lease === "" && !ready?.lastHeartbeatTime) return undefined;
  if (!ready && heartbeats.lease === "") {
    const created = parseTime(node.metadata.creationTimestamp ?? "") ?? moment.now;
    return created + STARTUP_GRACE_MS - moment.now;
  }
  return heartbeats.seenAt + (ready ? GRACE_MS : STARTUP_GRACE_MS) - moment.steady;
}

/**
 * Returns the conditions of a silent node: Ready and those of memory, disk and process ids become Unknown; undefined where Ready is
 * Unknown already.
 *
 * @param now in milliseconds since the epoch
 */
export function silentConditions(node: Node, now: number): readonly Condition[] | undefined {
  if (conditionOfNode(node, "Ready")?.status === "Unknown") return undefined;
  const time = formatTime(now);
  return AGENT_CONDITIONS.flatMap((type): Condition[] => {
    const old = conditionOfNode(node, type);
    if (old?.status === "Unknown") return [];
    if (old) {
      const reason = "NodeStatusUnknown";
      const message = "Kubelet stopped posting node status.";
      return [{ ...old, status: "Unknown", reason, message, lastTransitionTime: time }];
    }
    return [
      {
        type,
        status: "Unknown",
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
        lastHeartbeatTime: node.metadata.creationTimestamp ?? time,
        lastTransitionTime: time,
      },
    ];
  });
}
