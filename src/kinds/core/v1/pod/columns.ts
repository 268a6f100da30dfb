/**
 * The columns of pods: how many containers are ready, and the state of the Pod in one word (SUP-5).
 *
 * @module
 */
import { ageColumn, since, textColumn } from "../../../../schema/columns.ts";
import type { Column } from "../../../../schema/definition.ts";
import type { ContainerValue } from "./container-schema.ts";
import type { Pod } from "./defaults.ts";
import type { PodStatus } from "./status-schema.ts";

type ContainerStatus = NonNullable<PodStatus["containerStatuses"]>[number];
type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

/** The summary of a Pod for a table. */
export interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
  /** The last end of a container before a restart; empty when none has restarted. */
  readonly lastRestart: string;
}

/** Counts restarts, and the time of the last of them. */
class Restarts {
  count = 0;
  last = "";

  add(status: ContainerStatus): void {
    this.count += status.restartCount ?? 0;
    const ended = status.lastState?.terminated?.finishedAt ?? "";
    if (ended > this.last) this.last = ended;
  }
}

const isTrue = (status: PodStatus, type: string): boolean =>
  (status.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");

/** The result of a container, in one word. */
const ending = ({ reason, signal, exitCode }: Terminated, before = ""): string =>
  reason ? `${before}${reason}` : signal ? `${before}Signal:${signal}` : `${before}ExitCode:${exitCode}`;

/** Why the init containers are not done; undefined when they are. */
function initReason(
  status: ContainerStatus,
  container: ContainerValue | undefined,
  position: string,
): string | undefined {
  const { terminated, waiting } = status.state ?? {};
  if (terminated?.exitCode === 0) return undefined;
  if (container?.restartPolicy === "Always" && status.started) return undefined;
  if (terminated) return ending(terminated, "Init:");
  if (waiting?.reason && waiting.reason !== "PodInitializing") return `Init:${waiting.reason}`;
  return `Init:${position}`;
}

/** Reads a Pod the way tables show it. */
export function summaryOf(pod: Pod): PodSummary {
  const { spec } = pod;
  const status: PodStatus = pod.status ?? {};
  const inits = spec.initContainers ?? [];
  const sidecars = new Map(inits.filter((c) => c.restartPolicy === "Always").map((c) => [c.name, c]));
  const gated = (status.conditions ?? []).some((c) => c.type === "PodScheduled" && c.reason === "SchedulingGated");
  let reason = gated ? "SchedulingGated" : status.reason || status.phase || "";
  let ready = 0;
  let restarts = new Restarts();
  const kept = new Restarts();
  let initializing = false;
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    restarts.add(container);
    const sidecar = sidecars.get(container.name);
    if (sidecar) kept.add(container);
    const why = initReason(container, sidecar, `${i}/${inits.length}`);
    if (why !== undefined) {
      reason = why;
      initializing = true;
      break;
    }
    if (sidecar && container.started && container.ready && !container.state?.terminated) ready++;
  }
  if (!initializing || isTrue(status, "Initialized")) {
    restarts = kept;
    let running = false;
    for (const container of (status.containerStatuses ?? []).toReversed()) {
      restarts.add(container);
      const { waiting, terminated, running: runs } = container.state ?? {};
      if (waiting?.reason) reason = waiting.reason;
      else if (terminated) reason = ending(terminated);
      else if (container.ready && runs) {
        running = true;
        ready++;
      }
    }
    if (reason === "Completed" && running) reason = isTrue(status, "Ready") ? "Running" : "NotReady";
  }
  return {
    ready: `${ready}/${(spec.containers ?? []).length + sidecars.size}`,
    status: deletionReason(pod) ?? reason,
    restarts: restarts.count,
    lastRestart: restarts.last,
  };
}

function deletionReason({ metadata, status }: Pod): string | undefined {
  if (!metadata.deletionTimestamp) return undefined;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? undefined : "Terminating";
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const hold = new Set((status?.conditions ?? []).filter((c) => c.status === "True").map(({ type }) => type));
  return `${gates.filter((gate) => hold.has(gate.conditionType)).length}/${gates.length}`;
}

/** The columns of pods. */
export const podColumns: readonly Column<Pod>[] = [
  textColumn("Ready", "How many containers are ready.", (object) => summaryOf(object).ready),
  textColumn("Status", "How the Pod is, in one word.", (object) => summaryOf(object).status),
  {
    ...textColumn<Pod>("Restarts", "How often containers were restarted, and when last.", (object, now) => {
      const { restarts, lastRestart } = summaryOf(object);
      return restarts > 0 && lastRestart ? `${restarts} (${since(lastRestart, now)} ago)` : String(restarts);
    }),
    timeless: { type: "integer", cell: (object) => summaryOf(object).restarts },
  },
  ageColumn,
  textColumn("IP", "Address of the Pod.", ({ status }) => status.podIPs?.[0]?.ip || "<none>", true),
  textColumn("Node", "The node that the Pod runs on.", ({ spec }) => spec.nodeName || "<none>", true),
  textColumn(
    "Nominated Node",
    "The node that is being made free for the Pod.",
    ({ status }) => status.nominatedNodeName || "<none>",
    true,
  ),
  textColumn("Readiness Gates", "How many of the readiness gates hold.", readinessGates, true),
];
