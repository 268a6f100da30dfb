/**
 * Shrinking: the fewest perturbations and steps, and the simplest values, that still show a fault.
 *
 * @module
 */
import type { Fault } from "./contract/finding.ts";
import type { RunOrder } from "./contract/laboratory.ts";
import type { Perturbation, Plan } from "./contract/plan.ts";

/** Plays an order: the fault with the same key, `undefined` where it does not show, `over` where no more runs may be played. */
export type Attempt = (order: RunOrder) => Promise<Fault | undefined | "over">;

/** An order that shows a fault. */
export interface Shown {
  readonly order: RunOrder;
  readonly fault: Fault;
}

export interface ShrinkOptions {
  /** The maximum number of orders; 100 by default. */
  readonly attempts?: number;
}

/** Times in ms that a perturbation may take, the simplest first. */
const TIMES = [1000, 10_000, 60_000, 600_000] as const;

const below = (values: readonly number[], value: number): readonly number[] => values.filter((v) => v < value);

/** Returns a perturbation with one simpler value each, the simplest first. */
const simpler = (perturbation: Perturbation): readonly Perturbation[] => {
  const occurrences =
    "at" in perturbation && perturbation.at.occurrence > 0
      ? [...new Set([0, perturbation.at.occurrence - 1])].map(
          (occurrence) => ({ ...perturbation, at: { ...perturbation.at, occurrence } }) as Perturbation,
        )
      : [];
  switch (perturbation.type) {
    case "crash": {
      const { downMillis } = perturbation;
      return [...below(TIMES, downMillis).map((ms) => ({ ...perturbation, downMillis: ms })), ...occurrences];
    }
    case "refused": {
      const { times } = perturbation;
      return [
        ...below([1, 2, Math.ceil(times / 2)], times).map((fewer) => ({ ...perturbation, times: fewer })),
        ...occurrences,
      ];
    }
    case "slow":
      return [
        ...below(TIMES, perturbation.byMillis).map((byMillis) => ({ ...perturbation, byMillis })),
        ...occurrences,
      ];
    case "slow-webhooks":
    case "clock-jump":
      return below(TIMES, perturbation.byMillis).map((byMillis) => ({ ...perturbation, byMillis }));
    case "node-lost":
      return below(TIMES, perturbation.forMillis).map((forMillis) => ({ ...perturbation, forMillis }));
    case "gap": {
      const { untilStep, ...atOnce } = perturbation;
      return [...(untilStep === undefined ? [] : [atOnce]), ...occurrences];
    }
    default:
      return occurrences;
  }
};

class Shrinking {
  readonly #attempt: Attempt;
  #left: number;
  #isOver = false;
  readonly #failed = new Set<string>();
  best: Shown;

  constructor(start: Shown, attempt: Attempt, attempts: number) {
    this.best = start;
    this.#attempt = attempt;
    this.#left = attempts;
  }

  /** Plays an order and keeps it where it shows the fault. */
  async keep(changes: Partial<RunOrder>): Promise<boolean> {
    const order = { ...this.best.order, ...changes };
    const key = JSON.stringify(order);
    if (this.#isOver || this.#left === 0 || this.#failed.has(key)) return false;
    this.#left--;
    const fault = await this.#attempt(order);
    if (fault === "over") this.#isOver = true;
    else if (fault) this.best = { order, fault };
    else this.#failed.add(key);
    return fault !== undefined && fault !== "over";
  }

  /** Delta debugging (Zeller, Hildebrandt 2002): leaves out ever smaller parts of a list, and never all of it. */
  async minimise<T>(list: () => readonly T[], changeTo: (items: readonly T[]) => Partial<RunOrder>): Promise<void> {
    for (let size = Math.ceil(list().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let end = list().length; end > 0; end = Math.min(end - size, list().length)) {
        const items = list();
        const rest = [...items.slice(0, Math.max(0, end - size)), ...items.slice(end)];
        if (rest.length > 0) await this.keep(changeTo(rest));
      }
    }
  }

  /** Takes simpler values for one perturbation after the other. */
  async simplify(): Promise<void> {
    for (let index = 0; index < this.best.order.plan.length; index++) {
      let candidates = simpler(this.best.order.plan[index]!);
      while (candidates.length > 0) {
        const [candidate, ...others] = candidates;
        const plan: Plan = this.best.order.plan.with(index, candidate!);
        candidates = (await this.keep({ plan })) ? simpler(candidate!) : others;
      }
    }
  }
}

/**
 * Returns the smallest order that was found to show the same fault. The order has been played and has shown it; after the last attempt it
 * is the smallest one so far.
 *
 * @param start an order that has shown the fault, with a plan that is not empty
 * @param usual the steps of an order without `steps`
 */
export const shrink = async (
  start: Shown,
  usual: readonly number[],
  attempt: Attempt,
  { attempts = 100 }: ShrinkOptions = {},
): Promise<Shown> => {
  const shrinking = new Shrinking(start, attempt, attempts);
  const plan = (): Plan => shrinking.best.order.plan;
  const steps = (): readonly number[] => shrinking.best.order.steps ?? usual;
  for (let before: RunOrder | undefined; before !== shrinking.best.order;) {
    before = shrinking.best.order;
    await shrinking.minimise(plan, (items) => ({ plan: items }));
    const shownAt = steps().indexOf(shrinking.best.fault.step);
    if (shownAt >= 0 && shownAt < steps().length - 1) await shrinking.keep({ steps: steps().slice(0, shownAt + 1) });
    await shrinking.minimise(steps, (items) => ({ steps: items }));
    await shrinking.simplify();
  }
  return shrinking.best;
};
