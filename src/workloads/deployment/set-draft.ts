/** A ReplicaSet of a Deployment as a plan wants it to be. */
import type { NewObject } from "../../client/kind.ts";
import { ReplicaSet } from "../../client/kinds/index.ts";
import { parseTime } from "../../meta/time.ts";
import { type PlannedWrite, creates, tells, updates } from "../common/plan.ts";

/** Annotations of an object. */
export type Annotations = Readonly<Record<string, string>>;

/** The annotations that ReplicaSets of a Deployment have. */
export const REVISION = "deployment.kubernetes.io/revision";
export const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";

/** See the head of this file. Its fields change during a plan; `writes` returns what follows. */
export class SetDraft {
  readonly name: string;
  /** The stored one; undefined where it is to be created. */
  readonly stored: ReplicaSet | undefined;
  readonly #made: NewObject<ReplicaSet> | undefined;
  /** The desired number of Pods. */
  size: number;
  annotations: Annotations;
  minReadySeconds: number;

  private constructor(stored: ReplicaSet | undefined, made: NewObject<ReplicaSet> | undefined) {
    const { metadata, spec } = (stored ?? made)! as ReplicaSet;
    this.stored = stored;
    this.#made = made;
    this.name = metadata.name;
    this.size = spec.replicas ?? 1;
    this.annotations = metadata.annotations ?? {};
    this.minReadySeconds = spec.minReadySeconds ?? 0;
  }

  /** The draft of a stored ReplicaSet. */
  static of(stored: ReplicaSet): SetDraft {
    return new SetDraft(stored, undefined);
  }

  /** The draft of a ReplicaSet that is to be created. */
  static making(object: NewObject<ReplicaSet>): SetDraft {
    return new SetDraft(undefined, object);
  }

  /** The desired number of Pods in the stored one; 0 where it is to be created. */
  get sizeBefore(): number {
    return this.stored ? (this.stored.spec.replicas ?? 1) : 0;
  }

  /** The available Pods, at most the desired number: the others are about to be deleted. */
  get available(): number {
    return Math.min(this.stored?.status.availableReplicas ?? 0, this.size);
  }

  /** The number of existing Pods. */
  get replicas(): number {
    return this.stored?.status.replicas ?? 0;
  }

  /** When it was created, in milliseconds since the epoch; one that is to be created is the newest. */
  get createdAt(): number {
    const text = this.stored?.metadata.creationTimestamp;
    return text ? (parseTime(text) ?? Infinity) : Infinity;
  }

  /** The stages that write it, each followed by its Event (WL-DEP-9). */
  get stages(): readonly (readonly PlannedWrite[])[] {
    const { size, sizeBefore, name } = this;
    if (!this.#isChanged) return [];
    const direction = size > sizeBefore ? "up" : "down";
    const scaled = `Scaled ${direction} replica set ${name} from ${sizeBefore} to ${size}`;
    return [[this.#write], ...(size === sizeBefore ? [] : [[tells("Normal", "ScalingReplicaSet", scaled)]])];
  }

  get #isChanged(): boolean {
    const { stored } = this;
    if (!stored) return true;
    return (
      this.size !== this.sizeBefore ||
      this.minReadySeconds !== (stored.spec.minReadySeconds ?? 0) ||
      this.annotations !== (stored.metadata.annotations ?? this.annotations)
    );
  }

  get #write(): PlannedWrite {
    const { metadata, spec } = (this.stored ?? this.#made)! as ReplicaSet;
    const { minReadySeconds: _, ...others } = spec;
    const object = {
      ...this.stored,
      metadata: { ...metadata, annotations: this.annotations },
      spec: {
        ...others,
        replicas: this.size,
        ...(this.minReadySeconds > 0 ? { minReadySeconds: this.minReadySeconds } : {}),
      },
    };
    return this.stored
      ? updates(ReplicaSet, object as ReplicaSet)
      : creates(ReplicaSet, object as unknown as NewObject<ReplicaSet>);
  }
}

/** Orders by age, the oldest first; equal ones by name. */
export const byAge = (a: SetDraft, b: SetDraft): number =>
  a.createdAt === b.createdAt ? (a.name < b.name ? -1 : 1) : a.createdAt - b.createdAt;

/** The sum of the desired Pods of several ReplicaSets. */
export const sizeOf = (sets: readonly SetDraft[]): number => sets.reduce((sum, { size }) => sum + size, 0);

/** The ReplicaSets with desired Pods. */
export const activeOf = (sets: readonly SetDraft[]): readonly SetDraft[] => sets.filter(({ size }) => size > 0);

/** Returns annotations with others added; the same object where nothing changes. */
export const withAnnotations = (annotations: Annotations, added: Annotations): Annotations =>
  Object.entries(added).every(([name, value]) => Object.hasOwn(annotations, name) && annotations[name] === value)
    ? annotations
    : { ...annotations, ...added };
