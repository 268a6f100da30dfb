/**
 * Events for containers that were created and started, with the messages of a kubelet.
 *
 * @module
 */
import type { PluginContext } from "../contract.ts";
import type { PodRecord } from "../record.ts";
import type { ContainerStates, ContainerStatus } from "./contract.ts";

/** Records each start once, without those that an earlier agent has written into the status of the Pod. */
export function recordStarts(
  event: PluginContext["event"],
  { pod, started }: Pick<PodRecord, "pod" | "started">,
  { init, main }: ContainerStates,
): void {
  if (!pod) return;
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
  const record = (list: string, now: readonly ContainerStatus[], before: readonly ContainerStatus[]): void => {
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
  record("initContainers", init, initContainerStatuses);
  record("containers", main, containerStatuses);
}

/** A text for the start of a container, different for each start; undefined before the first. */
function startOf(status: ContainerStatus | undefined): string | undefined {
  const { state, restartCount } = status ?? {};
  const at = state?.running?.startedAt ?? state?.terminated?.startedAt;
  return at ? `${at} ${restartCount}` : undefined;
}
