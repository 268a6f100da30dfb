/**
 * Rows of Deployments, StatefulSets and DaemonSets: their revisions, and below each its Pods.
 *
 * @module
 */
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  Pod,
  ReplicaSet,
  StatefulSet,
} from "../../../../src/client/kinds/index.ts";
import {
  conditionOf,
  countNoun,
  createdAt,
  GOES_ON,
  headOf,
  order,
  type Row,
  says,
  type Span,
  type SpanState,
  timeOf,
} from "./rows.ts";

/** The annotation with which a ReplicaSet says its revision. */
const REVISION = /^deployment\.[a-z.]+\/revision$/;

const revisionOf = ({ metadata }: ReplicaSet): string =>
  Object.entries(metadata.annotations ?? {}).find(([name]) => REVISION.test(name))?.[1] ?? "?";

/** Revisions of a Deployment are its ReplicaSets; a rollback makes an old one the newest by its number. */
export function deploymentRow(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  podRows: (uid: string) => readonly Row[],
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
    sorted.map((set) => ({ from: createdAt(set), text: `revision ${revisionOf(set)}` })),
    { isDone, isFailed, doneAt },
  );
  const old = Math.max(0, total - updated);
  const olds = old > 0 ? `; ${countNoun(old, "Pod")} of older templates still ${old === 1 ? "exists" : "exist"}` : "";
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
        : [{ from: createdAt(deployment), to: GOES_ON, state: isDone ? "ready" : "waits", text: "no revision" }],
    marks: [],
    children: sorted.map((set, i): Row => {
      const pods = podRows(set.metadata.uid);
      const has = set.status.replicas ?? 0;
      return {
        ...headOf("ReplicaSet", set),
        detail: `revision ${revisionOf(set)} · ${countNoun(has, "Pod")}`,
        state: i > 0 ? "old" : isDone ? "ready" : "waits",
        spans: [
          {
            from: createdAt(set),
            to: has > 0 || i === 0 ? GOES_ON : createdAt(sorted[i - 1]!),
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
  { isDone, isFailed, doneAt }: { isDone: boolean; isFailed: boolean; doneAt: number | undefined },
): readonly Span[] {
  const inOrder = revisions.toReversed();
  return inOrder.flatMap(({ from, text }, i): Span[] => {
    const next = inOrder[i + 1];
    if (next) {
      // A rollback brings a revision back that began before the one that it replaces.
      const to = Math.max(from, next.from);
      return [{ from, to, state: "old", text }];
    }
    if (!isDone) return [{ from, to: GOES_ON, state: isFailed ? "failed" : "waits", text: `${text}: rolls out` }];
    const done = doneAt !== undefined && doneAt >= from ? doneAt : from;
    return [
      ...(done > from ? [{ from, to: done, state: "waits", text: `${text}: rolled out` } as const] : []),
      { from: done, to: GOES_ON, state: "ready", text: `${text}: available` },
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

export function statefulFacts({ spec, status, metadata }: StatefulSet): RevisedFacts {
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

export function daemonFacts({ spec, status, metadata }: DaemonSet): RevisedFacts {
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

/** A Pod, and its row. */
export interface PodWithRow {
  readonly pod: Pod;
  readonly row: Row;
}

/** The label with which a Pod says its revision. */
const HASH = "controller-revision-hash";

export function revisedRow(
  object: StatefulSet | DaemonSet,
  facts: RevisedFacts,
  revisions: readonly ControllerRevision[],
  pods: readonly PodWithRow[],
): Row {
  const { kind, wanted, available, updated, isObserved, kept } = facts;
  const isDone = isObserved && available >= wanted && updated >= wanted - kept;
  const sorted = revisions.toSorted((a, b) => b.revision - a.revision);
  const newest = sorted[0];
  const podsBy = Map.groupBy(pods, ({ pod }) => pod.metadata.labels?.[HASH]);
  const hashOf = ({ metadata: { name } }: ControllerRevision): string | undefined =>
    [...podsBy.keys()].find((hash) => hash !== undefined && (hash === name || name.endsWith(`-${hash}`)));
  const begun = newest === undefined ? undefined : createdAt(newest);
  let last = 0;
  for (const { row } of pods)
    for (const { state, from } of row.spans) if (state === "ready") last = Math.max(last, from);
  const spans = spansOfRevisions(
    sorted.map((one) => ({ from: createdAt(one), text: `revision ${one.revision}` })),
    { isDone, isFailed: false, doneAt: begun !== undefined && last >= begun ? last : undefined },
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
  const children = sorted.map((revision, i): Row => {
    const hash = hashOf(revision);
    const own = hash === undefined ? [] : (podsBy.get(hash) ?? []);
    // What is left in the end is of no revision.
    if (hash !== undefined) podsBy.delete(hash);
    const isLive = i === 0 || own.length > 0;
    return {
      ...headOf("ControllerRevision", revision),
      detail: `revision ${revision.revision} · ${countNoun(own.length, "Pod")}`,
      state: i > 0 ? "old" : state,
      spans: [
        {
          from: createdAt(revision),
          to: isLive ? GOES_ON : Math.max(createdAt(revision), createdAt(sorted[i - 1]!)),
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
    spans: spans.length > 0 ? spans : [{ from: createdAt(object), to: GOES_ON, state, text: "no revision" }],
    marks: [],
    children: [...children, ...[...podsBy.values()].flat().map(({ row }) => row)],
  };
}
