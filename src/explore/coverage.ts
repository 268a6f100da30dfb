/**
 * Coverage: the perturbations that were tried, and those that were worth trying, to show what a run without faults is worth.
 *
 * @module
 */
import { counted } from "../util/counted.ts";
import { messageOf } from "../util/error.ts";
import type { CleanRun } from "./causality.ts";
import { causePair } from "./causality.ts";
import type { PerturbationType } from "./contract/plan.ts";
import { type Candidate, describePlan, perturbationTypes, requestNoun } from "./perturbations/index.ts";
import type { LaboratoryError } from "./runs.ts";

/** The state of the perturbations of a type at a write: not tried yet; tried, but the point was never reached; tried. */
export type Tried = "left" | "not reachable" | "tried";

/** The perturbations that were tried at one kind of write of a program. */
export interface WriteCoverage {
  readonly actor: string;
  /** `create of ConfigMap default/a-config`. */
  readonly write: string;
  readonly perturbations: Readonly<Partial<Record<PerturbationType, Tried>>>;
}

/** The tried perturbations of one type. */
export interface TypeCoverage {
  readonly type: PerturbationType;
  /** Plans of one perturbation that were worth trying, were tried, and came up. */
  readonly planned: number;
  readonly tried: number;
  readonly met: number;
}

/** The tried perturbations of an exploration, and those worth trying: they show what a result without faults is worth. */
export interface Coverage {
  readonly writes: readonly WriteCoverage[];
  readonly types: readonly TypeCoverage[];
  /** Pairs of a write and a delivery or read that came before it. */
  readonly pairs: { readonly tried: number; readonly of: number };
  /** Plans of several perturbations that were tried. */
  readonly combinations: number;
  /** Comparisons of operations; those that the server refused count for nothing. */
  readonly comparisons: { readonly tried: number; readonly refused: number; readonly of: number };
  /** Plans and other runs that could not be played, also when they were tried again: a worker thread died of them. */
  readonly unplayed: number;
  /** Programs that wrote nothing in the clean runs: the absence of faults shows nothing about them. */
  readonly silent: readonly string[];
  /** Types that this laboratory cannot play. */
  readonly cannot: readonly PerturbationType[];
  /** A summary in plain sentences. */
  readonly sentences: readonly string[];
}

/** Perturbations that could not be played, and the first of them. */
export interface Unplayed {
  readonly count: number;
  readonly first?: LaboratoryError | undefined;
}

const ORDER: readonly Tried[] = ["left", "not reachable", "tried"];
const more = (a: Tried | undefined, b: Tried): Tried => (a && ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b);

/** Counts tried perturbations. */
export class CoverageCounter {
  /** The first write of each shape. */
  readonly #writes = new Map<string, { readonly actor: string; readonly write: string }>();
  readonly #cells = new Map<string, Map<PerturbationType, Tried>>();
  readonly #types = new Map<PerturbationType, { planned: number; tried: number; met: number }>();
  readonly #pairs = new Set<string>();
  readonly #triedPairs = new Set<string>();
  readonly #cannot: readonly PerturbationType[];
  readonly #comparisons: number;
  readonly #silent: readonly string[];
  combinations = 0;
  compared = 0;
  refused = 0;
  unplayed: Unplayed = { count: 0 };

  constructor(
    runs: readonly CleanRun[],
    candidates: readonly Candidate[],
    can: ReadonlySet<PerturbationType>,
    comparisons: number,
  ) {
    for (const write of runs.flatMap(({ writes }) => writes)) {
      const { point, shape } = write;
      if (!this.#writes.has(shape)) this.#writes.set(shape, { actor: point.actor, write: requestNoun(point) });
      for (const cause of write.causes) this.#pairs.add(causePair(write, cause));
    }
    for (const candidate of candidates) {
      this.#type(candidate).planned++;
      this.#mark(candidate, "left");
    }
    const started = runs.flatMap(({ trace }) => trace.flatMap((one) => (one.type === "life" ? [one.actor] : [])));
    const writers = new Set(runs.flatMap(({ writes }) => writes.map(({ point }) => point.actor)));
    this.#silent = [...new Set(started)].filter((actor) => !writers.has(actor)).toSorted();
    this.#cannot = perturbationTypes.filter((type) => !can.has(type));
    this.#comparisons = comparisons;
  }

  /** Counts a plan of one perturbation that was played. */
  tried(candidate: Candidate, met: boolean): void {
    const type = this.#type(candidate);
    type.tried++;
    if (met) type.met++;
    this.#mark(candidate, met ? "tried" : "not reachable");
    if (met) for (const pair of candidate.pairs ?? []) this.#triedPairs.add(pair);
  }

  get coverage(): Coverage {
    const types = [...this.#types].map(([type, counts]) => ({ type, ...counts }));
    const writes = [...this.#writes].map(([shape, write]) => ({
      ...write,
      perturbations: Object.fromEntries(this.#cells.get(shape) ?? []),
    }));
    const coverage = {
      writes,
      types,
      pairs: { tried: this.#triedPairs.size, of: this.#pairs.size },
      combinations: this.combinations,
      comparisons: { tried: this.compared, refused: this.refused, of: this.#comparisons },
      unplayed: this.unplayed.count,
      silent: this.#silent,
      cannot: this.#cannot,
    };
    return { ...coverage, sentences: [...sentencesOf(coverage), ...unplayedSentence(this.unplayed)] };
  }

  #type({ perturbation: { type } }: Candidate): { planned: number; tried: number; met: number } {
    const known = this.#types.get(type);
    if (known) return known;
    const counts = { planned: 0, tried: 0, met: 0 };
    this.#types.set(type, counts);
    return counts;
  }

  #mark({ write, perturbation: { type } }: Candidate, tried: Tried): void {
    if (write === undefined) return;
    const cells = this.#cells.get(write) ?? new Map<PerturbationType, Tried>();
    this.#cells.set(write, cells.set(type, more(cells.get(type), tried)));
  }
}

function unplayedSentence({ count, first }: Unplayed): string[] {
  if (!first) return [];
  const plan = describePlan(first.order.plan).join(", and ");
  const why = `${plan === "" ? "nothing was perturbed" : plan}: ${messageOf(first.cause)}`;
  return count === 1
    ? [`1 plan could not be played, nor when it was tried again, and proves nothing. ${why}.`]
    : [`${count} plans could not be played, nor when they were tried again, and prove nothing. The first: ${why}.`];
}

const CHECK =
  "check that it starts and reaches the cluster (kubeconfig, rights, the kinds that it watches), and that the scenario makes it act";

const sentencesOf = ({
  writes,
  types,
  pairs,
  combinations,
  comparisons,
  silent,
}: Omit<Coverage, "sentences">): string[] => {
  const sum = (of: (type: TypeCoverage) => number): number => types.reduce((total, type) => total + of(type), 0);
  const [planned, tried, met] = [sum((t) => t.planned), sum((t) => t.tried), sum((t) => t.met)];
  if (writes.length === 0)
    return [
      `Warning: the programs wrote nothing${silent.length === 0 ? "" : ` (${silent.join(", ")})`} in the clean runs, so that nothing could be perturbed, and silence means nothing. For each of them ${CHECK}.`,
    ];
  const untouched = writes.filter(({ perturbations }) => !Object.values(perturbations).includes("tried")).length;
  return [
    ...silent.map((actor) => `Warning: ${actor} wrote nothing in the clean runs, and is not explored: ${CHECK}.`),
    `${tried} of ${planned} plans of one perturbation were tried, at ${counted(writes.length, "kind")} of writes${
      untouched === 0 ? "" : `; nothing was tried at ${untouched} of them`
    }.`,
    ...(tried > met ? [`${tried - met} of them never came up in their runs, and prove nothing.`] : []),
    ...(pairs.of > 0 ? [`${pairs.tried} of ${pairs.of} pairs of a cause and a write were taken apart.`] : []),
    ...(combinations > 0 ? [`${counted(combinations, "combination")} of several perturbations followed.`] : []),
    ...(comparisons.of > 0
      ? [
          `${comparisons.tried} of ${comparisons.of} comparisons of operations were made${
            comparisons.refused > 0 ? `; the server refused ${comparisons.refused} of them` : ""
          }.`,
        ]
      : []),
  ];
};
