/**
 * Rolls out the template of a Deployment: which ReplicaSets exist, their desired numbers of Pods, and the status.
 *
 * @module
 */
import { Deployment, type Pod, ReplicaSet } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";
import { selectorOf } from "../../meta/label-selector.ts";
import { ownershipWrites, planOwnership } from "../common/ownership.ts";
import { type Plan, type PlannedWrite, type Refusal, tells, updatesStatus } from "../common/plan.ts";
import { isSameStatus } from "../common/status.ts";
import type { Conditions } from "./conditions.ts";
import { keepRevision, oldRevisions, scaleAnnotations } from "./revisions.ts";
import { planRollback, rollbackTo } from "./rollback.ts";
import { type Sets, emptyOld, growNew, isScaled, nextSize, scale, shrinkOld } from "./scaling.ts";
import { REVISION, SetDraft, byAge, withAnnotations } from "./set-draft.ts";
import { isRolling } from "./shares.ts";
import {
  CREATE_ERROR,
  type Status,
  createdConditions,
  deadlineMillis,
  failedConditions,
  foundConditions,
  isComplete,
  pausedConditions,
  plainStatus,
  rolloutStatus,
} from "./status.ts";
import { hasTemplateOf, setOfTemplate } from "./template-set.ts";

/** The input of the plan of a Deployment. */
export interface DeploymentInput {
  readonly deployment: Deployment;
  /** The ReplicaSets that it controls, and those of its namespace without a controller. */
  readonly candidates: readonly ReplicaSet[];
  /** The ReplicaSet of the namespace with a name, whatever its controller. */
  readonly named: (name: string) => ReplicaSet | undefined;
  /** The Pods of a ReplicaSet; it is called only for the strategy Recreate. */
  readonly podsOf: (set: ReplicaSet) => readonly Pod[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Whether the labels of a ReplicaSet match the selector of a Deployment. An empty selector matches none. */
export function fitsDeployment({ metadata }: ReplicaSet, { spec }: Deployment): boolean {
  const selector = selectorOf(spec.selector ?? {});
  return selector.requirements.length > 0 && selector.matches(metadata.labels);
}

/**
 * Plans the next step of a Deployment (WL-DEP-1..23). Adoptions and releases of ReplicaSets come first; they are counted by the next
 * plan.
 */
export function planDeployment(input: DeploymentInput): Plan {
  const { deployment, candidates } = input;
  const ownership = planOwnership(deployment, candidates, (set) => fitsDeployment(set, deployment));
  const { owned, adopts, releases } = ownership;
  if (adopts.length + releases.length > 0) {
    return { stages: [ownershipWrites(ReplicaSet, deployment, ownership)], adopts: adopts.length > 0 };
  }
  const sets = owned.map((set) => SetDraft.of(set)).toSorted(byAge);
  const current = sets.find(({ stored }) => stored && hasTemplateOf(stored, deployment));
  return new Rollout(input, { current, old: sets.filter((set) => set !== current) }).plan();
}

/** One plan: its ReplicaSets and conditions are changed step by step. */
class Rollout {
  readonly #input: DeploymentInput;
  #sets: Sets;
  #conditions: Conditions;
  /** Deletions of old revisions. */
  #deletions: readonly PlannedWrite[] = [];

  constructor(input: DeploymentInput, sets: Sets) {
    this.#input = input;
    this.#sets = sets;
    this.#conditions = input.deployment.status.conditions ?? [];
  }

  plan(): Plan {
    const { deployment, now } = this.#input;
    if (deployment.metadata.deletionTimestamp !== undefined) return this.#planOf(this.#plainStatus());
    this.#conditions = pausedConditions(deployment, this.#conditions, now);
    const { current, old } = this.#sets;
    if (current) {
      keepRevision(current, old, deployment);
      this.#conditions = foundConditions(deployment, this.#conditions, current.name, now);
    }
    if (deployment.spec.paused) {
      scale(this.#sets, deployment);
      this.#deletions = oldRevisions(old, deployment);
      return this.#planOf(this.#plainStatus());
    }
    const revision = rollbackTo(deployment);
    if (revision !== undefined) return planRollback(deployment, this.#all, revision);
    if (isScaled(this.#sets, deployment)) {
      scale(this.#sets, deployment);
      return this.#planOf(this.#plainStatus());
    }
    return isRolling(deployment) ? this.#roll() : this.#recreate();
  }

  /** Adds new Pods as far as surge permits; then removes old ones as far as availability permits. */
  #roll(): Plan {
    const { deployment } = this.#input;
    const { current, old } = this.#sets;
    const made = current ? undefined : this.#make();
    if (made === "taken") return this.#collision();
    const present = current ?? made!;
    const hasGrown = current !== undefined && growNew(current, old, deployment);
    if (!hasGrown) shrinkOld(present, old, deployment);
    return this.#end();
  }

  /** Adds no new Pods before all old ones are deleted. */
  #recreate(): Plan {
    const { deployment } = this.#input;
    const { current, old } = this.#sets;
    if (emptyOld(old, deployment) || this.#hasOldPods()) return this.#end();
    if (current) growNew(current, old, deployment);
    else if (this.#make() === "taken") return this.#collision();
    return this.#end();
  }

  #hasOldPods(): boolean {
    const { podsOf } = this.#input;
    return this.#sets.old.some(
      ({ stored, replicas }) => replicas > 0 || (stored && podsOf(stored).some((pod) => !isFinished(pod))),
    );
  }

  /** Drafts the ReplicaSet of the template in the spec, unless its name is taken. */
  #make(): SetDraft | "taken" {
    const { deployment, named, now } = this.#input;
    const { old } = this.#sets;
    const made = SetDraft.making(setOfTemplate(deployment));
    if (named(made.name)) return "taken";
    made.size = nextSize(undefined, old, deployment);
    keepRevision(made, old, deployment);
    made.annotations = withAnnotations(made.annotations, scaleAnnotations(deployment));
    this.#conditions = createdConditions(deployment, this.#conditions, made.name, now);
    this.#sets = { current: made, old };
    return made;
  }

  /** Tries the next hash (WL-DEP-5). */
  #collision(): Plan {
    const { deployment } = this.#input;
    const { collisionCount = 0 } = deployment.status;
    const status = { ...deployment.status, collisionCount: collisionCount + 1 };
    return { stages: [[updatesStatus(Deployment, { ...deployment, status })]] };
  }

  /** The plan of a rollout: old revisions are deleted where it was complete already (WL-DEP-7). */
  #end(): Plan {
    const { deployment, now } = this.#input;
    if (isComplete(deployment, deployment.status)) this.#deletions = oldRevisions(this.#sets.old, deployment);
    return this.#planOf(rolloutStatus(deployment, this.#conditions, this.#sets, now));
  }

  #plainStatus(): Status {
    const { deployment, now } = this.#input;
    return plainStatus(deployment, this.#conditions, this.#sets, now);
  }

  get #all(): readonly SetDraft[] {
    const { current, old } = this.#sets;
    return current ? [...old, current] : old;
  }

  #planOf(status: Status): Plan {
    const { deployment, now } = this.#input;
    const isGoing = deployment.metadata.deletionTimestamp !== undefined;
    const { current, old } = this.#sets;
    // Creates come first: old ReplicaSets stay as they are while a create is refused.
    const sets = current && !current.stored ? [current, ...old] : this.#all;
    const changes = isGoing ? [] : sets.flatMap(({ stages }) => stages);
    return {
      stages: this.#deletions.length > 0 ? [...changes, this.#deletions] : changes,
      afterwards: (refusals, isIncomplete) => (isIncomplete ? [] : this.#statusWrites(status, refusals)),
      againMillis: isGoing || deployment.spec.paused ? undefined : deadlineMillis(deployment, status, now),
    };
  }

  #statusWrites(status: Status, refusals: readonly Refusal[]): readonly PlannedWrite[] {
    const { deployment } = this.#input;
    const [refused] = refusals;
    if (refused) return refused.write.verb === "create" ? this.#creationFailed(refused) : [];
    const annotations = this.#annotations();
    if (annotations === deployment.metadata.annotations && isSameStatus(deployment.status, status)) return [];
    const metadata = annotations ? { ...deployment.metadata, annotations } : deployment.metadata;
    return [updatesStatus(Deployment, { ...deployment, metadata, status })];
  }

  /** The annotations of the Deployment, with the revision of the template in the spec. */
  #annotations(): Deployment["metadata"]["annotations"] {
    const { annotations } = this.#input.deployment.metadata;
    const revision = this.#sets.current?.annotations[REVISION];
    if (revision === undefined || annotations?.[REVISION] === revision) return annotations;
    return { ...annotations, [REVISION]: revision };
  }

  #creationFailed({ reason, message }: Refusal): readonly PlannedWrite[] {
    // The name was taken a moment ago; the informer will show that object.
    if (reason === "AlreadyExists") return [];
    const { deployment, now } = this.#input;
    const why = `Failed to create new replica set "${this.#sets.current?.name ?? ""}": ${message}`;
    const before = deployment.status.conditions ?? [];
    const conditions = failedConditions(deployment, before, why, now);
    const told = tells("Warning", CREATE_ERROR, why);
    if (conditions === before) return [told];
    return [updatesStatus(Deployment, { ...deployment, status: { ...deployment.status, conditions } }), told];
  }
}
