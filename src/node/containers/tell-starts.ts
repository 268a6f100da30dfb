/**
 * Events for containers that were created and have started, in the words of a kubelet.
 *
 * @module
 */
import type { NodeGround } from "../contract.ts";
import type { PodRecord } from "../record.ts";
import type { ContainerStates, ContainerStatus } from "./contract.ts";

/** Tells each start once: neither one that was told before, nor one that the status of the Pod shows since an earlier agent. */
export function tellStarts(
  event: NodeGround["event"],
  record: Pick<PodRecord, "pod" | "started">,
  { init, main }: ContainerStates,
): void {
  const { pod, started } = record;
  if (!pod) return;
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
  const tell = (list: string, now: readonly ContainerStatus[], before: readonly ContainerStatus[]): void => {
    for (const status of now) {
      const { name } = status;
      const start = startOf(status);
      const known = started.get(name) ?? startOf(before.find((one) => one.name === name));
      if (start === undefined || start === known) continue;
      started.set(name, start);
      const path = `spec.${list}{${name}}`;
      event("Normal", pod, "Created", "Container created", path);
      event("Normal", pod, "Started", "Container started", path);
    }
  };
  tell("initContainers", init, initContainerStatuses);
  tell("containers", main, containerStatuses);
}

/** The start of a container that runs or has ended, as a text that no other start of it has; undefined before the first. */
function startOf(status: ContainerStatus | undefined): string | undefined {
  const { state, restartCount } = status ?? {};
  const at = state?.running?.startedAt ?? state?.terminated?.startedAt;
  return at ? `${at} ${restartCount}` : undefined;
}
