/**
 * Plans a StatefulSet: its revisions, claims and Pods, one after the other or all at once, and its status (WL-STS-1 to WL-STS-15).
 *
 * The order is that of the ordinals: desired Pods, then excess Pods from the highest down, then an update from the
 * highest down. With OrderedReady the first Pod that is not available ends the plan.
 */
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";
import { selectorOf } from "../../meta/label-selector.ts";
import { type Ownership, ownershipWrites, planOwnership } from "../common/ownership.ts";
import {
  type Plan,
  type PlannedWrite,
  type Refusal,
  type Told,
  creates,
  deletes,
  inSeries,
  tells,
  updates,
  updatesStatus,
} from "../common/plan.ts";
import { isAvailable, isTerminating, nextAvailable } from "../common/pods.ts";
import { shareOf } from "../common/share.ts";
import type { PodTemplate } from "../common/template.ts";
import { type RevisionPlan, planHistory, planRevision } from "../revisions/plan.ts";
import { byNumber, isRevisionOf, templateOf } from "../revisions/revision.ts";
import { type ClaimNamed, claimsOf, hasOtherController, isStale, newClaims, withOwners } from "./claims.ts";
import { firstOrdinal, isWanted, ordinalOf, podName, replicasOf } from "./names.ts";
import { completed, isComplete, newPod, revisionOf } from "./pod.ts";
import { type RevisionNames, isRunningAndReady, isSameStatus, statusOf } from "./status.ts";

/** The input of a plan. */
export interface StatefulSetView {
  readonly set: StatefulSet;
  /** The Pods that it controls, and those of its namespace without a controller. */
  readonly pods: readonly Pod[];
  /** The revisions that it controls, and those of its namespace without a controller. */
  readonly revisions: readonly ControllerRevision[];
  /** Returns a revision of the namespace, of any owner. */
  readonly revisionNamed: (name: string) => ControllerRevision | undefined;
  readonly claimNamed: ClaimNamed;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The label of a revision of a StatefulSet with its hash. */
const HASH = "controller.kubernetes.io/hash";

/** The maximum number of Pods that one plan creates. */
const MAX_CREATES = 500;

/** After so many new claims one plan continues with no further Pod: a StatefulSet may have tens of thousands of templates. */
const MAX_NEW_CLAIMS = 10_000;

/** The maximum number of claims of excess Pods that one plan looks up. */
const MAX_LOOKUPS = 1_000_000;

const NO_PLAN: Plan = { stages: [] };

/** Plans a StatefulSet. */
export function planStatefulSet(view: StatefulSetView): Plan {
  const { set } = view;
  if (!set.spec.selector) return NO_PLAN;
  const selector = selectorOf(set.spec.selector);
  const pods = planOwnership(
    set,
    view.pods,
    (pod) => selector.matches(pod.metadata.labels) && ordinalOf(set, pod) !== undefined,
  );
  const revisions = planOwnership(set, view.revisions, ({ metadata }) => selector.matches(metadata.labels));
  const ownership = planOwners(set, pods, revisions);
  if (ownership) return ownership;
  return set.metadata.deletionTimestamp === undefined
    ? new Planning(view, pods.owned, revisions.owned).plan()
    : planGoing(view, pods.owned, revisions.owned);
}

/** Plans adoptions and releases; the rest is planned when the informers show them (WL-STS-12). */
function planOwners(
  set: StatefulSet,
  pods: Ownership<Pod>,
  { adopts }: Ownership<ControllerRevision>,
): Plan | undefined {
  const revisions = ownershipWrites(ControllerRevision, set, { owned: [], adopts, releases: [] });
  const writes = [...revisions, ...ownershipWrites(Pod, set, pods)];
  if (writes.length === 0) return undefined;
  return { stages: [writes], adopts: pods.adopts.length + adopts.length > 0 };
}

/** While it is being deleted only its status is written (WL-GEN-2). */
function planGoing({ set, now }: StatefulSetView, pods: readonly Pod[], history: readonly ControllerRevision[]): Plan {
  const { status, spec } = set;
  const update = history.toSorted(byNumber).findLast((one) => isRevisionOf(one, spec.template))?.metadata.name;
  const { currentRevision = "", updateRevision = "", collisionCount = 0 } = status;
  const names = { current: currentRevision, update: update ?? updateRevision };
  const next = statusOf(set, pods, names, { collisionCount, now, deleted: 0 });
  return { stages: [], afterwards: () => statusWrites(set, next) };
}

const statusWrites = (set: StatefulSet, status: StatefulSet["status"]): PlannedWrite[] =>
  isSameStatus(set.status, status) ? [] : [updatesStatus(StatefulSet, { ...set, status })];

/** A Pod with its ordinal. */
interface Member {
  readonly ordinal: number;
  readonly pod: Pod;
}

/** The writes for one Pod, and whether later Pods have to wait. */
interface Step {
  readonly writes: readonly PlannedWrite[];
  readonly blocks: boolean;
}

const GOES_ON: Step = { writes: [], blocks: false };

/** The plan of one StatefulSet that is not being deleted. */
class Planning {
  readonly #view: StatefulSetView;
  readonly #set: StatefulSet;
  readonly #isOrdered: boolean;
  readonly #history: readonly ControllerRevision[];
  readonly #revision: RevisionPlan;
  readonly #names: RevisionNames;
  readonly #currentTemplate: PodTemplate;
  /** Its Pods in the order of their ordinals: desired ones, and excess ones. */
  readonly #wanted: readonly Member[];
  readonly #surplus: readonly Member[];
  readonly #stages: PlannedWrite[][] = [];
  /** The Pods whose claims are created. */
  readonly #claimsFor = new Map<PlannedWrite, string>();
  #obstacle: string | undefined;
  /** The number of Pods that are deleted for an update. */
  #deleted = 0;

  constructor(view: StatefulSetView, pods: readonly Pod[], history: readonly ControllerRevision[]) {
    const { set, revisionNamed } = view;
    const { template } = set.spec;
    this.#view = view;
    this.#set = set;
    this.#isOrdered = set.spec.podManagementPolicy !== "Parallel";
    this.#history = history;
    const { collisionCount = 0, currentRevision } = set.status;
    this.#revision = planRevision({ owner: set, template, history, label: HASH, collisionCount, revisionNamed });
    const current = history.find(({ metadata }) => metadata.name === currentRevision);
    this.#names = { current: current?.metadata.name ?? this.#revision.name, update: this.#revision.name };
    this.#currentTemplate = (current && templateOf(current)) ?? template;
    const members = pods
      .map((pod) => ({ pod, ordinal: ordinalOf(set, pod)! }))
      .toSorted((a, b) => a.ordinal - b.ordinal);
    this.#wanted = members.filter(({ ordinal }) => isWanted(set, ordinal));
    this.#surplus = members.filter(({ ordinal }) => !isWanted(set, ordinal));
  }

  plan(): Plan {
    this.#stage(this.#revision.writes);
    this.#pods();
    const { minReadySeconds = 0 } = this.#set.spec;
    const all = [...this.#wanted, ...this.#surplus].map(({ pod }) => pod);
    return {
      stages: this.#stages,
      afterwards: (refusals, isIncomplete) => (isIncomplete ? [] : this.#afterwards(refusals)),
      againMillis: nextAvailable(all, minReadySeconds, this.#view.now),
      obstacle: this.#obstacle,
    };
  }

  #stage(writes: readonly PlannedWrite[]): void {
    if (writes.length > 0) this.#stages.push([...writes]);
  }

  /** Plans the Pods in three parts; each begins only when nothing in the previous one blocks. */
  #pods(): void {
    if (this.#replicas()) return;
    if (this.#scaleDown()) return;
    this.#update();
  }

  /** Adds the writes of steps until one blocks; of all steps with Parallel. Returns whether the plan ends there. */
  #run(steps: Iterable<Step>): boolean {
    const together: PlannedWrite[] = [];
    for (const { writes, blocks } of steps) {
      if (!this.#isOrdered) {
        together.push(...writes);
        continue;
      }
      this.#stage(writes);
      if (blocks) return true;
    }
    this.#stage(together);
    return this.#obstacle !== undefined;
  }

  #replicas(): boolean {
    return this.#run(this.#replicaSteps());
  }

  /** The steps of the desired Pods, made on demand: `spec.replicas` may be any number. */
  *#replicaSteps(): Generator<Step> {
    const present = new Map(this.#wanted.map(({ ordinal, pod }) => [ordinal, pod]));
    const first = firstOrdinal(this.#set);
    const last = first + replicasOf(this.#set) - 1;
    let missing = 0;
    for (let ordinal = first; ordinal <= last; ordinal++) {
      if (missing >= MAX_CREATES || this.#claimsFor.size >= MAX_NEW_CLAIMS) return;
      const pod = present.get(ordinal);
      if (!pod) missing++;
      yield pod ? this.#present({ ordinal, pod }) : this.#absent(ordinal);
    }
  }

  /** Creates a Pod after its claims (WL-STS-2, WL-STS-3, WL-STS-10). */
  #absent(ordinal: number): Step {
    const name = podName(this.#set, ordinal);
    const claims = claimsOf(this.#set, ordinal, this.#view.claimNamed);
    if (claims.some((claim) => isStale(this.#set, ordinal, claim))) return { writes: [], blocks: true };
    const going = claims.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (going) {
      const why = `pvc ${going.metadata.name} is being deleted`;
      this.#obstacle ??= why;
      const { refused, refusedNote } = this.#told("Create", name);
      return { writes: [tells("Warning", refused, `${refusedNote}${why}`)], blocks: true };
    }
    const made = newPod(this.#set, ordinal, this.#revisionFor(ordinal));
    const pod = creates(Pod, made, { ...this.#told("Create", name), untold: ["AlreadyExists"] });
    return { writes: [inSeries(...this.#missingClaims(ordinal), pod)], blocks: true };
  }

  /** The revision of a new Pod: below the partition the current one (WL-STS-7). */
  #revisionFor(ordinal: number): { readonly template: PodTemplate; readonly revision: string } {
    const { updateStrategy, template } = this.#set.spec;
    const { type, rollingUpdate } = updateStrategy;
    const { currentReplicas = 0 } = this.#set.status;
    const kept = rollingUpdate ? (rollingUpdate.partition ?? 0) : type === "RollingUpdate" ? currentReplicas : 0;
    return ordinal < firstOrdinal(this.#set) + kept
      ? { template: this.#currentTemplate, revision: this.#names.current }
      : { template, revision: this.#names.update };
  }

  #missingClaims(ordinal: number): PlannedWrite[] {
    const pod = podName(this.#set, ordinal);
    const missing = newClaims(this.#set, ordinal).filter(({ metadata }) => !this.#view.claimNamed(metadata.name!));
    return missing.map((claim) => {
      const write = creates(PersistentVolumeClaim, claim, this.#toldOfClaim(claim.metadata.name!, pod));
      this.#claimsFor.set(write, pod);
      return write;
    });
  }

  /** Replaces a finished Pod, and keeps the claims and labels of other Pods up to date (WL-STS-4, WL-STS-11). */
  #present(member: Member): Step {
    const { ordinal, pod } = member;
    if (isFinished(pod)) {
      // A claim that the Pod owns, since it was excess at some time, is released for the next Pod.
      const writes = isTerminating(pod) ? [] : [inSeries(...this.#ownerWrites(member), this.#deletes(pod))];
      return { writes, blocks: true };
    }
    const writes: PlannedWrite[] = [];
    if (pod.status.phase === "Pending") {
      const going = claimsOf(this.#set, ordinal, this.#view.claimNamed).find(
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      if (going) this.#obstacle ??= `pvc ${going.metadata.name} is being deleted`;
      const missing = this.#missingClaims(ordinal);
      if (missing.length > 0) writes.push(inSeries(...missing));
      writes.push(...this.#ownerWrites(member));
      if (going) return { writes, blocks: true };
    }
    if (this.#isOrdered && !this.#isSettled(pod)) return { writes, blocks: true };
    if (writes.length > 0) return { writes, blocks: false };
    const repairs = this.#repairs(member);
    return repairs.length === 0 ? GOES_ON : { writes: [inSeries(...repairs)], blocks: false };
  }

  /** Whether a Pod is running, ready and available, and not terminating. */
  #isSettled(pod: Pod): boolean {
    const { minReadySeconds = 0 } = this.#set.spec;
    return isRunningAndReady(pod) && !isTerminating(pod) && isAvailable(pod, minReadySeconds, this.#view.now);
  }

  /** Updates the labels, volumes and claims of a Pod. */
  #repairs(member: Member): PlannedWrite[] {
    const { ordinal, pod } = member;
    const owners = this.#ownerWrites(member);
    const told = this.#told("Update", pod.metadata.name);
    if (!isComplete(this.#set, ordinal, pod)) {
      return [...this.#missingClaims(ordinal), ...owners, updates(Pod, completed(this.#set, ordinal, pod), told)];
    }
    return owners.length === 0 ? [] : [...owners, tells("Normal", told.done, told.doneNote ?? "")];
  }

  /** Sets the owners of the claims of a Pod by the policy (WL-STS-11). */
  #ownerWrites({ ordinal, pod }: Member): PlannedWrite[] {
    return claimsOf(this.#set, ordinal, this.#view.claimNamed).flatMap((claim) => {
      const written = withOwners(this.#set, ordinal, pod, claim);
      if (!written) return [];
      const isOthers = hasOtherController(this.#set, pod, claim);
      const conflict = `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      return [
        ...(isOthers ? [tells("Warning", "ConflictingController", conflict)] : []),
        updates(PersistentVolumeClaim, written),
      ];
    });
  }

  /** Deletes excess Pods, from the highest ordinal down (WL-STS-2, WL-STS-3, WL-STS-13). */
  #scaleDown(): boolean {
    const templates = this.#set.spec.volumeClaimTemplates?.length ?? 0;
    const downwards = this.#surplus.toReversed().slice(0, Math.ceil(MAX_LOOKUPS / templates));
    this.#stage(downwards.flatMap((member) => this.#ownerWrites(member)));
    const lowest = this.#surplus.find(({ pod }) => !this.#isSettled(pod));
    return this.#run(
      downwards.map(({ pod }): Step => {
        if (isTerminating(pod)) return { writes: [], blocks: true };
        // An unavailable Pod is deleted only when it is the lowest of the excess Pods.
        if (this.#isOrdered && !this.#isSettled(pod) && pod !== lowest?.pod) return { writes: [], blocks: true };
        return { writes: [this.#deletes(pod)], blocks: true };
      }),
    );
  }

  /** Deletes Pods of other revisions from the highest ordinal down, within maxUnavailable (WL-STS-7, WL-STS-8, WL-STS-9). */
  #update(): void {
    const { type, rollingUpdate } = this.#set.spec.updateStrategy;
    if (type === "OnDelete") return;
    const replicas = replicasOf(this.#set);
    const most = Math.max(1, shareOf(rollingUpdate?.maxUnavailable ?? 1, replicas, "down"));
    const unavailable = replicas - this.#wanted.filter(({ pod }) => this.#isSettled(pod)).length;
    const from = firstOrdinal(this.#set) + (rollingUpdate?.partition ?? 0);
    const old = this.#wanted.filter(
      ({ ordinal, pod }) => ordinal >= from && revisionOf(pod) !== this.#names.update && !isTerminating(pod),
    );
    const chosen = old.toReversed().slice(0, Math.max(0, most - unavailable));
    this.#deleted = chosen.length;
    this.#stage(chosen.map(({ pod }) => this.#deletes(pod)));
  }

  /** The status, unless the revision is missing; then old revisions are deleted (WL-STS-6). */
  #afterwards(refusals: readonly Refusal[]): readonly PlannedWrite[] {
    if (refusals.some(({ write }) => "kind" in write && write.kind === ControllerRevision)) return [];
    const pods = [...this.#wanted, ...this.#surplus].map(({ pod }) => pod);
    const status = statusOf(this.#set, pods, this.#names, {
      collisionCount: this.#revision.collisionCount ?? 0,
      now: this.#view.now,
      deleted: this.#deleted,
    });
    const live = new Set([this.#names.current, this.#names.update, ...pods.map(revisionOf)]);
    const { revisionHistoryLimit = 10 } = this.#set.spec;
    const sorted = this.#history.toSorted(byNumber);
    return [
      ...refusals.flatMap((refusal) => this.#refusedPod(refusal)),
      ...statusWrites(this.#set, status),
      ...planHistory(sorted, ({ metadata }) => live.has(metadata.name), revisionHistoryLimit, false),
    ];
  }

  /** An Event that a Pod is not created because a claim was refused. */
  #refusedPod({ write, reason, message }: Refusal): PlannedWrite[] {
    const pod = this.#claimsFor.get(write);
    if (pod === undefined || reason === "AlreadyExists") return [];
    const { refused, refusedNote } = this.#told("Create", pod);
    const claim = write.verb === "create" ? (write.object.metadata.name ?? "") : "";
    return [tells("Warning", refused, `${refusedNote}failed to create PVC ${claim}: ${message}`)];
  }

  #deletes(pod: Pod): PlannedWrite {
    return deletes(Pod, pod, this.#told("Delete", pod.metadata.name));
  }

  #told(verb: "Create" | "Update" | "Delete", pod: string): Told {
    const what = `${verb} Pod ${pod} in StatefulSet ${this.#set.metadata.name}`;
    return {
      done: `Successful${verb}`,
      refused: `Failed${verb}`,
      doneNote: `${what} successful`,
      refusedNote: `${what} failed error: `,
    };
  }

  #toldOfClaim(claim: string, pod: string): Told {
    const { name } = this.#set.metadata;
    return {
      done: "SuccessfulCreate",
      refused: "FailedCreate",
      doneNote: `Create Claim ${claim} Pod ${pod} in StatefulSet ${name} success`,
      refusedNote: `Create Claim ${claim} for Pod ${pod} in StatefulSet ${name} failed error: `,
      untold: ["AlreadyExists"],
    };
  }
}
