/**
 * The status of a Pod, from how its volumes and its containers are: phase, conditions, containers. A pure function.
 *
 * @module
 */
import type { Pod } from "../client/kinds/index.ts";
import { formatTime } from "../meta/time.ts";
import { isLike } from "./alike.ts";
import type { PodEnd } from "./contract.ts";
import type { ContainerStates, ContainerStatus } from "./containers/contract.ts";

/** What a status is made from. */
export interface PodState {
  readonly containers: ContainerStates;
  /** Whether every volume that is used stands. */
  readonly isReadyToStart: boolean;
  /** The address of the node, and of the Pod where it has one. */
  readonly hostIP: string;
  readonly podIP?: string | undefined;
  /** Why it has to end. */
  readonly end?: PodEnd | undefined;
  /** Whether nothing of it starts any more. */
  readonly isOver?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Condition = NonNullable<Pod["status"]["conditions"]>[number];

/** What is written of a Pod's status; what others write is left as it is. */
export type WrittenStatus = Pick<
  Pod["status"],
  | "phase"
  | "reason"
  | "message"
  | "conditions"
  | "hostIP"
  | "hostIPs"
  | "podIP"
  | "podIPs"
  | "startTime"
  | "containerStatuses"
  | "initContainerStatuses"
>;

/** The status of a Pod as the agent sees it. */
export function statusOf(pod: Pod, state: PodState): WrittenStatus {
  const { containers, end, hostIP, podIP, now } = state;
  const phase = end ? "Failed" : phaseOf(pod, state);
  const { init, main } = containers;
  return {
    phase,
    ...end,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: pod.status.startTime ?? formatTime(now),
    conditions: conditionsOf(pod, phase, state),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    ...(main.length === 0 ? {} : { containerStatuses: main }),
  };
}

/** Whether a Pod is written what it says already. */
export const isSaid = (pod: Pod, status: WrittenStatus): boolean =>
  Object.entries(status).every(([member, value]) => {
    const known = pod.status[member as keyof WrittenStatus];
    if (member !== "conditions") return isLike(value, known);
    return (value as readonly Condition[]).every((one) => pod.status.conditions?.some((other) => isLike(one, other)));
  });

/** The phase of a Pod by its containers: what has ended does not begin again. */
function phaseOf({ spec, status }: Pod, { containers, isOver = false }: PodState): string {
  if (status.phase === "Succeeded" || status.phase === "Failed") return status.phase;
  const { init, main } = containers;
  const mayRestart = spec.restartPolicy ?? "Always";
  const ended = main.flatMap(({ state }) => state.terminated ?? []);
  const hasFailed = (one: ContainerStatus): boolean => (one.state.terminated?.exitCode ?? 0) !== 0;
  if (isOver && main.every(({ state }) => !state.running)) return main.some(hasFailed) ? "Failed" : "Succeeded";
  if (mayRestart === "Never" && init.some(hasFailed)) return "Failed";
  if (ended.length === main.length) {
    if (mayRestart === "Never") return main.some(hasFailed) ? "Failed" : "Succeeded";
    if (mayRestart === "OnFailure" && !main.some(hasFailed)) return "Succeeded";
    return "Running";
  }
  const hasBegun = main.some(({ state, lastState }) => !state.waiting || lastState.terminated);
  return hasBegun ? "Running" : "Pending";
}

function conditionsOf(pod: Pod, phase: string, { containers, isReadyToStart, now }: PodState): readonly Condition[] {
  const { init, main } = containers;
  const unfinished = init.filter(({ state, started, ready }) => !isDone(state) && !(started && ready));
  const unready = main.filter(({ ready }) => !ready).map(({ name }) => name);
  const isOver = phase === "Succeeded" || phase === "Failed";
  const why = (names: readonly string[]): Pick<Condition, "reason" | "message"> =>
    isOver
      ? { reason: phase === "Succeeded" ? "PodCompleted" : "PodFailed" }
      : { reason: "ContainersNotReady", message: `containers that are not ready: ${names.join(", ")}` };
  const gates = (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const closed = gates.filter(
    (gate) => !pod.status.conditions?.some(({ type, status }) => type === gate && status === "True"),
  );
  const areReady = unready.length === 0 && !isOver;
  const gated = { reason: "ReadinessGatesNotReady", message: `readiness gates that are closed: ${closed.join(", ")}` };
  const wanted: (Pick<Condition, "type" | "reason" | "message"> & { readonly holds: boolean })[] = [
    { type: "PodReadyToStartContainers", holds: isReadyToStart && !isOver },
    unfinished.length === 0 || phase === "Succeeded"
      ? { type: "Initialized", holds: true, ...(phase === "Succeeded" ? { reason: "PodCompleted" } : {}) }
      : {
          type: "Initialized",
          holds: false,
          reason: "ContainersNotInitialized",
          message: `init containers that have not ended: ${unfinished.map(({ name }) => name).join(", ")}`,
        },
    { type: "ContainersReady", holds: areReady, ...(areReady ? {} : why(unready)) },
    {
      type: "Ready",
      holds: areReady && closed.length === 0,
      ...(areReady ? (closed.length === 0 ? {} : gated) : why(unready)),
    },
  ];
  return wanted.map(({ holds, ...condition }) => {
    const status = holds ? "True" : "False";
    const known = pod.status.conditions?.find(({ type }) => type === condition.type);
    const isSame = known?.status === status;
    return { ...condition, status, lastTransitionTime: isSame ? (known.lastTransitionTime ?? null) : formatTime(now) };
  });
}

const isDone = ({ terminated }: ContainerStatus["state"]): boolean => terminated?.exitCode === 0;
