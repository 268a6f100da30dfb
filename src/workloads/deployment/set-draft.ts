/** A ReplicaSet of a Deployment as a plan wants it. */
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

/** See the head of this file. Its fields are changed while a plan is made; `writes` says what follows. */
export class SetDraft {
  readonly name: string;
  /** The stored one; undefined for one that is to be made. */
  readonly stored: ReplicaSet | undefined;
  readonly #made: NewObject<ReplicaSet> | undefined;
  /** The wanted Pods. */
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

  /** The draft of a ReplicaSet that is to be made. */
  static making(object: NewObject<ReplicaSet>): SetDraft {
    return new SetDraft(undefined, object);
  }

  /** The wanted Pods of the stored one; 0 of one that is to be made. */
  get sizeBefore(): number {
    return this.stored ? (this.stored.spec.replicas ?? 1) : 0;
  }

  /** The available Pods, at most as many as are wanted: those beyond are about to go. */
  get available(): number {
    return Math.min(this.stored?.status.availableReplicas ?? 0, this.size);
  }

  /** The Pods that there are. */
  get replicas(): number {
    return this.stored?.status.replicas ?? 0;
  }

  /** When it was made, in milliseconds since the epoch; one that is to be made is the newest. */
  get createdAt(): number {
    const text = this.stored?.metadata.creationTimestamp;
    return text ? (parseTime(text) ?? Infinity) : Infinity;
  }

  /** The stages that write it, each with its Event after it (WL-DEP-9). */
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

/** The wanted Pods of several ReplicaSets together. */
export const sizeOf = (sets: readonly SetDraft[]): number => sets.reduce((sum, { size }) => sum + size, 0);

/** The ReplicaSets that want Pods. */
export const activeOf = (sets: readonly SetDraft[]): readonly SetDraft[] => sets.filter(({ size }) => size > 0);

/** Returns annotations with others added; the same object where that changes nothing. */
export const withAnnotations = (annotations: Annotations, added: Annotations): Annotations =>
  Object.entries(added).every(([name, value]) => Object.hasOwn(annotations, name) && annotations[name] === value)
    ? annotations
    : { ...annotations, ...added };
