import type { LifeEntry, PerturbationEntry, StepEntry, TraceEntry } from "../../explore/contract/trace.ts";
import type { Clock } from "../../util/clock.ts";

type Unplaced<E> = E extends TraceEntry ? Omit<E, "seq" | "at"> : never;

/** An entry before it has a place in the trace. */
export type NewEntry = Unplaced<TraceEntry>;

/** Writes the trace of one run. */
export class TraceRecorder {
  readonly entries: TraceEntry[] = [];
  readonly #clock: Pick<Clock, "steady">;
  readonly #start: number;

  constructor(clock: Pick<Clock, "steady">) {
    this.#clock = clock;
    this.#start = clock.steady();
  }

  /** Adds an entry; returns its place. */
  add(entry: NewEntry): number {
    const seq = this.entries.length;
    this.entries.push({ seq, at: Math.floor(this.#clock.steady() - this.#start), ...entry } as TraceEntry);
    return seq;
  }

  life(entry: Omit<Unplaced<LifeEntry>, "type">): void {
    this.add({ type: "life", ...entry });
  }

  step(step: number, name: string, phase: StepEntry["phase"]): void {
    this.add({ type: "step", step, name, phase });
  }

  perturbation(perturbation: number, phase: PerturbationEntry["phase"], detail: string): void {
    this.add({ type: "perturbation", perturbation, phase, detail });
  }
}
