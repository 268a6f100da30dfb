/**
 * Containers without a process: they are `running` from the time when the volumes are set up until the Pod is deleted.
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import { formatTime } from "../../meta/time.ts";
import type { Clock } from "../../util/clock.ts";
import type { Container, ContainerStates, ContainerStatus, Containers } from "./contract.ts";
import { CREATING, waiting } from "./hold.ts";

/** The mode `run-nothing`. */
export function runNothing(clock: Pick<Clock, "now">): Containers {
  /** The start of the containers of a Pod, by its uid. */
  const begun = new Map<string, string>();
  return {
    async sync(pod, volumes) {
      const { uid } = pod.metadata;
      if (volumes && !begun.has(uid)) begun.set(uid, startOf(pod) ?? formatTime(clock.now()));
      const startedAt = begun.get(uid);
      return startedAt === undefined ? none(pod) : running(pod, startedAt);
    },
    stop: async () => true,
    ended(pod) {
      const startedAt = begun.get(pod.metadata.uid) ?? startOf(pod);
      return startedAt === undefined ? undefined : over(pod, startedAt, formatTime(clock.now()));
    },
    forget: (uid) => void begun.delete(uid),
    close: async () => {},
  };
}

/** The start of a Pod's containers that an earlier agent has written. */
const startOf = ({ status }: Pod): string | undefined =>
  status.containerStatuses?.map(({ state }) => state.running?.startedAt).find((at) => !!at) ?? undefined;

const none = ({ spec }: Pod): ContainerStates => {
  const wait = (container: Container): ContainerStatus => waiting(container, CREATING);
  return { init: (spec.initContainers ?? []).map(wait), main: spec.containers.map(wait) };
};

const running = ({ spec }: Pod, startedAt: string): ContainerStates => ({
  init: (spec.initContainers ?? []).map((container) =>
    container.restartPolicy === "Always" ? runs(container, startedAt) : finished(container, startedAt, startedAt),
  ),
  main: spec.containers.map((container) => runs(container, startedAt)),
});

const over = ({ spec }: Pod, startedAt: string, finishedAt: string): ContainerStates => {
  const end = (container: Container): ContainerStatus => finished(container, startedAt, finishedAt);
  return { init: (spec.initContainers ?? []).map(end), main: spec.containers.map(end) };
};

const runs = (container: Container, startedAt: string): ContainerStatus => ({
  ...waiting(container, {}),
  ready: true,
  started: true,
  state: { running: { startedAt } },
});

const finished = (container: Container, startedAt: string, finishedAt: string): ContainerStatus => ({
  ...waiting(container, {}),
  state: { terminated: { exitCode: 0, reason: "Completed", startedAt, finishedAt } },
});
