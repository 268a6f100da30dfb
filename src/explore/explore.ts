/**
 * The loop: clean runs, comparisons, plans; faults of a plan are confirmed, shrunk and reported once.
 *
 * @module
 */
import { messageOf } from "../util/error.ts";
import { analyse } from "./causality.ts";
import { compare } from "./compare.ts";
import { Confirming } from "./confirm.ts";
import type { Fault, Finding } from "./contract/finding.ts";
import type { MakeJudge } from "./contract/judge.ts";
import type { Laboratory, RunOrder, RunRecord } from "./contract/laboratory.ts";
import { type Coverage, CoverageCounter } from "./coverage.ts";
import type { Ending, Exploration, ExploreOptions } from "./exploration.ts";
import { Findings } from "./findings.ts";
import { type Candidate, proposals } from "./perturbations/index.ts";
import { Combinations } from "./plans/combinations.ts";
import { planHash, seedOf } from "./plans/hash.ts";
import { rank } from "./plans/rank.ts";
import { alternate, whileNot } from "./plans/turns.ts";
import { LaboratoryError, type Reference, References, Runs } from "./runs.ts";

type Job = () => Promise<void>;

class Exploring {
  readonly #lab: Laboratory;
  readonly #makeJudge: MakeJudge;
  readonly #options: ExploreOptions;
  readonly #stop = new AbortController();
  readonly #runs: Runs;
  readonly #references: References;
  readonly #findings: Findings;
  readonly #confirming: Confirming;
  readonly #tried = new Set<number>();
  readonly #unreachable = new Set<Candidate>();
  #counter: CoverageCounter;
  #candidates: readonly Candidate[] = [];
  #plans = 0;
  #left = 0;
  #planned = 0;
  #ended: Ending = "done";
  #failure: Error | undefined;

  constructor(lab: Laboratory, makeJudge: MakeJudge, options: ExploreOptions) {
    this.#lab = lab;
    this.#makeJudge = makeJudge;
    this.#options = options;
    const signals = [this.#stop.signal, ...(options.signal ? [options.signal] : [])];
    const { clock, budgetMillis = Number.POSITIVE_INFINITY, seed, origin, shrinks = true } = options;
    this.#runs = new Runs(lab, { clock, budgetMillis, signal: AbortSignal.any(signals) });
    this.#references = new References(this.#runs, makeJudge, seed);
    this.#findings = new Findings({
      origin,
      makeJudge,
      references: this.#references,
      onFinding: (finding, isFault) => this.#found(finding, isFault),
    });
    this.#confirming = new Confirming(this.#runs, this.#references, this.#findings, shrinks);
    this.#counter = new CoverageCounter([], [], lab.perturbations, 0);
  }

  async explore(): Promise<Exploration> {
    const reference = await this.#references.of();
    if (reference) await this.#beside(reference).catch((error: unknown) => this.#fail(error));
    const { signal } = this.#options;
    const failure = this.#failure ?? this.#runs.failure;
    if (signal?.aborted) this.#ended = "cancelled";
    else if (failure && this.#ended !== "first") this.#ended = "failed";
    else if (this.#ended === "done" && this.#runs.over) this.#ended = "budget";
    return {
      findings: this.#findings.findings,
      notices: this.#findings.notices,
      coverage: this.#coverage(reference),
      plans: this.#plans,
      runs: this.#runs.count,
      seconds: this.#runs.millis / 1000,
      seed: this.#options.seed,
      ended: this.#ended,
      ...(this.#ended === "failed" && failure && { failure }),
      clean: reference?.runs ?? [],
      evidence: this.#findings.evidence,
    };
  }

  /** The tried perturbations; without clean runs, or with a step that is refused, there was nothing to try. */
  #coverage(reference: Reference | undefined): Coverage {
    this.#counter.unplayed = { count: this.#runs.unplayed, first: this.#runs.firstUnplayed };
    const { coverage } = this.#counter;
    if (!reference)
      return { ...coverage, sentences: ["The clean runs did not end in time, so that nothing was tried."] };
    return reference.stepFailed ? { ...coverage, sentences: [] } : coverage;
  }

  /** Explores what differs from clean runs. */
  async #beside(reference: Reference): Promise<void> {
    await this.#findings.reportClean(reference);
    if (reference.stepFailed) this.#ended = "step-failed";
    else await this.#tryAll(reference);
  }

  /** Ends the exploration with an error; a plan that could not be played does not, as the next one may be. */
  #fail(error: unknown): void {
    if (error instanceof LaboratoryError) return;
    this.#failure ??= error instanceof Error ? error : new Error(messageOf(error));
    this.#stop.abort();
  }

  async #tryAll(reference: Reference): Promise<void> {
    const { comparisons } = this.#lab.scenario;
    const { only, budgetMillis, plans, seed } = this.#options;
    const analysed = reference.runs.map(({ trace }) => analyse(trace));
    const types = new Set(only ? only.filter((type) => this.#lab.perturbations.has(type)) : this.#lab.perturbations);
    const proposed = analysed.flatMap((run) => proposals(run, this.#lab.scenario, types));
    const asPlayed = ({ perturbation, ...rest }: Candidate): Candidate => {
      return { ...rest, perturbation: this.#lab.asPlayed?.(perturbation) ?? perturbation };
    };
    this.#candidates = rank(proposed.map(asPlayed));
    this.#counter = new CoverageCounter(analysed, this.#candidates, this.#lab.perturbations, comparisons.length);
    this.#planned = this.#left = this.#candidates.length + comparisons.length;
    for (const { perturbation } of this.#candidates) this.#tried.add(planHash([perturbation]));

    const compared = comparisons.values().map(
      (comparison) => () =>
        compare(comparison, {
          runs: this.#runs,
          makeJudge: this.#makeJudge,
          findings: this.#findings,
          seed,
          onPlayed: (isRefused) => this.#compared(isRefused),
        }),
    );
    // Comparisons get half of what there is before plans begin.
    const isHalf = (): boolean =>
      this.#plans >= (plans ?? Number.POSITIVE_INFINITY) / 2 ||
      this.#runs.millis >= (budgetMillis ?? Number.POSITIVE_INFINITY) / 2;
    await this.#drain(whileNot(isHalf, compared));
    await this.#drain(this.#candidates.values().map((candidate, i) => () => this.#tryOne(candidate, i)));
    const reachable = this.#candidates.filter((candidate) => !this.#unreachable.has(candidate));
    const combinations = new Combinations(reachable, seedOf(seed, "combinations"), this.#tried);
    await this.#drain(alternate(compared, this.#combine(combinations)));
  }

  /** Runs jobs, as many at once as the laboratory can; until none is left, or a limit is reached. */
  async #drain(jobs: Iterator<Job>): Promise<void> {
    const work = async (): Promise<void> => {
      while (!this.#isOver()) {
        const { done, value: job } = jobs.next();
        if (done) return;
        this.#plans++;
        await job().catch((error: unknown) => this.#fail(error));
        this.#progress();
      }
    };
    await Promise.all(
      Array.from({ length: Math.max(1, this.#lab.parallel) }, () =>
        work().catch((error: unknown) => this.#fail(error)),
      ),
    );
  }

  #isOver(): boolean {
    if (this.#runs.over) return true;
    if (this.#plans < (this.#options.plans ?? Number.POSITIVE_INFINITY)) return false;
    this.#ended = "plans";
    return true;
  }

  #progress(finding?: Finding): void {
    this.#options.onProgress?.({
      plans: this.#plans,
      planned: this.#planned,
      left: this.#left,
      combinations: this.#counter.combinations,
      faults: this.#findings.findings.length,
      notices: this.#findings.notices.length,
      ...(finding && { finding }),
    });
  }

  #found(finding: Finding, isFault: boolean): void {
    this.#progress(finding);
    if (!isFault || !this.#options.stopAtFirst) return;
    this.#ended = "first";
    this.#stop.abort();
  }

  #compared(isRefused: boolean): void {
    this.#left--;
    if (isRefused) this.#counter.refused++;
    else this.#counter.compared++;
  }

  async #tryOne(candidate: Candidate, index: number): Promise<void> {
    const record = await this.#try({ seed: seedOf(this.#options.seed, index), plan: [candidate.perturbation] });
    if (!record) return;
    this.#left--;
    const met = record.met[0] ?? false;
    if (!met) this.#unreachable.add(candidate);
    this.#counter.tried(candidate, met);
  }

  *#combine(combinations: Combinations): Generator<Job> {
    for (let index = 0; ; index++) {
      const drawn = combinations.next();
      if (!drawn) return;
      yield async () => {
        const seed = seedOf(this.#options.seed, `combination ${index}`);
        if (await this.#try({ seed, plan: drawn.plan })) this.#counter.combinations++;
      };
    }
  }

  /** Plays a plan, and reports its new faults. */
  async #try(order: RunOrder): Promise<RunRecord | undefined> {
    const record = await this.#runs.play(order);
    const reference = record && (await this.#references.of());
    if (!reference) return undefined;
    const isNew = (): readonly Fault[] => reference.judge.faults(record).filter((f) => this.#findings.isNew(f));
    if (isNew().length > 0 && (await this.#control(order, reference)))
      for (const fault of isNew())
        if (this.#findings.claim(fault)) await this.#confirming.confirm({ order, fault }, record);
    return record;
  }

  /**
   * Plays an order without its plan, with the same seed. Differences from the other clean runs come by chance: they are not judged from
   * then on. Returns whether it was played.
   */
  async #control(order: RunOrder, reference: Reference): Promise<boolean> {
    const control = await this.#runs.play({ ...order, plan: [] });
    if (!control) return false;
    if (reference.judge.faults(control).length > 0) {
      reference.widen(control);
      await this.#findings.reportClean(reference);
    }
    return true;
  }
}

/**
 * Plays a scenario again and again with perturbations that Kubernetes permits, and returns the faults that show.
 *
 * First come three clean runs, then comparisons of operations, plans of one perturbation with the most telling first, and combinations
 * of several until a limit is reached.
 *
 * @throws LaboratoryError where the clean runs could not be played; later it returns its findings, with the error
 */
export const explore = (lab: Laboratory, makeJudge: MakeJudge, options: ExploreOptions): Promise<Exploration> =>
  new Exploring(lab, makeJudge, options).explore();
