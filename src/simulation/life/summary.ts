/** Phase and conditions of a Pod, from its containers. */
import type { Pod } from "../../client/kinds/index.ts";
import type { Container, ContainerStatus, PodCondition } from "./contract.ts";
import { isSidecar } from "./states.ts";
import { textOf } from "./times.ts";

/** The input for phase and conditions. */
export interface Summarised {
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
  /** Whether the node has prepared the volumes and images of the containers. */
  readonly isSetUp: boolean;
  /** Whether nothing starts any more. */
  readonly isEnded: boolean;
}

/** The phase of a Pod. */
export function phaseOf(pod: Pod, { init, main, isEnded }: Summarised): string {
  const statuses = new Map(init.map((status) => [status.name, status]));
  const policy = pod.spec.restartPolicy ?? "Always";
  let sidecars = 0;
  for (const container of pod.spec.initContainers ?? []) {
    const state = statuses.get(container.name)?.state;
    if (isSidecar(container)) sidecars += state?.running ? 1 : 0;
    else if (state?.terminated && state.terminated.exitCode !== 0 && (policy === "Never" || isEnded)) return "Failed";
  }
  const ended = main.flatMap(({ state, lastState }) =>
    state.running ? [] : (state.terminated ?? lastState.terminated ?? []),
  );
  const running = main.filter(({ state }) => state.running).length;
  if (isEnded && running === 0 && sidecars === 0) {
    const isDone = ended.length === main.length && ended.every(({ exitCode }) => exitCode === 0);
    return isDone ? "Succeeded" : "Failed";
  }
  if (ended.length + running < main.length) return "Pending";
  if (running > 0 || sidecars > 0 || policy === "Always") return "Running";
  // A container that waits for its next start has failed, and starts again.
  const isOver = main.every(({ state }) => state.terminated);
  if (!isOver) return "Running";
  if (ended.every(({ exitCode }) => exitCode === 0)) return "Succeeded";
  return policy === "Never" ? "Failed" : "Running";
}

/** Whether a phase is final. */
export const isFinal = (phase: string | undefined): boolean => phase === "Succeeded" || phase === "Failed";

/** Whether an init container lets the next one begin. */
export const isInitDone = (container: Container, status: ContainerStatus | undefined): boolean =>
  isSidecar(container)
    ? status?.state.running !== undefined && status.started === true
    : status?.state.terminated?.exitCode === 0;

/** The conditions of a Pod; those of others stay. */
export function conditionsOf(pod: Pod, phase: string, summarised: Summarised, now: number): readonly PodCondition[] {
  const { init, main, isSetUp } = summarised;
  const before = new Map((pod.status.conditions ?? []).map((one) => [one.type, one]));
  const statuses = new Map(init.map((status) => [status.name, status]));
  const unfinished = (pod.spec.initContainers ?? [])
    .filter((container) => !isInitDone(container, statuses.get(container.name)))
    .map(({ name }) => name);
  const unready = main.filter(({ ready }) => !ready).map(({ name }) => name);
  const isOver = isFinal(phase);
  const why =
    phase === "Succeeded"
      ? { reason: "PodCompleted" }
      : phase === "Failed"
        ? { reason: "PodFailed" }
        : { reason: "ContainersNotReady", message: `containers with unready status: [${unready.join(" ")}]` };
  const areReady = unready.length === 0 && !isOver && unfinished.length === 0;
  const closed = (pod.spec.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((gate) => before.get(gate)?.status !== "True");
  const gated = {
    reason: "ReadinessGatesNotReady",
    message: closed
      .map((gate) => `corresponding condition of pod readiness gate "${gate}" does not exist or is not true.`)
      .join(" "),
  };
  const desired: (Pick<PodCondition, "type" | "reason" | "message"> & { readonly holds: boolean })[] = [
    { type: "PodReadyToStartContainers", holds: isSetUp && !isOver },
    unfinished.length === 0 || phase === "Succeeded"
      ? { type: "Initialized", holds: true, ...(phase === "Succeeded" ? { reason: "PodCompleted" } : {}) }
      : {
          type: "Initialized",
          holds: false,
          reason: "ContainersNotInitialized",
          message: `containers with incomplete status: [${unfinished.join(" ")}]`,
        },
    {
      type: "Ready",
      holds: areReady && closed.length === 0,
      ...(areReady ? (closed.length === 0 ? {} : gated) : why),
    },
    { type: "ContainersReady", holds: areReady, ...(areReady ? {} : why) },
    { type: "PodScheduled", holds: true },
  ];
  const { generation } = pod.metadata;
  const own = desired.map(({ holds, ...condition }): PodCondition => {
    const status = holds ? "True" : "False";
    const known = before.get(condition.type);
    if (condition.type === "PodScheduled" && known?.status === "True") return known;
    const isSame = known?.status === status;
    return {
      ...condition,
      status,
      lastProbeTime: null,
      lastTransitionTime: isSame ? (known.lastTransitionTime ?? null) : textOf(now),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
  });
  const others = (pod.status.conditions ?? []).filter(({ type }) => !desired.some((one) => one.type === type));
  return [...own, ...others];
}
