/**
 * Plans a DaemonSet: its revisions, one Pod for each node that fits, updates of its Pods, and its status (WL-DS-1 to WL-DS-11).
 *
 * An update begins only when each node has the Pods that it should have.
 */
import { ControllerRevision, DaemonSet, type Node, Pod } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";
import { selectorOf } from "../../meta/label-selector.ts";
import { ownershipWrites, planOwnership } from "../common/ownership.ts";
import {
  type Plan,
  type PlannedWrite,
  type Refusal,
  type Told,
  creates,
  deletes,
  patches,
  soonest,
  tells,
  updatesStatus,
} from "../common/plan.ts";
import { isAvailable, isReady, isTerminating, nextAvailable } from "../common/pods.ts";
import { shareOf } from "../common/share.ts";
import { type RevisionPlan, planHistory, planRevision } from "../revisions/plan.ts";
import type { WaitOf } from "./backoff.ts";
import { fitOf } from "./fit.ts";
import { HASH, isUpdated, newPod, targetOf } from "./pod.ts";
import { type PodsByNode, byPrecedence, isSameStatus, statusOf } from "./status.ts";

/** The input of a plan. */
export interface DaemonSetView {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** The Pods that it controls, and those of its namespace without a controller. */
  readonly pods: readonly Pod[];
  /** The revisions that it controls, and those of its namespace without a controller. */
  readonly revisions: readonly ControllerRevision[];
  /** Returns a revision of the namespace, of any owner. */
  readonly revisionNamed: (name: string) => ControllerRevision | undefined;
  readonly waitOf: WaitOf;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The plan of a DaemonSet. */
export interface DaemonSetPlan extends Plan {
  /** The nodes whose failed Pods this plan deletes; after the next failure there the controller waits (WL-DS-5). */
  readonly failedOn: readonly string[];
}

/** The maximum number of Pods that one plan creates, and deletes (WL-GEN-5). */
const MOST_AT_ONCE = 250;

const MADE: Told = { done: "SuccessfulCreate", refused: "FailedCreate" };
const DELETED: Told = { done: "SuccessfulDelete", refused: "FailedDelete" };

const NO_PLAN: DaemonSetPlan = { stages: [], failedOn: [] };

/** Plans a DaemonSet; nothing while it is being deleted. */
export function planDaemonSet(view: DaemonSetView): DaemonSetPlan {
  const { set } = view;
  if (!set.spec.selector || set.metadata.deletionTimestamp !== undefined) return NO_PLAN;
  const selector = selectorOf(set.spec.selector);
  const fits = ({ metadata }: Pod | ControllerRevision): boolean => selector.matches(metadata.labels);
  const pods = planOwnership(set, view.pods, fits);
  const revisions = planOwnership(set, view.revisions, fits);
  const writes = [...ownershipWrites(ControllerRevision, set, revisions), ...ownershipWrites(Pod, set, pods)];
  // The next plan, after the informers show these writes, does the rest.
  const adopts = pods.adopts.length + revisions.adopts.length > 0;
  if (writes.length > 0) return { stages: [writes], adopts, failedOn: [] };
  return new Planning(view, pods.owned, revisions.owned).plan();
}

/** The changes of Pods: nodes that get one, and Pods to delete. */
interface Changes {
  readonly makeOn: string[];
  readonly remove: Pod[];
}

/** Adds items to a list; there may be more items than a call can have arguments. */
function addAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}

const noChanges = (): Changes => ({ makeOn: [], remove: [] });

/** The plan of one DaemonSet that is not being deleted. */
class Planning {
  readonly #view: DaemonSetView;
  readonly #set: DaemonSet;
  /** All Pods that it controls. */
  readonly #all: readonly Pod[];
  /** Without Pods that have finished and are terminating: nothing needs to be done with them. */
  readonly #pods: PodsByNode;
  readonly #revision: RevisionPlan;
  readonly #events: PlannedWrite[] = [];
  readonly #failedOn: string[] = [];
  #waitMillis: number | undefined;

  constructor(view: DaemonSetView, pods: readonly Pod[], history: readonly ControllerRevision[]) {
    const { set, revisionNamed } = view;
    this.#view = view;
    this.#set = set;
    this.#all = pods;
    this.#pods = Map.groupBy(
      pods.filter((pod) => targetOf(pod) !== undefined && !(isFinished(pod) && isTerminating(pod))),
      (pod) => targetOf(pod)!,
    );
    const { template } = set.spec;
    const { collisionCount } = set.status;
    this.#revision = planRevision({ owner: set, template, history, label: HASH, collisionCount, revisionNamed });
  }

  plan(): DaemonSetPlan {
    const { updateStrategy, minReadySeconds = 0 } = this.#set.spec;
    const managed = this.#manage();
    const isSettled = managed.makeOn.length + managed.remove.length === 0;
    const changes = isSettled && updateStrategy.type === "RollingUpdate" ? this.#update() : managed;
    return {
      stages: [this.#revision.writes, this.#relabel(), this.#events, this.#writes(changes)],
      afterwards: (refusals, isIncomplete) => (isIncomplete ? [] : this.#afterwards(refusals)),
      againMillis: soonest(this.#waitMillis, nextAvailable(this.#all, minReadySeconds, this.#view.now)),
      failedOn: this.#failedOn,
    };
  }

  #writes({ makeOn, remove }: Changes): PlannedWrite[] {
    const { hash } = this.#revision;
    return [
      ...makeOn.slice(0, MOST_AT_ONCE).map((node) => creates(Pod, newPod(this.#set, node, hash), MADE)),
      ...remove.slice(0, MOST_AT_ONCE).map((pod) => deletes(Pod, pod, DELETED)),
    ];
  }

  /** Of equal revisions one stays: Pods of the others get its hash. */
  #relabel(): PlannedWrite[] {
    const { duplicates, hash } = this.#revision;
    if (duplicates.length === 0) return [];
    const others = new Set(duplicates.map(({ metadata }) => metadata.labels?.[HASH] ?? metadata.name));
    const pods = this.#all.filter(({ metadata }) => {
      const own = metadata.labels?.[HASH];
      return own !== undefined && own !== hash && others.has(own);
    });
    return [
      ...pods.map((pod) => patches(Pod, pod, { metadata: { labels: { [HASH]: hash } } })),
      ...duplicates.map((revision) => deletes(ControllerRevision, revision)),
    ];
  }

  /** Gives each node the Pods that it should have (WL-DS-1, WL-DS-3 to WL-DS-6). */
  #manage(): Changes {
    const changes = noChanges();
    const fit = fitOf(this.#set.spec.template);
    const names = new Set<string>();
    for (const node of this.#view.nodes) {
      const { name } = node.metadata;
      names.add(name);
      const here = this.#pods.get(name);
      const found = fit(node);
      if (found === "none")
        addAll(
          changes.remove,
          (here ?? []).filter((pod) => !isTerminating(pod)),
        );
      else if (here) this.#manageNode(name, here, found === "runs", changes);
      else if (found === "runs") changes.makeOn.push(name);
    }
    // A Pod for a deleted node that was never bound has no other controller to delete it (WL-DS-4).
    for (const [node, pods] of this.#pods) {
      if (!names.has(node))
        addAll(
          changes.remove,
          pods.filter(({ spec }) => !spec.nodeName),
        );
    }
    return changes;
  }

  #manageNode(node: string, here: readonly Pod[], isToRun: boolean, changes: Changes): void {
    const running = here.filter((pod) => !isTerminating(pod) && !isFinished(pod));
    for (const pod of here) if (isFinished(pod)) this.#replaceEnded(node, pod, changes);
    if (running.length === 0 && this.#allowsSurge && isToRun) {
      // A finished Pod that waits to be replaced counts as the next one.
      if (here.every(isTerminating)) changes.makeOn.push(node);
    }
    if (running.length <= 1) return;
    const sorted = running.toSorted(byPrecedence);
    addAll(changes.remove, this.#allowsSurge ? this.#surplusOfSurge(sorted) : sorted.slice(1));
  }

  /** Deletes a finished Pod; a failed one only after its backoff (WL-DS-5). */
  #replaceEnded(node: string, pod: Pod, { remove }: Changes): void {
    if (isTerminating(pod)) return;
    const { namespace, name } = pod.metadata;
    const isFailed = pod.status.phase === "Failed";
    if (isFailed) {
      const wait = this.#view.waitOf(node);
      if (wait !== undefined) {
        this.#waitMillis = soonest(this.#waitMillis, wait);
        return;
      }
      this.#failedOn.push(node);
    }
    const what = `daemon pod ${namespace}/${name} on node ${node}`;
    this.#events.push(
      isFailed
        ? tells("Warning", "FailedDaemonPod", `Found failed ${what}, will try to kill it`)
        : tells("Normal", "SucceededDaemonPod", `Found succeeded ${what}, will try to delete it`),
    );
    remove.push(pod);
  }

  /** With surge a node may have an old Pod and a new one, while the old one is ready and the new one is not available (WL-DS-9). */
  #surplusOfSurge(running: readonly Pod[]): Pod[] {
    const { hash } = this.#revision;
    const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[HASH] === hash;
    // Of several Pods of one kind the oldest available one stays.
    const best = (pods: readonly Pod[]): Pod | undefined => pods.find((pod) => this.#isAvailable(pod)) ?? pods[0];
    const latest = best(running.filter(isNew));
    const old = best(running.filter((pod) => !isNew(pod)));
    const others = running.filter((pod) => pod !== latest && pod !== old);
    return latest && old && (!isReady(old) || this.#isAvailable(latest)) ? [...others, old] : others;
  }

  get #allowsSurge(): boolean {
    return this.#surge(1) > 0;
  }

  #surge(desired: number): number {
    const { type, rollingUpdate } = this.#set.spec.updateStrategy;
    return type === "RollingUpdate" ? shareOf(rollingUpdate?.maxSurge ?? 0, desired, "up") : 0;
  }

  #isAvailable(pod: Pod): boolean {
    return isAvailable(pod, this.#set.spec.minReadySeconds ?? 0, this.#view.now);
  }

  /** Plans the next part of a RollingUpdate (WL-DS-8, WL-DS-9). */
  #update(): Changes {
    const fit = fitOf(this.#set.spec.template);
    const desired = this.#view.nodes.filter((node) => fit(node) === "runs");
    const surge = this.#surge(desired.length);
    const { rollingUpdate } = this.#set.spec.updateStrategy;
    const unavailable = shareOf(rollingUpdate?.maxUnavailable ?? 1, desired.length, "up");
    // With 0 for both the update could never make progress.
    return surge > 0
      ? this.#updateWithSurge(desired.length, surge)
      : this.#updateInPlace(desired, desired.length > 0 && unavailable === 0 ? 1 : unavailable);
  }

  /** The nodes that have Pods, or should have one. */
  #nodes(desired: readonly Node[]): Set<string> {
    return new Set([...desired.map(({ metadata }) => metadata.name), ...this.#pods.keys()]);
  }

  /** The Pods of a node that stay: those of the template in the spec, and older ones. */
  #sides(node: string): { readonly latest: readonly Pod[]; readonly old: readonly Pod[] } {
    const staying = (this.#pods.get(node) ?? []).filter((pod) => !isTerminating(pod));
    const { hash } = this.#revision;
    const latest = staying.filter((pod) => isUpdated(this.#set, pod, hash));
    return { latest, old: staying.filter((pod) => !isUpdated(this.#set, pod, hash)) };
  }

  #updateInPlace(desired: readonly Node[], mostUnavailable: number): Changes {
    const changes = noChanges();
    const candidates: Pod[] = [];
    let unavailable = 0;
    for (const node of this.#nodes(desired)) {
      const { latest, old } = this.#sides(node);
      const [pod] = [...latest, ...old];
      if (latest.length + old.length !== 1 || !pod) unavailable++;
      else if (!this.#isAvailable(pod)) {
        unavailable++;
        // Deleting an old Pod that is not available does not reduce availability.
        addAll(changes.remove, old);
      } else addAll(candidates, old);
    }
    addAll(changes.remove, candidates.slice(0, Math.max(0, mostUnavailable - unavailable)));
    return changes;
  }

  #updateWithSurge(desired: number, mostSurge: number): Changes {
    const changes = noChanges();
    const fit = fitOf(this.#set.spec.template);
    const nodes = new Map(this.#view.nodes.map((node) => [node.metadata.name, node]));
    const candidates: string[] = [];
    const misplaced: Pod[] = [];
    let [surging, available] = [0, 0];
    for (const name of this.#pods.keys()) {
      const { latest, old } = this.#sides(name);
      if (latest.length > 1 || old.length > 1) {
        surging++;
        continue;
      }
      const [[newPodHere], [oldPod]] = [latest, old];
      const counts = oldPod ?? newPodHere;
      if (counts && this.#isAvailable(counts)) available++;
      if (!oldPod) continue;
      const node = nodes.get(name);
      if (newPodHere) {
        if (this.#isAvailable(newPodHere)) changes.remove.push(oldPod);
        else surging++;
      } else if (!node || fit(node) !== "runs") {
        // No new Pod is created there: it is deleted as far as maxUnavailable permits.
        if (node && this.#isAvailable(oldPod)) misplaced.push(oldPod);
        else if (node) changes.remove.push(oldPod);
      } else if (this.#isAvailable(oldPod)) candidates.push(name);
      else changes.makeOn.push(name);
    }
    addAll(changes.remove, misplaced.slice(0, Math.max(0, available - desired)));
    addAll(changes.makeOn, candidates.slice(0, Math.max(0, mostSurge - surging)));
    return changes;
  }

  /** The status, unless the revision is missing; old revisions are deleted unless a write was refused (WL-DS-7, WL-DS-11). */
  #afterwards(refusals: readonly Refusal[]): readonly PlannedWrite[] {
    if (refusals.some(({ write }) => "kind" in write && write.kind === ControllerRevision)) return [];
    const { collisionCount, hash, old } = this.#revision;
    const status = statusOf(this.#set, this.#view.nodes, this.#pods, { hash, collisionCount, now: this.#view.now });
    const writes: PlannedWrite[] = isSameStatus(this.#set.status, status)
      ? []
      : [updatesStatus(DaemonSet, { ...this.#set, status })];
    if (refusals.length > 0) return writes;
    const live = new Set(this.#all.flatMap(({ metadata }) => metadata.labels?.[HASH] ?? []));
    const { revisionHistoryLimit = 10 } = this.#set.spec;
    const isLive = ({ metadata }: ControllerRevision): boolean => live.has(metadata.labels?.[HASH] ?? "");
    return [...writes, ...planHistory(old, isLive, revisionHistoryLimit, true)];
  }
}
