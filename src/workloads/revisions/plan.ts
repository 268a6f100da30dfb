/** Plans the revisions of an owner: which one has its template, and which old ones are deleted. */
import type { ApiObject } from "../../client/kind.ts";
import { ControllerRevision } from "../../client/kinds/index.ts";
import { type PlannedWrite, creates, deletes, updates } from "../common/plan.ts";
import type { PodTemplate } from "../common/template.ts";
import { byNumber, hashesOfTemplate, isRevisionOf, newRevision } from "./revision.ts";

/** The revisions of an owner. */
export interface RevisionView {
  readonly owner: ApiObject;
  /** The template in the spec of the owner. */
  readonly template: PodTemplate;
  /** The revisions that it controls, in any order. */
  readonly history: readonly ControllerRevision[];
  /** The label with the hash, such as `controller-revision-hash`. */
  readonly label: string;
  readonly collisionCount: number | undefined;
  /** Returns a revision of the namespace, of any owner. */
  readonly revisionNamed: (name: string) => ControllerRevision | undefined;
}

/** The revision of a template. */
export interface RevisionPlan {
  readonly name: string;
  readonly hash: string;
  /** Creates it or gives it the next number; none where it is the latest already. */
  readonly writes: readonly PlannedWrite[];
  /** Raised for each name that a revision with another template has. */
  readonly collisionCount: number | undefined;
  /** Other revisions of the same template. */
  readonly duplicates: readonly ControllerRevision[];
  /** The revisions of other templates, the latest last. */
  readonly old: readonly ControllerRevision[];
}

/**
 * Plans the revision of the template in the spec: the latest of the equal ones, with a number above all others, or a new one (WL-STS-5,
 * WL-DS-7).
 */
export function planRevision(view: RevisionView): RevisionPlan {
  const { template, history, label, collisionCount } = view;
  const sorted = history.toSorted(byNumber);
  const { equal = [], old = [] } = Object.groupBy(sorted, (one) => (isRevisionOf(one, template) ? "equal" : "old"));
  const kept = equal.pop();
  const next = (old.at(-1)?.revision ?? 0) + 1;
  if (!kept) return { ...planNew(view, next), duplicates: [], old };
  const { name, labels = {} } = kept.metadata;
  // A revision that was not created by a controller may have no hash.
  const hash = labels[label] ?? name;
  const hasHash = labels[label] !== undefined;
  const isLatest = kept.revision >= next;
  const written: ControllerRevision = {
    ...kept,
    metadata: { ...kept.metadata, labels: { ...labels, [label]: hash } },
    revision: isLatest ? kept.revision : next,
  };
  const writes = isLatest && hasHash ? [] : [updates(ControllerRevision, written)];
  return { name, hash, writes, collisionCount, duplicates: equal, old };
}

function planNew(
  { owner, template, label, collisionCount: first, revisionNamed }: RevisionView,
  revision: number,
): Pick<RevisionPlan, "name" | "hash" | "writes" | "collisionCount"> {
  const hashOf = hashesOfTemplate(template);
  for (let collisionCount = first; ; collisionCount = (collisionCount ?? 0) + 1) {
    const hash = hashOf(collisionCount);
    const name = `${owner.metadata.name}-${hash}`;
    const taken = revisionNamed(name);
    if (taken && !isRevisionOf(taken, template)) continue;
    const made = newRevision(owner, template, { hash, label, revision });
    const create = creates(ControllerRevision, made, undefined, (found) => isRevisionOf(found, template));
    return { name, hash, writes: taken ? [] : [create], collisionCount };
  }
}

/**
 * Plans the deletion of old revisions that are not live, the earliest first.
 *
 * @param kept how many old ones stay
 * @param countsLive whether live old ones count towards `kept` (a DaemonSet), or stay in addition (a StatefulSet)
 */
export function planHistory(
  old: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  kept: number,
  countsLive: boolean,
): PlannedWrite[] {
  const unused = old.filter((revision) => !isLive(revision) && revision.metadata.deletionTimestamp === undefined);
  const surplus = (countsLive ? old.length : unused.length) - kept;
  return unused.slice(0, Math.max(0, surplus)).map((revision) => deletes(ControllerRevision, revision));
}
