import type { Pod } from "../../../../src/client/kinds/index.ts";
import {
  conditionOf,
  createdAt,
  GOES_ON,
  headOf,
  type Named,
  type Row,
  says,
  type Span,
  type SpanState,
  timeOf,
  trueSince,
} from "./rows.ts";

/** The life of a Pod: without a node, starting, ready, ended. */
export function podRow(pod: Pod): Row {
  const created = createdAt(pod);
  const { phase = "Pending" } = pod.status;
  const scheduled = trueSince(pod, "PodScheduled");
  const ready = trueSince(pod, "Ready");
  const deleted = deletedAt(pod);
  const ended = phase === "Succeeded" || phase === "Failed" ? endOf(pod) : undefined;
  const end = ended ?? GOES_ON;
  const spans: Span[] = [];
  const push = (from: number, to: number, state: SpanState, text: string): void => {
    if (to > from || state === "done" || state === "failed") spans.push({ from, to: Math.max(from, to), state, text });
  };
  push(created, Math.min(scheduled ?? end, end), "waits", "waits for a node");
  if (scheduled !== undefined) {
    const started = ready ?? (phase === "Running" ? startOf(pod) : undefined) ?? end;
    push(scheduled, Math.min(started, end), "waits", `starts on ${pod.spec.nodeName ?? ""}`);
    const until = deleted !== undefined && ended === undefined ? Math.min(deleted, end) : end;
    if (ready !== undefined) push(ready, until, "ready", "is ready");
    else push(Math.min(started, end), end, "runs", "runs, and is not ready");
  }
  if (deleted !== undefined && ended === undefined) push(deleted, GOES_ON, "deleting", "is being deleted");
  if (ended !== undefined) push(ended, ended, phase === "Failed" ? "failed" : "done", phase);
  const state: SpanState =
    ended !== undefined
      ? phase === "Failed"
        ? "failed"
        : "done"
      : deleted !== undefined
        ? "deleting"
        : ready !== undefined
          ? "ready"
          : phase === "Running"
            ? "runs"
            : "waits";
  return {
    ...headOf("Pod", pod),
    detail: [phase, pod.spec.nodeName].filter(Boolean).join(" on "),
    state,
    ...says(podWait(pod, state)),
    spans,
    marks: [],
    children: [],
  };
}

function podWait(pod: Pod, state: SpanState): string | undefined {
  if (state === "deleting") return "it is being deleted";
  if (state === "failed") return [pod.status.reason, pod.status.message].filter(Boolean).join(": ") || "it has failed";
  if (state !== "waits" && state !== "runs") return undefined;
  const unscheduled = conditionOf(pod, "PodScheduled");
  if (unscheduled?.status === "False") return unscheduled.message ?? unscheduled.reason ?? "no node fits";
  const waiting = (pod.status.containerStatuses ?? []).find(({ ready }) => !ready);
  const reason = waiting?.state?.waiting ?? waiting?.state?.terminated;
  if (waiting && reason)
    return `its container ${waiting.name}: ${[reason.reason, reason.message].filter(Boolean).join(": ")}`;
  return pod.spec.nodeName ? "it waits for its containers to be ready" : "it waits for a node";
}

const startOf = (pod: Pod): number | undefined =>
  timeOf(pod.status.containerStatuses?.find(({ state }) => state?.running)?.state?.running?.startedAt);

/** When the deletion was requested: the timestamp of an object is the end of its grace period. */
function deletedAt({ metadata }: Named): number | undefined {
  const end = timeOf(metadata.deletionTimestamp);
  return end === undefined ? undefined : end - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}

function endOf(pod: Pod): number {
  const ends = (pod.status.containerStatuses ?? []).flatMap(({ state }) => timeOf(state?.terminated?.finishedAt) ?? []);
  if (ends.length > 0) return Math.max(...ends);
  return timeOf(conditionOf(pod, "Ready")?.lastTransitionTime) ?? createdAt(pod);
}
