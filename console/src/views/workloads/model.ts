/**
 * Workloads as rows of a time line: rollouts with their revisions and Pods, Jobs and CronJobs. A pure function of objects and the time.
 *
 * @module
 */
import type {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Pod,
  ReplicaSet,
  StatefulSet,
} from "../../../../src/client/kinds/index.ts";
import { parseCron } from "../../../../src/meta/cron.ts";
import { nextDue } from "../../../../src/workloads/cronjob/next.ts";

/** What the rows are made of. */
export interface WorkloadObjects {
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly statefulSets: readonly StatefulSet[];
  readonly daemonSets: readonly DaemonSet[];
  readonly revisions: readonly ControllerRevision[];
  readonly pods: readonly Pod[];
  readonly jobs: readonly Job[];
  readonly cronJobs: readonly CronJob[];
}

/** How a workload, a revision or a Pod is, or was for some time. */
export type SpanState = "waits" | "runs" | "ready" | "done" | "failed" | "old" | "deleting";

/** A part of the life of an object. */
export interface Span {
  readonly from: number;
  /** Now, for what goes on. */
  readonly to: number;
  readonly state: SpanState;
  readonly text: string;
}

/** A moment in the life of an object. */
export interface Mark {
  readonly time: number;
  readonly text: string;
  readonly kind: "change" | "event" | "warning" | "due";
}

/** A row of the time line. */
export interface Row {
  /** `Deployment/team/web`; unique. */
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** `3 of 4 Pods available`. */
  readonly detail: string;
  /** How it is now. */
  readonly state: SpanState;
  /** What it waits for, by its status; absent for what is as it should be. */
  readonly says?: string;
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
  readonly children: readonly Row[];
}

interface Owned {
  readonly metadata: { readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[] };
}

const ownerOf = ({ metadata }: Owned): string =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? "";

/** The milliseconds of a time; undefined where it is absent or no time. */
export function timeOf(text: string | null | undefined): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
      readonly lastTransitionTime?: string | null;
      readonly lastUpdateTime?: string | null;
    }[];
  };
}

type Condition = NonNullable<NonNullable<Conditioned["status"]>["conditions"]>[number];

const conditionOf = ({ status }: Conditioned, type: string): Condition | undefined =>
  status?.conditions?.find((one) => one.type === type);

/** Since when a condition is true; undefined while it is not. */
const trueSince = (object: Conditioned, type: string): number | undefined => {
  const condition = conditionOf(object, type);
  return condition?.status === "True" ? timeOf(condition.lastTransitionTime) : undefined;
};

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Returns the rows of all workloads, those without a workload above them first by kind, namespace and name. */
export function rowsOf(objects: WorkloadObjects, now: number): readonly Row[] {
  const podsBy = Map.groupBy(objects.pods, ownerOf);
  const setsBy = Map.groupBy(objects.replicaSets, ownerOf);
  const revisionsBy = Map.groupBy(objects.revisions, ownerOf);
  const jobsBy = Map.groupBy(objects.jobs, ownerOf);
  const podRows = (uid: string): readonly Row[] =>
    (podsBy.get(uid) ?? []).map((pod) => podRow(pod, now)).toSorted(byStart);
  const cronUids = new Set(objects.cronJobs.map(({ metadata }) => metadata.uid));
  const jobRows = (jobs: readonly Job[]): Row[] => jobs.map((job) => jobRow(job, podRows(job.metadata.uid), now));
  const rows = [
    ...objects.deployments.map((one) => deploymentRow(one, setsBy.get(one.metadata.uid) ?? [], podRows, now)),
    ...objects.statefulSets.map((one) =>
      revisedRow(
        one,
        statefulFacts(one),
        revisionsBy.get(one.metadata.uid) ?? [],
        podsBy.get(one.metadata.uid) ?? [],
        now,
      ),
    ),
    ...objects.daemonSets.map((one) =>
      revisedRow(
        one,
        daemonFacts(one),
        revisionsBy.get(one.metadata.uid) ?? [],
        podsBy.get(one.metadata.uid) ?? [],
        now,
      ),
    ),
    ...objects.cronJobs.map((one) => cronRow(one, jobRows(jobsBy.get(one.metadata.uid) ?? []).toSorted(byStart), now)),
    ...jobRows(objects.jobs.filter((job) => !cronUids.has(ownerOf(job)))),
  ];
  return rows.toSorted(byName);
}

const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job"];
const byName = (a: Row, b: Row): number =>
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || order(a.namespace, b.namespace) || order(a.name, b.name);
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byStart = (a: Row, b: Row): number => (b.spans[0]?.from ?? 0) - (a.spans[0]?.from ?? 0) || order(a.name, b.name);

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
  };
}

const headOf = (
  kind: string,
  { metadata }: Named,
): Pick<Row, "id" | "kind" | "namespace" | "name" | "uid" | "resourceVersion"> => ({
  id: `${kind}/${metadata.namespace ?? ""}/${metadata.name}`,
  kind,
  namespace: metadata.namespace ?? "",
  name: metadata.name,
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
});

const createdAt = ({ metadata }: Named, now: number): number => timeOf(metadata.creationTimestamp) ?? now;
const says = (text: string | undefined): { readonly says?: string } => (text === undefined ? {} : { says: text });

/** The life of a Pod: without a node, starting, ready, ended. */
export function podRow(pod: Pod, now: number): Row {
  const created = createdAt(pod, now);
  const { phase = "Pending" } = pod.status;
  const scheduled = trueSince(pod, "PodScheduled");
  const ready = trueSince(pod, "Ready");
  const deleted = timeOf(pod.metadata.deletionTimestamp);
  const ended = phase === "Succeeded" || phase === "Failed" ? endOf(pod, now) : undefined;
  const end = ended ?? now;
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
  if (deleted !== undefined && ended === undefined) push(Math.min(deleted, now), now, "deleting", "is being deleted");
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

function endOf(pod: Pod, now: number): number {
  const ends = (pod.status.containerStatuses ?? []).flatMap(({ state }) => timeOf(state?.terminated?.finishedAt) ?? []);
  if (ends.length > 0) return Math.max(...ends);
  return timeOf(conditionOf(pod, "Ready")?.lastTransitionTime) ?? now;
}

/** The annotation with which a ReplicaSet says its revision. */
const REVISION = /^deployment\.[a-z.]+\/revision$/;

const revisionOf = ({ metadata }: ReplicaSet): string =>
  Object.entries(metadata.annotations ?? {}).find(([name]) => REVISION.test(name))?.[1] ?? "?";

/** Revisions of a Deployment are its ReplicaSets; a rollback makes an old one the newest by its number. */
function deploymentRow(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  podRows: (uid: string) => readonly Row[],
  now: number,
): Row {
  const { spec, status, metadata } = deployment;
  const wanted = spec.replicas ?? 1;
  const updated = status.updatedReplicas ?? 0;
  const available = status.availableReplicas ?? 0;
  const total = status.replicas ?? 0;
  const progress = conditionOf(deployment, "Progressing");
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const isDone = isObserved && updated >= wanted && total <= updated && available >= wanted;
  const isFailed = progress?.reason === "ProgressDeadlineExceeded" && !isDone;
  const sorted = sets.toSorted((a, b) => Number(revisionOf(b)) - Number(revisionOf(a)));
  const doneAt = isDone && progress?.reason === "NewReplicaSetAvailable" ? timeOf(progress.lastUpdateTime) : undefined;
  const spans = spansOfRevisions(
    sorted.map((set) => ({ from: createdAt(set, now), text: `revision ${revisionOf(set)}` })),
    { isDone, isFailed, doneAt, now },
  );
  const old = Math.max(0, total - updated);
  const olds = old > 0 ? `; ${countText(old, "Pod")} of older templates still ${old === 1 ? "exists" : "exist"}` : "";
  const rolling = `${updated} of ${wanted} Pods of the current template exist, ${available} are available${olds}`;
  const text =
    metadata.deletionTimestamp !== undefined
      ? "it is being deleted"
      : isDone
        ? undefined
        : !isObserved
          ? "its controller has not handled it yet"
          : isFailed
            ? `its progress deadline has passed: ${rolling}`
            : spec.paused
              ? `it is paused: ${rolling}`
              : rolling;
  return {
    ...headOf("Deployment", deployment),
    detail: `${available} of ${wanted} available`,
    state: metadata.deletionTimestamp !== undefined ? "deleting" : isDone ? "ready" : isFailed ? "failed" : "waits",
    ...says(text),
    spans:
      spans.length > 0
        ? spans
        : [{ from: createdAt(deployment, now), to: now, state: isDone ? "ready" : "waits", text: "no revision" }],
    marks: [],
    children: sorted.map((set, i): Row => {
      const pods = podRows(set.metadata.uid);
      const has = set.status.replicas ?? 0;
      return {
        ...headOf("ReplicaSet", set),
        detail: `revision ${revisionOf(set)} · ${countText(has, "Pod")}`,
        state: i > 0 ? "old" : isDone ? "ready" : "waits",
        spans: [
          {
            from: createdAt(set, now),
            to: has > 0 || i === 0 ? now : createdAt(sorted[i - 1]!, now),
            state: i > 0 ? "old" : isDone ? "ready" : "waits",
            text: `revision ${revisionOf(set)}`,
          },
        ],
        marks: [],
        children: pods,
      };
    }),
  };
}

/** Revisions, newest first: each lasts until the next one begins; the newest rolls out until it is done. */
function spansOfRevisions(
  revisions: readonly { readonly from: number; readonly text: string }[],
  { isDone, isFailed, doneAt, now }: { isDone: boolean; isFailed: boolean; doneAt: number | undefined; now: number },
): readonly Span[] {
  const inOrder = revisions.toReversed();
  return inOrder.flatMap(({ from, text }, i): Span[] => {
    const next = inOrder[i + 1];
    if (next) {
      // A rollback brings a revision back that began before the one that it replaces.
      const to = Math.max(from, next.from);
      return [{ from, to, state: "old", text }];
    }
    if (!isDone) return [{ from, to: now, state: isFailed ? "failed" : "waits", text: `${text}: rolls out` }];
    const done = doneAt !== undefined && doneAt >= from && doneAt <= now ? doneAt : from;
    return [
      ...(done > from ? [{ from, to: done, state: "waits", text: `${text}: rolled out` } as const] : []),
      { from: done, to: now, state: "ready", text: `${text}: available` },
    ];
  });
}

interface RevisedFacts {
  readonly kind: "StatefulSet" | "DaemonSet";
  readonly wanted: number;
  readonly available: number;
  readonly updated: number;
  readonly isObserved: boolean;
  /** Pods that keep an older template for good. */
  readonly kept: number;
}

function statefulFacts({ spec, status, metadata }: StatefulSet): RevisedFacts {
  const wanted = spec.replicas ?? 1;
  const onDelete = spec.updateStrategy?.type === "OnDelete";
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  // Where no update goes on, the update revision is the current one, and counts all Pods.
  const updated =
    status.currentRevision === status.updateRevision
      ? (status.currentReplicas ?? status.updatedReplicas ?? 0)
      : (status.updatedReplicas ?? 0);
  return {
    kind: "StatefulSet",
    wanted,
    available: status.availableReplicas ?? status.readyReplicas ?? 0,
    updated,
    isObserved: (status.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    kept: onDelete ? wanted : Math.min(wanted, partition),
  };
}

function daemonFacts({ spec, status, metadata }: DaemonSet): RevisedFacts {
  const wanted = status.desiredNumberScheduled ?? 0;
  return {
    kind: "DaemonSet",
    wanted,
    available: status.numberAvailable ?? 0,
    updated: status.updatedNumberScheduled ?? 0,
    isObserved: (status.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    kept: spec.updateStrategy?.type === "OnDelete" ? wanted : 0,
  };
}

/** The label with which a Pod says its revision. */
const HASH = "controller-revision-hash";

function revisedRow(
  object: StatefulSet | DaemonSet,
  facts: RevisedFacts,
  revisions: readonly ControllerRevision[],
  pods: readonly Pod[],
  now: number,
): Row {
  const { kind, wanted, available, updated, isObserved, kept } = facts;
  const isDone = isObserved && available >= wanted && updated >= wanted - kept;
  const sorted = revisions.toSorted((a, b) => b.revision - a.revision);
  const rows = pods.map((pod) => ({ pod, row: podRow(pod, now) }));
  const newest = sorted[0];
  const isOf = (pod: Pod, revision: ControllerRevision): boolean => {
    const hash = pod.metadata.labels?.[HASH];
    return hash !== undefined && (hash === revision.metadata.name || revision.metadata.name.endsWith(`-${hash}`));
  };
  const begun = newest === undefined ? undefined : createdAt(newest, now);
  const last = Math.max(
    0,
    ...rows.flatMap(({ row }) => row.spans.flatMap(({ state, from }) => (state === "ready" ? [from] : []))),
  );
  const spans = spansOfRevisions(
    sorted.map((one) => ({ from: createdAt(one, now), text: `revision ${one.revision}` })),
    { isDone, isFailed: false, doneAt: begun !== undefined && last >= begun ? last : undefined, now },
  );
  const text =
    object.metadata.deletionTimestamp !== undefined
      ? "it is being deleted"
      : isDone
        ? undefined
        : !isObserved
          ? "its controller has not handled it yet"
          : `${updated} of ${wanted} Pods have the current template, ${available} are available`;
  const state: SpanState = object.metadata.deletionTimestamp !== undefined ? "deleting" : isDone ? "ready" : "waits";
  const known = new Set<Pod>();
  const children = sorted.map((revision, i): Row => {
    const own = rows.filter(({ pod }) => isOf(pod, revision));
    for (const { pod } of own) known.add(pod);
    const isLive = i === 0 || own.length > 0;
    return {
      ...headOf("ControllerRevision", revision),
      detail: `revision ${revision.revision} · ${countText(own.length, "Pod")}`,
      state: i > 0 ? "old" : state,
      spans: [
        {
          from: createdAt(revision, now),
          to: isLive ? now : Math.max(createdAt(revision, now), createdAt(sorted[i - 1]!, now)),
          state: i > 0 ? "old" : state,
          text: `revision ${revision.revision}`,
        },
      ],
      marks: [],
      children: own.map(({ row }) => row).toSorted((a, b) => order(a.name, b.name)),
    };
  });
  return {
    ...headOf(kind, object),
    detail: `${available} of ${wanted} available`,
    state,
    ...says(text),
    spans: spans.length > 0 ? spans : [{ from: createdAt(object, now), to: now, state, text: "no revision" }],
    marks: [],
    children: [...children, ...rows.filter(({ pod }) => !known.has(pod)).map(({ row }) => row)],
  };
}

function jobRow(job: Job, pods: readonly Row[], now: number): Row {
  const { spec, status, metadata } = job;
  const created = createdAt(job, now);
  const started = timeOf(status.startTime);
  const failed = conditionOf(job, "Failed");
  const complete = conditionOf(job, "Complete");
  const suspended = conditionOf(job, "Suspended");
  const isFailed = failed?.status === "True";
  const isComplete = complete?.status === "True";
  const end = timeOf(status.completionTime) ?? (isFailed ? timeOf(failed.lastTransitionTime) : undefined);
  const to = end ?? now;
  const state: SpanState = isFailed
    ? "failed"
    : isComplete
      ? "done"
      : started === undefined || spec.suspend
        ? "waits"
        : "runs";
  const wanted = spec.completions ?? spec.parallelism ?? 1;
  const [succeeded, active, lost] = [status.succeeded ?? 0, status.active ?? 0, status.failed ?? 0];
  const text =
    metadata.deletionTimestamp !== undefined
      ? "it is being deleted"
      : isComplete
        ? undefined
        : isFailed
          ? [failed.reason, failed.message].filter(Boolean).join(": ")
          : suspended?.status === "True" || spec.suspend
            ? "it is suspended"
            : started === undefined
              ? "its controller has not started it yet"
              : `${countText(active, "Pod")} run${active === 1 ? "s" : ""}, ${succeeded} of ${wanted} succeeded${lost > 0 ? `, ${lost} failed` : ""}`;
  return {
    ...headOf("Job", job),
    detail: `${succeeded} of ${wanted} succeeded`,
    state,
    ...says(text),
    spans: [
      ...(started === undefined || started > created
        ? [{ from: created, to: started ?? to, state: "waits", text: "waits" } as const]
        : []),
      ...(started === undefined
        ? []
        : [{ from: started, to: Math.max(started, to), state, text: `${lengthOf(to - started)}` }]),
    ],
    marks: [],
    children: pods,
  };
}

const lengthOf = (millis: number): string => `${Math.max(0, Math.round(millis / 1000))} s`;

function cronRow(cron: CronJob, jobs: readonly Row[], now: number): Row {
  const { spec, status, metadata } = cron;
  const active = status.active?.length ?? 0;
  const due = spec.suspend ? undefined : dueOf(cron, now);
  const state: SpanState =
    metadata.deletionTimestamp !== undefined ? "deleting" : spec.suspend ? "waits" : active > 0 ? "runs" : "done";
  const text =
    metadata.deletionTimestamp !== undefined
      ? "it is being deleted"
      : spec.suspend
        ? "it is suspended"
        : due === undefined
          ? "its schedule is never due"
          : undefined;
  const runs = jobs.flatMap(({ spans }) => spans.filter((span) => span.state !== "waits"));
  return {
    ...headOf("CronJob", cron),
    detail: `${spec.schedule} · ${countText(jobs.length, "Job")}`,
    state,
    ...says(text),
    spans: runs.toSorted((a, b) => a.from - b.from),
    marks: [
      ...(due === undefined ? [] : [{ time: due, text: "is due next", kind: "due" } as const]),
      ...(timeOf(status.lastScheduleTime) === undefined
        ? []
        : [{ time: timeOf(status.lastScheduleTime)!, text: "was due", kind: "change" } as const]),
    ],
    children: jobs,
  };
}

function dueOf({ spec }: CronJob, now: number): number | undefined {
  const parsed = parseCron(spec.schedule);
  if ("fault" in parsed) return undefined;
  try {
    return nextDue(parsed.schedule, spec.timeZone ?? "UTC", now);
  } catch {
    // A zone that this browser does not know.
    return undefined;
  }
}

/** Which rows are shown. */
export interface RowFilter {
  readonly namespace?: string;
  readonly kind?: string;
  readonly text?: string;
  /** Only rows that wait for something or have failed. */
  readonly unfinished?: boolean;
}

/** A row in the list, with its depth below the first ones. */
export interface FlatRow {
  readonly row: Row;
  readonly depth: number;
}

const UNFINISHED: ReadonlySet<SpanState> = new Set(["waits", "runs", "failed", "deleting"]);

/** Returns the rows that are shown in their order: those that pass the filter, and what is below the open ones. */
export function flatRows(rows: readonly Row[], open: ReadonlySet<string>, filter: RowFilter = {}): readonly FlatRow[] {
  const text = filter.text?.toLowerCase() ?? "";
  const isShown = (row: Row): boolean =>
    (!filter.namespace || row.namespace === filter.namespace) &&
    (!filter.kind || row.kind === filter.kind) &&
    (!filter.unfinished || UNFINISHED.has(row.state)) &&
    row.name.toLowerCase().includes(text);
  const flat: FlatRow[] = [];
  const add = (row: Row, depth: number): void => {
    flat.push({ row, depth });
    if (open.has(row.id)) for (const child of row.children) add(child, depth + 1);
  };
  for (const row of rows) if (isShown(row)) add(row, 0);
  return flat;
}

/** The time from the first to the last span of rows, with a margin; the last hour where there is nothing. */
export function rangeOf(rows: readonly Row[], now: number): { readonly from: number; readonly to: number } {
  let from = Infinity;
  for (const row of rows) for (const span of row.spans) from = Math.min(from, span.from);
  if (from === Infinity || from >= now) from = now - 3_600_000;
  // What is older than a week does not make the rest invisible.
  from = Math.max(from, now - 7 * 24 * 3_600_000);
  const margin = Math.max(5_000, (now - from) * 0.04);
  return { from: from - margin, to: now + margin };
}
