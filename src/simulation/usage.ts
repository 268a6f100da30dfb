/** The usage of the containers of a Pod: that of their scripts, or a share of their requests. */
import type { Pod } from "../client/kinds/index.ts";
import type { ContainerUsage, Usage } from "./contract.ts";
import { numberOf } from "./scripts/fields.ts";

/** The shares of the requests that are used. */
const CPU_SHARE = 0.1;
const MEMORY_SHARE = 0.5;
/** The usage of a container without requests. */
const LEAST_CPU = 0.001;
const LEAST_MEMORY = 10 << 20;
const NANO = 1e9;

/** Returns the usage of the running containers. @param said the usage that a script reports for its container */
export function usageOf(pod: Pod, said: (container: string) => Usage | undefined): readonly ContainerUsage[] {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
  const running = new Set(
    [...containerStatuses, ...initContainerStatuses].filter(({ state }) => state.running).map(({ name }) => name),
  );
  return [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])]
    .filter(({ name }) => running.has(name))
    .map(({ name, resources }) => {
      const usage = said(name);
      const { cpu, memory } = resources?.requests ?? {};
      return {
        name,
        cpu: Math.round(
          NANO * (usage?.cpu === undefined ? numberOf(cpu) * CPU_SHARE || LEAST_CPU : numberOf(usage.cpu)),
        ),
        memory: Math.round(
          usage?.memory === undefined ? numberOf(memory) * MEMORY_SHARE || LEAST_MEMORY : numberOf(usage.memory),
        ),
      };
    });
}
