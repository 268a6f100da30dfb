/** States of containers, as a kubelet reports them. */
import type { Pod } from "../../client/kinds/index.ts";
import { fnv1aOfText } from "../../util/fnv.ts";
import type { Container, ContainerStatus, Exit } from "./contract.ts";
import { textOf, timeIn } from "./times.ts";

/** Whether an init container keeps running together with the others. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";

/** When a container that runs was started, in milliseconds since the epoch. */
export const startedAtOf = ({ state }: ContainerStatus): number | undefined => timeIn(state.running?.startedAt);

/** The last end of a container that runs no more. */
export const lastEndOf = ({ state, lastState }: ContainerStatus): ContainerStatus["state"]["terminated"] =>
  state.terminated ?? (state.running ? undefined : lastState.terminated);

/** Whether a container was started at least once. */
export const hasStarted = ({ state, lastState }: ContainerStatus): boolean =>
  state.running !== undefined || state.terminated !== undefined || lastState.terminated !== undefined;

/** The status of a container that has not started. */
export function waitingStatus(container: Container, reason: string, message?: string): ContainerStatus {
  return {
    name: container.name,
    state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
    lastState: {},
    ready: false,
    restartCount: 0,
    image: container.image ?? "",
    imageID: "",
    started: false,
  };
}

/** The status of a container that waits for its next start, or for its image. */
export const waits = (status: ContainerStatus, reason: string, message?: string): ContainerStatus => ({
  ...status,
  state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
  lastState: status.state.terminated ? { terminated: status.state.terminated } : status.lastState,
  ready: false,
  started: false,
});

/** The status of a container that was started. */
export function runningStatus(
  pod: Pod,
  container: Container,
  before: ContainerStatus | undefined,
  startedAt: number,
): ContainerStatus {
  const last = before && lastEndOf(before);
  const restartCount = before && hasStarted(before) ? before.restartCount + 1 : 0;
  const image = container.image ?? "";
  const { requests, limits } = container.resources ?? {};
  return {
    name: container.name,
    state: { running: { startedAt: textOf(startedAt) } },
    lastState: last ? { terminated: last } : {},
    ready: false,
    restartCount,
    image,
    imageID: `${image.split("@")[0]}@sha256:${hexOf(image)}`,
    containerID: `keelson://${hexOf(`${pod.metadata.uid} ${container.name} ${restartCount}`)}`,
    started: false,
    ...(requests ? { allocatedResources: requests } : {}),
    ...(requests || limits ? { resources: { ...(limits ? { limits } : {}), ...(requests ? { requests } : {}) } } : {}),
  };
}

/** The status of a container that has ended. */
export function endedStatus(status: ContainerStatus, { at, code, reason, message }: Exit): ContainerStatus {
  const began = status.state.running?.startedAt;
  const startedAt = timeIn(began) ?? at;
  return {
    ...status,
    state: {
      terminated: {
        exitCode: code,
        reason: reason ?? (code === 0 ? "Completed" : "Error"),
        ...(message === undefined || message === "" ? {} : { message }),
        startedAt: textOf(startedAt),
        finishedAt: textOf(Math.max(at, startedAt)),
        ...(status.containerID === undefined ? {} : { containerID: status.containerID }),
      },
    },
    ready: false,
    started: false,
  };
}

/** Whether a container starts again after an end. */
export function restarts(pod: Pod, container: Container, code: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    if (!exitCodes || action !== "Restart") continue;
    if ((exitCodes.values ?? []).includes(code) === (exitCodes.operator === "In")) return true;
  }
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && code !== 0);
}

/** 64 hexadecimal digits that follow from a text. */
function hexOf(text: string): string {
  let state = fnv1aOfText(text);
  const bytes = Buffer.allocUnsafe(32);
  for (let at = 0; at < bytes.length; at += 4) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39;
    bytes.writeUInt32BE((state ^ (state >>> 13)) >>> 0, at);
  }
  return bytes.toString("hex");
}
