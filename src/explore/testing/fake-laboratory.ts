/**
 * A laboratory without a server: a controller that makes children of an object, step by step, with faults that a test sets.
 *
 * Each step changes the object of the user; the controller sees it and writes the children of the step, one after the other. A fault
 * shows where a plan has all perturbations that it needs, at places that came up, and the steps that it needs are played.
 *
 * @module
 */
import type { Fault } from "../contract/finding.ts";
import type { Judge } from "../contract/judge.ts";
import type { Comparison, Complaint, Laboratory, RunOrder, RunRecord } from "../contract/laboratory.ts";
import type { Perturbation, PerturbationType, Plan } from "../contract/plan.ts";
import type { Trace } from "../contract/trace.ts";
import { NormalNames } from "../names.ts";
import { deliveryKey, PointCounter, requestKey } from "../points.ts";
import { perturbationTypes } from "../perturbations/index.ts";
import { TraceBuilder } from "./trace-builder.ts";

/** A child that the controller writes. */
export interface FakeWrite {
  readonly name: string;
  readonly generated?: boolean;
  readonly verb?: "create" | "delete";
}

/** A fault, and the conditions under which it shows. */
export interface FakeFault {
  readonly key: string;
  /** One perturbation of the plan has to fit each of these. */
  readonly needs: readonly ((perturbation: Perturbation) => boolean)[];
  /** The steps that it needs, by index. */
  readonly steps?: readonly number[];
  /** Whether it shows in a run, by the number of the run; always by default. */
  readonly isShown?: (run: number) => boolean;
  readonly notice?: boolean;
}

export interface FakeSettings {
  /** The writes of the controller in each step. */
  readonly steps: readonly (readonly FakeWrite[])[];
  readonly faults?: readonly FakeFault[];
  /** Keys that show by a seed, with or without a plan. */
  readonly chance?: (seed: number) => readonly string[];
  readonly comparisons?: readonly Comparison[];
  /** The names of comparisons that end differently. */
  readonly remembers?: readonly string[];
  /** Steps that the server refuses, by index, unless those that they need are played before. */
  readonly needs?: Readonly<Record<number, readonly number[]>>;
  readonly refused?: readonly number[];
  readonly perturbations?: readonly PerturbationType[];
  readonly asPlayed?: (perturbation: Perturbation) => Perturbation;
  readonly parallel?: number;
  readonly deterministic?: boolean;
  /** Called at each run, with its number. */
  readonly onRun?: (order: RunOrder, run: number) => unknown;
}

/** Writes the trace of a run of some steps. */
const traceOf = (settings: FakeSettings, steps: readonly number[], seed: number): Trace => {
  const builder = new TraceBuilder();
  builder.add({ type: "life", actor: "op", life: 0, event: "started" });
  for (const step of steps) {
    builder.step(step).news("apply", { kind: "Widget", name: "w", spec: { step } });
    for (const { name, generated, verb = "create" } of settings.steps[step] ?? [])
      builder.write(
        verb,
        generated
          ? { kind: "Pod", name: `${name}-${seed % 89_999}`, generateName: `${name}-` }
          : { kind: "ConfigMap", name },
      );
    builder.quiet(step);
  }
  return builder.trace;
};

/** The points of a trace as texts, with their occurrences. */
const pointsOf = (trace: Trace): ReadonlySet<string> => {
  const counter = new PointCounter(NormalNames.of(trace));
  return new Set(
    trace.flatMap((entry) => {
      if (entry.type === "request") {
        const point = counter.request(entry);
        return [`${requestKey(point)}#${point.occurrence}`];
      }
      if (entry.type !== "delivery") return [];
      const point = counter.delivery(entry);
      return [`${deliveryKey(point)}#${point.occurrence}`];
    }),
  );
};

const metOf = (plan: Plan, points: ReadonlySet<string>): readonly boolean[] =>
  plan.map((perturbation) => {
    if (!("at" in perturbation)) return true;
    const { at } = perturbation;
    return points.has(`${"verb" in at ? requestKey(at) : deliveryKey(at)}#${at.occurrence}`);
  });

/** A laboratory over a model; it counts its runs. */
export class FakeLaboratory implements Laboratory {
  readonly scenario: Laboratory["scenario"];
  readonly perturbations: ReadonlySet<PerturbationType>;
  readonly parallel: number;
  readonly deterministic: boolean;
  readonly #settings: FakeSettings;
  runs = 0;

  constructor(settings: FakeSettings) {
    this.#settings = settings;
    const { steps, comparisons = [], perturbations = perturbationTypes } = settings;
    const usual = steps.keys().toArray();
    this.scenario = { name: "fake", steps: usual.map((i) => `step ${i}`), usual, comparisons, nodes: [] };
    this.perturbations = new Set(perturbations);
    this.parallel = settings.parallel ?? 1;
    this.deterministic = settings.deterministic ?? true;
  }

  asPlayed(perturbation: Perturbation): Perturbation {
    return this.#settings.asPlayed?.(perturbation) ?? perturbation;
  }

  async run(order: RunOrder, signal?: AbortSignal): Promise<RunRecord> {
    const run = this.runs++;
    await this.#settings.onRun?.(order, run);
    signal?.throwIfAborted();
    const steps = order.steps ?? this.scenario.usual;
    const trace = traceOf(this.#settings, steps, order.seed);
    const met = metOf(order.plan, pointsOf(trace));
    return { order, trace, states: [], complaints: this.#complaints(order, steps, met, run), met, restlessWrites: 0 };
  }

  #complaints(order: RunOrder, steps: readonly number[], met: readonly boolean[], run: number): readonly Complaint[] {
    const { faults = [], chance, refused = [], needs = {} } = this.#settings;
    const shown = order.plan.filter((_, i) => met[i]);
    const shows = (fault: FakeFault): boolean =>
      fault.needs.every((need) => shown.some(need)) &&
      (fault.steps ?? []).every((step) => steps.includes(step)) &&
      (fault.isShown?.(run) ?? true);
    const keys = [
      ...faults.filter(shows).map(({ key, notice }) => (notice ? `${NOTICE}${key}` : key)),
      ...(chance?.(order.seed) ?? []),
    ];
    const failed = steps.filter(
      (step, i) => refused.includes(step) || needs[step]?.some((need) => !steps.slice(0, i).includes(need)),
    );
    return [
      ...failed.map((step) => ({ type: "step-failed", step, detail: "refused" }) as const),
      ...keys.map((rule) => ({ type: "eventually", rule, step: steps.at(-1)!, detail: rule }) as const),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const NOTICE = "notice ";

const faultsOf = ({ complaints }: RunRecord): readonly Fault[] =>
  complaints.map((complaint): Fault => {
    const isRule = complaint.type === "eventually";
    const text = isRule ? complaint.rule : complaint.type;
    const isNotice = text.startsWith(NOTICE);
    const key = isNotice ? text.slice(NOTICE.length) : text;
    return {
      kind: isRule ? "eventually" : "step-failed",
      key,
      sentence: complaint.detail,
      step: "step" in complaint ? complaint.step : 0,
      severity: isNotice ? "notice" : "fault",
    };
  });

/** Judges by the complaints of a run; what clean runs complain of is theirs. */
export const fakeJudge =
  (settings: Pick<FakeSettings, "remembers"> = {}) =>
  (clean: readonly RunRecord[]): Judge => {
    const known = new Map(clean.flatMap(faultsOf).map((fault) => [fault.key, fault]));
    return {
      faults: (run) => faultsOf(run).filter(({ key }) => !known.has(key)),
      // A difference by chance is masked, and no fault of the clean runs.
      cleanFaults: () => [...known.values()].filter(({ key }) => !key.startsWith("chance")),
      compare: (a, b, { name, fresh, changed }) =>
        settings.remembers?.includes(name) && a.order.steps === fresh && b.order.steps === changed
          ? [{ kind: "remembers", key: `remembers ${name}`, sentence: name, step: 0, severity: "fault" }]
          : [],
    };
  };
