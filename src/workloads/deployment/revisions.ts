/** Revisions of a Deployment: their numbers, their annotations on ReplicaSets, and which are kept (WL-DEP-3, 4, 7). */
import { type Deployment, ReplicaSet } from "../../client/kinds/index.ts";
import { type PlannedWrite, deletes } from "../common/plan.ts";
import {
  type Annotations,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  REVISION,
  REVISION_HISTORY,
  type SetDraft,
  byAge,
  withAnnotations,
} from "./set-draft.ts";
import { maxSurge, wantedBy } from "./shares.ts";

/** The annotation with which old clients ask for a rollback. */
export const ROLLBACK = "deprecated.deployment.rollback.to";

/** Annotations of a Deployment that its ReplicaSets do not get. */
const OWN: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK,
]);

/** The maximum number of characters in the history of a ReplicaSet. */
const MAX_HISTORY = 2000;
/** A limit that keeps all revisions. */
const NO_LIMIT = 2 ** 31 - 1;
const NUMBER = /^[+-]?\d{1,18}$/;

/** Returns the number of a revision; undefined where the text is no number, and 0 where there is no text. */
export const revisionNumber = (text: string | undefined): number | undefined =>
  text === undefined ? 0 : NUMBER.test(text) ? Number(text) : undefined;

/** The revision of a ReplicaSet; 0 where it has none. */
export const revisionOf = ({ annotations }: Pick<SetDraft, "annotations">): number =>
  revisionNumber(annotations[REVISION]) ?? 0;

/** Annotations that a Deployment and its ReplicaSets have in common. */
export const sharedAnnotations = (annotations: Annotations = {}): Annotations =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => !OWN.has(name)));

/** Annotations of a Deployment that are not those of a revision. */
export const ownAnnotations = (annotations: Annotations = {}): Annotations =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => OWN.has(name)));

/** Returns the annotations with the desired and the maximum number of Pods of a Deployment. */
export const scaleAnnotations = (deployment: Deployment): Annotations => ({
  [DESIRED_REPLICAS]: String(wantedBy(deployment)),
  [MAX_REPLICAS]: String(wantedBy(deployment) + maxSurge(deployment)),
});

/** Gives the ReplicaSet of the template in the spec the annotations of the Deployment and the highest revision. */
export function keepRevision(current: SetDraft, old: readonly SetDraft[], deployment: Deployment): void {
  current.minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  const annotations = withAnnotations(current.annotations, sharedAnnotations(deployment.metadata.annotations));
  current.annotations = withRevision(
    annotations,
    old.reduce((highest, set) => Math.max(highest, revisionOf(set)), 0) + 1,
  );
}

/** Raises the revision; the previous one is added to the history. */
function withRevision(annotations: Annotations, revision: number): Annotations {
  const before = annotations[REVISION];
  const number = before === "" ? 0 : revisionNumber(before);
  if (number === undefined || number >= revision) return annotations;
  const history = before === undefined ? undefined : longerHistory(annotations[REVISION_HISTORY] ?? "", before);
  return {
    ...annotations,
    [REVISION]: String(revision),
    ...(history === undefined ? {} : { [REVISION_HISTORY]: history }),
  };
}

/** Adds a revision to a history, and removes the oldest ones where it gets too long. */
function longerHistory(history: string, revision: string): string | undefined {
  if (history === "") return revision;
  const revisions = history.split(",");
  let length = history.length + revision.length + 1;
  let start = 0;
  for (; length > MAX_HISTORY && start < revisions.length; start++) length -= revisions[start]!.length + 1;
  return length > MAX_HISTORY ? undefined : [...revisions.slice(start), revision].join(",");
}

/** Deletes the oldest revisions beyond the limit, if they have no Pods (WL-DEP-7). */
export function oldRevisions(old: readonly SetDraft[], { spec }: Deployment): readonly PlannedWrite[] {
  const { revisionHistoryLimit: limit = NO_LIMIT } = spec;
  if (limit === NO_LIMIT) return [];
  const sets = old.filter(({ stored }) => stored && stored.metadata.deletionTimestamp === undefined);
  const surplus = sets.toSorted(byRevision).slice(0, Math.max(0, sets.length - limit));
  return surplus.flatMap(({ stored }) => (stored && isEmpty(stored) ? [deletes(ReplicaSet, stored)] : []));
}

const byRevision = (a: SetDraft, b: SetDraft): number => revisionOf(a) - revisionOf(b) || byAge(a, b);

const isEmpty = ({ metadata, spec, status }: ReplicaSet): boolean =>
  status.replicas === 0 && (spec.replicas ?? 1) === 0 && (metadata.generation ?? 0) <= (status.observedGeneration ?? 0);
