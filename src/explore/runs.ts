/**
 * Runs within a budget, and the judges of clean runs.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";
import { messageOf } from "../util/error.ts";
import type { Fault } from "./contract/finding.ts";
import type { Judge, MakeJudge } from "./contract/judge.ts";
import type { Laboratory, RunOrder, RunRecord } from "./contract/laboratory.ts";
import { seedOf } from "./plans/hash.ts";

/** An error of the laboratory itself, with the order that it played. */
export class LaboratoryError extends Error {
  readonly order: RunOrder;

  constructor(order: RunOrder, cause: unknown) {
    super(`a run could not be played: ${messageOf(cause)}; order: ${JSON.stringify(order)}`, {
      cause,
    });
    this.name = "LaboratoryError";
    this.order = order;
  }
}

export interface RunLimits {
  readonly clock: Pick<Clock, "steady">;
  readonly budgetMillis: number;
  readonly signal: AbortSignal;
}

/** How many orders in a row may fail to be played before the laboratory is closed. */
const MAX_UNPLAYED_IN_A_ROW = 3;

/** Plays orders as long as the budget lasts. */
export class Runs {
  readonly lab: Laboratory;
  readonly #limits: RunLimits;
  readonly #begin: number;
  #unplayedInARow = 0;
  count = 0;
  /** How many orders could not be played, and the reason of the first one. */
  unplayed = 0;
  firstUnplayed: LaboratoryError | undefined;
  /** Why the laboratory was closed. */
  failure: LaboratoryError | undefined;

  constructor(lab: Laboratory, limits: RunLimits) {
    this.lab = lab;
    this.#limits = limits;
    this.#begin = limits.clock.steady();
  }

  get millis(): number {
    return this.#limits.clock.steady() - this.#begin;
  }

  /** Whether no more runs may begin. */
  get over(): boolean {
    return this.failure !== undefined || this.#limits.signal.aborted || this.millis >= this.#limits.budgetMillis;
  }

  /**
   * Plays an order; undefined where no more runs may begin, or where it was cancelled. A plan that could not be played is tried once
   * more: by then a laboratory has replaced what died of it. Where a clean run cannot be played, the laboratory is wrong.
   *
   * @throws LaboratoryError where it could not be played again either
   */
  async play(order: RunOrder): Promise<RunRecord | undefined> {
    if (this.over) return undefined;
    const first = await this.#once(order);
    const isTriedAgain = first instanceof LaboratoryError && order.plan.length > 0 && !this.over;
    const played = isTriedAgain ? await this.#once(order) : first;
    if (!(played instanceof LaboratoryError)) {
      this.#unplayedInARow = 0;
      return played;
    }
    this.unplayed++;
    this.firstUnplayed ??= played;
    if (++this.#unplayedInARow >= MAX_UNPLAYED_IN_A_ROW) this.failure ??= played;
    throw played;
  }

  async #once(order: RunOrder): Promise<RunRecord | undefined | LaboratoryError> {
    this.count++;
    try {
      return await this.lab.run(order, this.#limits.signal);
    } catch (error) {
      return this.#limits.signal.aborted ? undefined : new LaboratoryError(order, error);
    }
  }
}

/** Returns undefined for an order that could not be played, so that earlier results are kept. */
export const ifPlayed = <T>(played: Promise<T>): Promise<T | undefined> =>
  played.catch((error: unknown) => {
    if (error instanceof LaboratoryError) return undefined;
    throw error;
  });

/** The initial and the maximum number of clean runs of a judge. */
const CLEAN_RUNS = 3;
const MAX_CLEAN_RUNS = 12;
/** The number of judges that are kept for parts of the steps. */
const MAX_PARTS = 8;

/** Clean runs of the same steps with their judge. */
export class Reference {
  readonly #make: MakeJudge;
  #runs: readonly RunRecord[];
  #judge: Judge;

  constructor(make: MakeJudge, runs: readonly RunRecord[]) {
    this.#make = make;
    this.#runs = runs;
    this.#judge = make(runs);
  }

  get runs(): readonly RunRecord[] {
    return this.#runs;
  }

  get judge(): Judge {
    return this.#judge;
  }

  /** Whether a step was refused without a perturbation: such steps cannot be compared. */
  get stepFailed(): boolean {
    return this.#runs.some(({ complaints }) => complaints.some(({ type }) => type === "step-failed"));
  }

  /** Adds a clean run that differs from those before, so that what differs by chance is not judged. */
  widen(run: RunRecord): void {
    if (this.#runs.length >= MAX_CLEAN_RUNS) return;
    this.#runs = [...this.#runs, run];
    this.#judge = this.#make(this.#runs);
  }
}

/** The references of the steps that were played. */
export class References {
  readonly #runs: Runs;
  readonly #make: MakeJudge;
  readonly #seed: number;
  readonly #known = new Map<string, Promise<Reference | undefined>>();

  constructor(runs: Runs, make: MakeJudge, seed: number) {
    this.#runs = runs;
    this.#make = make;
    this.#seed = seed;
  }

  /** Returns the reference of steps, of the usual ones by default; undefined where no more runs may begin. @throws LaboratoryError */
  of(steps?: readonly number[]): Promise<Reference | undefined> {
    const key = steps?.join() ?? "usual";
    const known = this.#known.get(key);
    if (known) return known;
    const made = this.#played(steps);
    this.#known.set(key, made);
    const [oldest] = [...this.#known.keys()].filter((k) => k !== "usual" && k !== key);
    if (oldest !== undefined && this.#known.size > MAX_PARTS) this.#known.delete(oldest);
    return made;
  }

  async #played(steps: readonly number[] | undefined): Promise<Reference | undefined> {
    const orders = Array.from({ length: CLEAN_RUNS }, (_, i): RunOrder => {
      return { seed: seedOf(this.#seed, `clean ${i}`), plan: [], ...(steps && { steps }) };
    });
    const records: RunRecord[] = [];
    const { parallel } = this.#runs.lab;
    for (let i = 0; i < orders.length; i += parallel)
      for (const record of await Promise.all(orders.slice(i, i + parallel).map((order) => this.#runs.play(order)))) {
        if (!record) return undefined;
        records.push(record);
        // A step that was refused is refused again.
        if (record.complaints.some(({ type }) => type === "step-failed")) return new Reference(this.#make, [record]);
      }
    return new Reference(this.#make, records);
  }
}

/** The key that identifies a fault: a notice with the key of a fault has another one. */
export type FaultId = Pick<Fault, "key" | "severity">;

/** Returns the fault with the same key and severity. */
export const faultOf = (faults: readonly Fault[], { key, severity }: FaultId): Fault | undefined =>
  faults.find((fault) => fault.key === key && fault.severity === severity);
