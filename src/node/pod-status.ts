/**
 * The status of a Pod, a pure function of its volumes and containers: phase, conditions, containers.
 *
 * @module
 */
import type { Pod } from "../client/kinds/index.ts";
import { transitionTime } from "../meta/conditions.ts";
import { formatTime } from "../meta/time.ts";
import { isLike } from "./alike.ts";
import type { PodEnd } from "./contract.ts";
import type { ContainerStates, ContainerStatus } from "./containers/contract.ts";

/** What a status follows from. */
export interface PodState {
  readonly containers: ContainerStates;
  /** Whether all used volumes are set up. */
  readonly isReadyToStart: boolean;
  /** The address of the node. */
  readonly hostIP: string;
  readonly podIP?: string | undefined;
  /** Why the agent ends the Pod. */
  readonly end?: PodEnd | undefined;
  /** Whether no container starts any more. */
  readonly isOver?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Condition = NonNullable<Pod["status"]["conditions"]>[number];

/** The members of a Pod's status that the agent writes. */
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

/** The status that the agent writes. */
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

/** Whether the status of a Pod has all members of a new one. */
export const isWritten = (pod: Pod, status: WrittenStatus): boolean =>
  Object.entries(status).every(([member, value]) => {
    const known = pod.status[member as keyof WrittenStatus];
    if (member !== "conditions") return isLike(value, known);
    return (value as readonly Condition[]).every((one) => pod.status.conditions?.some((other) => isLike(one, other)));
  });

/** The phase of a Pod from its containers; a final phase stays. */
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
      : { reason: "ContainersNotReady", message: `containers with unready status: [${names.join(" ")}]` };
  const gates = (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const closed = gates.filter(
    (gate) => !pod.status.conditions?.some(({ type, status }) => type === gate && status === "True"),
  );
  const areReady = unready.length === 0 && !isOver;
  const message = closed
    .map((gate) => `corresponding condition of pod readiness gate "${gate}" is not true.`)
    .join(" ");
  const gated = { reason: "ReadinessGatesNotReady", message };
  const desired: (Pick<Condition, "type" | "reason" | "message"> & { readonly holds: boolean })[] = [
    { type: "PodReadyToStartContainers", holds: isReadyToStart && !isOver },
    unfinished.length === 0 || phase === "Succeeded"
      ? { type: "Initialized", holds: true, ...(phase === "Succeeded" ? { reason: "PodCompleted" } : {}) }
      : {
          type: "Initialized",
          holds: false,
          reason: "ContainersNotInitialized",
          message: `containers with incomplete status: [${unfinished.map(({ name }) => name).join(" ")}]`,
        },
    { type: "ContainersReady", holds: areReady, ...(areReady ? {} : why(unready)) },
    {
      type: "Ready",
      holds: areReady && closed.length === 0,
      ...(areReady ? (closed.length === 0 ? {} : gated) : why(unready)),
    },
  ];
  return desired.map(({ holds, ...condition }) => {
    const status = holds ? "True" : "False";
    const known = pod.status.conditions?.find(({ type }) => type === condition.type);
    return { ...condition, status, lastTransitionTime: transitionTime(known, status, formatTime(now)) };
  });
}

const isDone = ({ terminated }: ContainerStatus["state"]): boolean => terminated?.exitCode === 0;
