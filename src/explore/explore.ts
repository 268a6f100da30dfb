/**
 * The loop: clean runs, comparisons, plans; what a plan shows is confirmed, shrunk and reported once.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";
import { analyse } from "./causality.ts";
import type { Fault, Finding } from "./contract/finding.ts";
import type { MakeJudge } from "./contract/judge.ts";
import type { Comparison, Laboratory, RunOrder, RunRecord } from "./contract/laboratory.ts";
import type { PerturbationType } from "./contract/plan.ts";
import { type Coverage, CoverageCounter } from "./coverage.ts";
import { type Candidate, proposals } from "./perturbations/index.ts";
import { Combinations } from "./plans/combinations.ts";
import { planHash, seedOf } from "./plans/hash.ts";
import { rank } from "./plans/rank.ts";
import { type FaultId, faultOf, Reference, References, Runs } from "./runs.ts";
import { type Attempt, shrink } from "./shrink.ts";

/** How far an exploration is. */
export interface Progress {
  /** Plans and comparisons that were tried. */
  readonly plans: number;
  /** Plans of one perturbation, and comparisons, that are worth trying. */
  readonly planned: number;
  /** How many of those are left. */
  readonly left: number;
  /** Combinations of several perturbations that were tried; they have no end. */
  readonly combinations: number;
  readonly faults: number;
  readonly notices: number;
  /** What has been confirmed just now. */
  readonly finding?: Finding;
}

/** What a finding says of where it comes from. */
export type Origin = Pick<Finding, "scenario" | "command" | "programs" | "csi" | "versions">;

export interface ExploreOptions {
  /** Measures the budget; the clock of the machine, not that of a cluster. */
  readonly clock: Pick<Clock, "steady">;
  readonly origin: Origin;
  readonly seed: number;
  /** How long runs may begin, in ms; without an end by default. */
  readonly budgetMillis?: number;
  /** How many plans and comparisons are tried; as many as there are by default. */
  readonly plans?: number;
  readonly stopAtFirst?: boolean;
  /** Whether what is found is made smaller; true by default. Without it a fault is reported after a few runs. */
  readonly shrinks?: boolean;
  /** The types of perturbations; all that the laboratory can play by default. */
  readonly only?: readonly PerturbationType[];
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** Why an exploration ended: nothing was left to try, a limit was reached, or a step of the user is refused without any perturbation. */
export type Ending = "done" | "budget" | "plans" | "cancelled" | "first" | "step-failed" | "replayed";

/** What an exploration found. */
export interface Exploration {
  readonly findings: readonly Finding[];
  /** What is wasteful or unusual, and what did not show again when it was played again. */
  readonly notices: readonly Finding[];
  readonly coverage: Coverage;
  readonly plans: number;
  /** Runs of all kinds: clean ones, plans, and those that confirm and shrink. */
  readonly runs: number;
  readonly seconds: number;
  readonly seed: number;
  readonly ended: Ending;
  /** The clean runs of the usual steps. */
  readonly clean: readonly RunRecord[];
  /** The runs of each finding and notice. */
  readonly evidence: ReadonlyMap<Finding, FindingRuns>;
}

/** The runs that show a finding. */
export interface FindingRuns {
  /** A clean run of the same steps. */
  readonly clean: RunRecord;
  /** Other clean runs of these steps: what differs between them is drawn by chance. */
  readonly otherClean: readonly RunRecord[];
  /** The run that shows it. */
  readonly run: RunRecord;
}

/** How often a fault is played again when it is reported: more often where runs differ. */
const REPLAYS = 3;
const REPLAYS_OF_CHANCE = 10;
/** How often a fault that does not show again may be tried anew by another plan. */
const MAX_UNCONFIRMED = 3;

const idOf = ({ key, severity }: FaultId): string => `${severity} ${key}`;

type Job = () => Promise<void>;

class Exploring {
  readonly #lab: Laboratory;
  readonly #makeJudge: MakeJudge;
  readonly #options: ExploreOptions;
  readonly #stop = new AbortController();
  readonly #runs: Runs;
  readonly #references: References;
  readonly #findings: Finding[] = [];
  readonly #notices: Finding[] = [];
  readonly #evidence: Map<Finding, FindingRuns> = new Map();
  /** Faults that are reported, or being confirmed. */
  readonly #known = new Set<string>();
  readonly #unconfirmed = new Map<string, number>();
  readonly #tried = new Set<number>();
  readonly #unreachable = new Set<Candidate>();
  #counter: CoverageCounter;
  #candidates: readonly Candidate[] = [];
  #plans = 0;
  #left = 0;
  #planned = 0;
  #ended: Ending = "done";

  constructor(lab: Laboratory, makeJudge: MakeJudge, options: ExploreOptions) {
    this.#lab = lab;
    this.#makeJudge = makeJudge;
    this.#options = options;
    const signals = [this.#stop.signal, ...(options.signal ? [options.signal] : [])];
    const { clock, budgetMillis = Number.POSITIVE_INFINITY, seed } = options;
    this.#runs = new Runs(lab, { clock, budgetMillis, signal: AbortSignal.any(signals) });
    this.#references = new References(this.#runs, makeJudge, seed);
    this.#counter = new CoverageCounter([], [], lab.perturbations, 0);
  }

  async explore(): Promise<Exploration> {
    const reference = await this.#references.of();
    if (reference) {
      await this.#reportClean(reference);
      if (reference.stepFailed) this.#ended = "step-failed";
      else await this.#tryAll(reference);
    }
    const { signal } = this.#options;
    if (signal?.aborted) this.#ended = "cancelled";
    else if (this.#ended === "done" && this.#runs.over) this.#ended = "budget";
    return {
      findings: this.#findings,
      notices: this.#notices,
      coverage: this.#coverage(reference),
      plans: this.#plans,
      runs: this.#runs.count,
      seconds: this.#runs.millis / 1000,
      seed: this.#options.seed,
      ended: this.#ended,
      clean: reference?.runs ?? [],
      evidence: this.#evidence,
    };
  }

  /** What was tried; without clean runs, or with a step that is refused, there was nothing to try. */
  #coverage(reference: Reference | undefined): Coverage {
    const { coverage } = this.#counter;
    if (!reference)
      return { ...coverage, sentences: ["The clean runs did not end in time, so that nothing was tried."] };
    return reference.stepFailed ? { ...coverage, sentences: [] } : coverage;
  }

  async #tryAll(reference: Reference): Promise<void> {
    const { comparisons } = this.#lab.scenario;
    const { only, budgetMillis, plans, seed } = this.#options;
    const analysed = reference.runs.map(({ trace }) => analyse(trace));
    const types = new Set(only ? only.filter((type) => this.#lab.perturbations.has(type)) : this.#lab.perturbations);
    const proposed = analysed.flatMap((run) => proposals(run, this.#lab.scenario, types));
    this.#candidates = rank(proposed);
    this.#counter = new CoverageCounter(analysed, this.#candidates, this.#lab.perturbations, comparisons.length);
    this.#planned = this.#left = this.#candidates.length + comparisons.length;
    for (const { perturbation } of this.#candidates) this.#tried.add(planHash([perturbation]));

    const compare = comparisons.values().map((comparison) => () => this.#compare(comparison));
    // Comparisons get half of what there is before plans begin.
    const isHalf = (): boolean =>
      this.#plans >= (plans ?? Number.POSITIVE_INFINITY) / 2 ||
      this.#runs.millis >= (budgetMillis ?? Number.POSITIVE_INFINITY) / 2;
    await this.#drain(whileNot(isHalf, compare));
    await this.#drain(this.#candidates.values().map((candidate, i) => () => this.#tryOne(candidate, i)));
    const reachable = this.#candidates.filter((candidate) => !this.#unreachable.has(candidate));
    const combinations = new Combinations(reachable, seedOf(seed, "combinations"), this.#tried);
    await this.#drain(alternate(compare, this.#combine(combinations)));
  }

  /** Runs jobs, as many at once as the laboratory can; until none is left, or a limit is reached. The first error ends all. */
  async #drain(jobs: Iterator<Job>): Promise<void> {
    const work = async (): Promise<void> => {
      while (!this.#isOver()) {
        const { done, value: job } = jobs.next();
        if (done) return;
        this.#plans++;
        await job();
        this.#progress();
      }
    };
    const results = await Promise.allSettled(
      Array.from({ length: Math.max(1, this.#lab.parallel) }, () =>
        work().catch((error: unknown) => {
          this.#stop.abort();
          throw error;
        }),
      ),
    );
    for (const result of results) if (result.status === "rejected") throw result.reason;
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
      faults: this.#findings.length,
      notices: this.#notices.length,
      ...(finding && { finding }),
    });
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

  /** Plays a plan, and reports what is new in it. */
  async #try(order: RunOrder): Promise<RunRecord | undefined> {
    const record = await this.#runs.play(order);
    const reference = record && (await this.#references.of());
    if (!reference) return undefined;
    const isNew = (): readonly Fault[] => reference.judge.faults(record).filter((f) => this.#isNew(f));
    if (isNew().length > 0 && (await this.#control(order, reference)))
      for (const fault of isNew()) if (this.#claim(fault)) await this.#confirm({ order, fault }, record);
    return record;
  }

  /**
   * Plays an order without its plan, with the same seed. What that shows beside the other clean runs comes by chance: it is not judged
   * from then on. Returns whether it was played.
   */
  async #control(order: RunOrder, reference: Reference): Promise<boolean> {
    const control = await this.#runs.play({ ...order, plan: [] });
    if (!control) return false;
    if (reference.judge.faults(control).length > 0) {
      reference.widen(control);
      await this.#reportClean(reference);
    }
    return true;
  }

  /** A notice is nothing new beside a fault with its key; a fault is, beside a notice. */
  #isNew(fault: Fault): boolean {
    if (this.#known.has(idOf(fault)) || this.#known.has(idOf({ ...fault, severity: "fault" }))) return false;
    return (this.#unconfirmed.get(idOf(fault)) ?? 0) < MAX_UNCONFIRMED;
  }

  #claim(fault: Fault): boolean {
    if (!this.#isNew(fault)) return false;
    this.#known.add(idOf(fault));
    return true;
  }

  /** Plays a fault again, shrinks it, and reports it with how often the smallest order showed it. */
  async #confirm(first: { readonly order: RunOrder; readonly fault: Fault }, record: RunRecord): Promise<void> {
    const { fault } = first;
    if (fault.severity === "notice") return this.#report(first, record, { shown: 1, of: 1 });
    const again = await this.#replay(first.order, fault, 1);
    if (again.shown === 0 && again.of > 0) {
      const id = idOf(fault);
      this.#known.delete(id);
      const times = (this.#unconfirmed.get(id) ?? 0) + 1;
      this.#unconfirmed.set(id, times);
      if (times === 1) await this.#report(first, record, again);
      return;
    }
    if (!(await this.#lasts(first))) {
      this.#unconfirmed.set(idOf(fault), (this.#unconfirmed.get(idOf(fault)) ?? 0) + 1);
      this.#known.delete(idOf(fault));
      const notice: Fault = { ...fault, severity: "notice" };
      if (this.#claim(notice)) await this.#report({ ...first, fault: notice }, record, { shown: 1, of: 1 });
      return;
    }
    if (this.#options.shrinks === false) return this.#report(first, record, again);
    const shown = await shrink(first, this.#lab.scenario.usual, this.#attempt(fault));
    const last = await this.#replay(shown.order, fault);
    // Without a run left: what was seen so far.
    const seen = shown.order === first.order ? again : { shown: 1, of: 1 };
    await this.#report({ order: shown.order, fault: shown.fault }, last.record ?? record, last.of > 0 ? last : seen);
  }

  /**
   * Whether a fault that vanished when the user went on remains if the user waits instead: what time alone puts right is a matter of time.
   */
  async #lasts({ order, fault }: { readonly order: RunOrder; readonly fault: Fault }): Promise<boolean> {
    const { until, object } = fault;
    if (until === undefined) return true;
    const all = order.steps ?? this.#lab.scenario.usual;
    const steps = all.slice(0, all.indexOf(until) + 1);
    const reference = await this.#references.of(steps);
    const record = reference && (await this.#runs.play({ ...order, steps }));
    if (!record) return true;
    const isIt = (other: Fault): boolean =>
      other.key === fault.key || (object !== undefined && JSON.stringify(other.object) === JSON.stringify(object));
    return reference.judge.faults(record).some((other) => other.severity === "fault" && isIt(other));
  }

  /** Returns the fault that an order is played for, if it shows it; `over` where it could not be played. */
  async #judged(order: RunOrder, id: FaultId): Promise<{ fault?: Fault; record?: RunRecord } | "over"> {
    const reference = await this.#references.of(order.steps);
    if (!reference) return "over";
    if (reference.stepFailed || faultOf(reference.judge.cleanFaults(), id)) return {};
    const record = await this.#runs.play(order);
    if (!record) return "over";
    const fault = faultOf(reference.judge.faults(record), id);
    return { record, ...(fault && { fault }) };
  }

  /** Plays an order again, until it has shown a fault often enough; the record is of a run that showed it. */
  async #replay(
    order: RunOrder,
    id: FaultId,
    enough = this.#lab.deterministic ? REPLAYS : REPLAYS_OF_CHANCE,
  ): Promise<{ readonly shown: number; readonly of: number; readonly record?: RunRecord }> {
    let [shown, of] = [0, 0];
    let record: RunRecord | undefined;
    const most = Math.max(REPLAYS, enough);
    while (of < most && shown < enough) {
      const together = Math.min(Math.max(1, this.#lab.parallel), enough - shown, most - of);
      const batch = await Promise.all(Array.from({ length: together }, () => this.#judged(order, id)));
      for (const judged of batch) {
        if (judged === "over") return { shown, of, ...(record && { record }) };
        of++;
        if (!judged.fault) continue;
        shown++;
        record = judged.record;
      }
    }
    return { shown, of, ...(record && { record }) };
  }

  /** An attempt of shrinking: once where runs are deterministic, else two of three. */
  #attempt(id: FaultId): Attempt {
    return async (order) => {
      const needed = this.#lab.deterministic ? 1 : 2;
      let shown = 0;
      for (let i = 0; i < 2 * needed - 1 && shown + (2 * needed - 1 - i) >= needed; i++) {
        const judged = await this.#judged(order, id);
        if (judged === "over") return "over";
        if (judged.fault && ++shown === needed) return judged.fault;
      }
      return undefined;
    };
  }

  /** Reports what clean runs show by themselves. */
  async #reportClean(reference: Reference, steps?: readonly number[]): Promise<void> {
    for (const fault of reference.judge.cleanFaults()) {
      if (!this.#claim(fault)) continue;
      const shows = reference.runs.filter((run) => faultOf(this.#makeJudge([run]).cleanFaults(), fault));
      const run = shows[0] ?? reference.runs[0]!;
      const replayed = { shown: Math.max(1, shows.length), of: reference.runs.length };
      await this.#report({ order: { seed: run.order.seed, plan: [], ...(steps && { steps }) }, fault }, run, replayed);
    }
  }

  async #report(
    { order, fault }: { readonly order: RunOrder; readonly fault: Fault },
    run: RunRecord,
    { shown, of }: { readonly shown: number; readonly of: number },
    clean?: RunRecord,
  ): Promise<void> {
    const finding: Finding = {
      format: 1,
      ...this.#options.origin,
      seed: order.seed,
      ...(order.steps && { steps: order.steps }),
      plan: order.plan,
      fault,
      replayed: { shown, of },
    };
    const [first = run, ...others] = clean ? [clean] : ((await this.#references.of(order.steps))?.runs ?? []);
    this.#evidence.set(finding, { clean: first, otherClean: others, run });
    const isFault = fault.severity === "fault" && (shown > 0 || of === 0);
    (isFault ? this.#findings : this.#notices).push(finding);
    this.#progress(finding);
    if (!isFault || !this.#options.stopAtFirst) return;
    this.#ended = "first";
    this.#stop.abort();
  }

  /** Plays the two orders of a comparison, and reports what clean runs of them show, and what differs in the end. */
  async #compare(comparison: Comparison): Promise<void> {
    const seed = seedOf(this.#options.seed, comparison.name);
    const both = async (of: number): Promise<readonly [RunRecord, RunRecord] | undefined> => {
      const fresh = await this.#runs.play({ seed: seedOf(seed, of), plan: [], steps: comparison.fresh });
      const changed = fresh && (await this.#runs.play({ seed: seedOf(seed, of), plan: [], steps: comparison.changed }));
      return changed && [fresh, changed];
    };
    const played = await both(0);
    if (!played) return;
    const [fresh, changed] = played;
    this.#left--;
    const references = [fresh, changed].map((run) => new Reference(this.#makeJudge, [run]));
    if (references.some(({ stepFailed }) => stepFailed)) {
      this.#counter.refused++;
      return;
    }
    this.#counter.compared++;
    await this.#reportClean(references[0]!, comparison.fresh);
    await this.#reportClean(references[1]!, comparison.changed);
    const differs = (a: RunRecord, b: RunRecord): readonly Fault[] =>
      references[0]!.judge.compare(a, b, comparison).filter((fault) => this.#isNew(fault));
    if (differs(fresh, changed).length === 0) return;
    const others = [await both(1), await both(2)].flatMap((runs) => (runs ? [runs] : []));
    for (const fault of differs(fresh, changed)) {
      // What differs between two runs of the same steps differs by chance.
      const isChance = others.some(
        ([f, c]) => faultOf(differs(fresh, f), fault) ?? faultOf(differs(changed, c), fault),
      );
      if (isChance || !this.#claim(fault)) continue;
      const shown = others.filter((runs) => faultOf(references[0]!.judge.compare(...runs, comparison), fault)).length;
      const order = { seed: changed.order.seed, plan: [], steps: comparison.changed };
      await this.#report({ order, fault }, changed, { shown: shown + 1, of: others.length + 1 }, fresh);
    }
  }
}

/** Returns items until a condition is true; the rest stays in the iterator. */
function* whileNot<T>(isOver: () => boolean, items: Iterator<T>): Generator<T> {
  while (!isOver()) {
    const { done, value } = items.next();
    if (done) return;
    yield value;
  }
}

/** Returns one item of each in turn, until both have ended. */
function* alternate<T>(...sources: readonly Iterator<T>[]): Generator<T> {
  for (let open = sources; open.length > 0;) {
    const ended = new Set<Iterator<T>>();
    for (const source of open) {
      const { done, value } = source.next();
      if (done) ended.add(source);
      else yield value;
    }
    open = open.filter((source) => !ended.has(source));
  }
}

/**
 * Plays a scenario again and again with perturbations that Kubernetes permits, and returns the faults that show.
 *
 * First come three clean runs, then comparisons of operations, plans of one perturbation with the most telling first, and combinations
 * of several until a limit is reached.
 *
 * @throws LaboratoryError where a run could not be played
 */
export const explore = (lab: Laboratory, makeJudge: MakeJudge, options: ExploreOptions): Promise<Exploration> =>
  new Exploring(lab, makeJudge, options).explore();
