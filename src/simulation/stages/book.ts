/** The Stages of a cluster, and which of them is next for an object. */
import { seededRandom } from "../../util/clock.ts";
import type { ValueObject } from "../../value/value.ts";
import { fnv1aOfText } from "../../util/fnv.ts";
import { type Stage, readStages } from "./stage.ts";

/** The next Stage of an object. */
export interface NextStage {
  readonly stage: Stage;
  /** When, in milliseconds since the epoch. */
  readonly due: number;
}

interface Chosen extends NextStage {
  readonly version: string;
  readonly isDone: boolean;
}

/** The members that identify the state of an object. */
export interface ObjectState {
  readonly uid: string;
  readonly version: string;
}

/** Chooses the Stages of objects. */
export class StageBook {
  readonly #seed: number;
  readonly #stages: Stage[];
  /** The choices by the uids of objects; a fork continues with them. */
  readonly #chosen: Map<string, Chosen>;

  constructor(
    seed: number,
    from?: { readonly stages: readonly Stage[]; readonly chosen: ReadonlyMap<string, Chosen> },
  ) {
    this.#seed = seed;
    this.#stages = [...(from?.stages ?? [])];
    this.#chosen = new Map(from?.chosen);
  }

  /** Adds the Stages of a text; one of a known name and kind is replaced. @throws Error that names file, Stage and field */
  add(yaml: string, from: string): void {
    for (const stage of readStages(yaml, from)) {
      const known = this.#stages.findIndex(({ name, kind }) => name === stage.name && kind === stage.kind);
      if (known < 0) this.#stages.push(stage);
      else this.#stages[known] = stage;
    }
  }

  /** Whether there are Stages for a kind. */
  has(kind: string): boolean {
    return this.#stages.some((stage) => stage.kind === kind);
  }

  fork(): StageBook {
    return new StageBook(this.#seed, { stages: this.#stages, chosen: this.#chosen });
  }

  /**
   * The next Stage of an object: chosen at random by the weights of the matching ones, after its delay since the object changed. A choice
   * is kept as long as its Stage matches. Undefined where none matches, or where the last one changed nothing.
   */
  next(kind: string, object: ValueObject, { uid, version }: ObjectState, now: number): NextStage | undefined {
    const known = this.#chosen.get(uid);
    if (known?.version === version) return known.isDone ? undefined : known;
    const fitting = this.#stages.filter((stage) => stage.kind === kind && stage.matches(object));
    if (known && !known.isDone && fitting.includes(known.stage)) {
      const kept = { ...known, version };
      this.#chosen.set(uid, kept);
      return kept;
    }
    const random = seededRandom(fnv1aOfText(`${this.#seed} ${uid} ${version}`));
    const stage = pick(possible(fitting, object), object, () => random.next());
    if (!stage) {
      this.#chosen.delete(uid);
      return undefined;
    }
    const { millis, jitter } = stage.delay(object, now) ?? { millis: 0 };
    const wait =
      jitter === undefined
        ? millis
        : jitter <= millis
          ? jitter
          : millis + Math.floor(random.next() * (jitter - millis));
    const chosen = { stage, due: now + Math.max(0, wait), version, isDone: false };
    this.#chosen.set(uid, chosen);
    return chosen;
  }

  /** The Stage of this state of an object was performed: the next one is chosen when the object has changed. */
  done({ uid, version }: ObjectState): void {
    const known = this.#chosen.get(uid);
    if (known?.version === version) this.#chosen.set(uid, { ...known, isDone: true });
  }

  /** Drops the record of a deleted object. */
  forget(uid: string): void {
    this.#chosen.delete(uid);
  }
}

/** The Stages of which one is chosen: those with a weight, or all if none has one. */
export function possible(stages: readonly Stage[], object: ValueObject): readonly Stage[] {
  if (stages.length < 2) return stages;
  const weighed = stages.map((stage) => ({ stage, weight: stage.weight(object) }));
  const known = weighed.filter(({ weight }) => weight !== undefined);
  if (known.length === 0) return stages;
  const heavy = known.filter(({ weight = 0 }) => weight > 0);
  return (heavy.length > 0 ? heavy : known).map(({ stage }) => stage);
}

function pick(stages: readonly Stage[], object: ValueObject, random: () => number): Stage | undefined {
  if (stages.length < 2) return stages[0];
  const weights = stages.map((stage) => Math.max(0, stage.weight(object) ?? 0));
  const sum = weights.reduce((a, b) => a + b, 0);
  if (sum === 0) return stages[Math.floor(random() * stages.length)];
  let left = random() * sum;
  return stages.find((_, at) => (left -= weights[at]!) < 0) ?? stages.at(-1);
}
