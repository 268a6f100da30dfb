/**
 * `explore()`: finds faults of controllers by playing a scenario again and again with perturbations that Kubernetes permits.
 *
 *     const result = await explore(
 *       { name: "a shop", start: ["definitions/"], steps: [{ apply: "shop.yaml" }, { delete: shop }] },
 *       { controllers: () => shops },
 *     );
 *     result.assertNone();
 *
 * @module
 */
import type { Fault, Finding } from "../../explore/contract/finding.ts";
import type { MakeJudge } from "../../explore/contract/judge.ts";
import type { RunRecord } from "../../explore/contract/laboratory.ts";
import type { PerturbationType } from "../../explore/contract/plan.ts";
import type { Exploration, Progress } from "../../explore/exploration.ts";
import { explore as exploreLaboratory } from "../../explore/explore.ts";
import { decodeFinding } from "../../explore/finding-file.ts";
import { makeJudge } from "../../explore/judge/index.ts";
import { type ExplorationReport, explorationReport, formatReport } from "../../explore/report/index.ts";
import { systemClock } from "../../util/clock.ts";
import { type Duration, millisOf } from "../../util/duration.ts";
import { type ExploredPrograms, programsOf } from "./explored.ts";
import { InProcessLaboratory } from "./laboratory.ts";
import { type Replayed, replayFinding } from "./replay.ts";
import type { Scenario } from "./scenario.ts";
import { versions } from "./version.ts";

/** The options of an exploration; all but the explored programs have defaults. */
export interface ExploreOptions extends ExploredPrograms {
  /** 1 by default; the same seed plays the same plans. */
  readonly seed?: number;
  /** How long new runs may begin, in time of the machine; 20 s by default, unlimited where `plans` is set. */
  readonly budget?: Duration;
  /** The maximum number of plans. */
  readonly plans?: number;
  /** The types of perturbations; all by default. */
  readonly only?: readonly PerturbationType[];
  /** Whether it ends with the first fault. */
  readonly stopAtFirst?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** The result of an exploration. */
export class ExploreResult {
  /** The faults in runs: the fewest steps and perturbations of each. */
  readonly findings: readonly Finding[];
  /** What is wasteful or unusual, and right in the end. */
  readonly notices: readonly Finding[];
  readonly exploration: Exploration;
  /** All of it as plain JSON. */
  readonly report: ExplorationReport;

  constructor(exploration: Exploration, report: ExplorationReport) {
    this.findings = exploration.findings;
    this.notices = exploration.notices;
    this.exploration = exploration;
    this.report = report;
  }

  /** The plans and points that were tried: they show what a result without faults is worth. */
  get coverage(): Exploration["coverage"] {
    return this.exploration.coverage;
  }

  /** The report for a terminal. */
  get text(): string {
    return formatReport(this.report, "text");
  }

  toString(): string {
    return this.text;
  }

  /** @throws Error with the report if something was found, nothing could be explored, or it could not continue */
  assertNone(): void {
    const { ended, failure } = this.exploration;
    if (this.findings.length > 0 || ended === "step-failed" || failure) throw new Error(this.text, { cause: failure });
  }
}

/** The result of a finding that was played again. */
export class ReplayResult {
  readonly finding: Finding;
  /** Whether the fault shows. */
  readonly shown: boolean;
  readonly fault: Fault | undefined;
  readonly run: RunRecord;
  readonly clean: RunRecord;

  constructor(finding: Finding, { shown, fault, run, clean }: Replayed) {
    this.finding = finding;
    this.shown = shown > 0;
    this.fault = fault;
    this.run = run!;
    this.clean = clean[0]!;
  }

  /** @throws Error with the fault where it shows */
  assertNone(): void {
    if (this.fault) throw new Error(this.fault.sentence);
  }
}

const BUDGET = "20s";

/**
 * Explores controllers of this process, under a virtual clock: three clean runs, then runs with a perturbation each, the most telling
 * first, then combinations until the budget is used. Each fault is played again and shrunk.
 *
 * @throws Error where the scenario begins with something that is refused, or a program cannot be started
 */
export async function explore(scenario: Scenario, options: ExploreOptions): Promise<ExploreResult> {
  await using lab = await openLaboratory(scenario, options);
  const { seed = 1, plans, only, stopAtFirst, onProgress, signal } = options;
  const budget = options.budget ?? (plans === undefined ? BUDGET : undefined);
  const origin = { scenario: { name: scenario.name }, versions: versions() };
  const exploration = await exploreLaboratory(lab, judgeOf(scenario), {
    clock: systemClock,
    origin,
    seed,
    ...(budget !== undefined && { budgetMillis: millisOf(budget) }),
    ...(plans !== undefined && { plans }),
    ...(only && { only }),
    ...(stopAtFirst !== undefined && { stopAtFirst }),
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  });
  const about = { scenario: scenario.name, version: origin.versions.keelson, skipped: lab.skipped };
  return new ExploreResult(exploration, explorationReport(exploration, about));
}

/**
 * Plays a finding again.
 *
 * @param finding a finding, or the text of its file
 * @throws Error for a text that is no finding
 */
export async function replay(
  scenario: Scenario,
  programs: ExploredPrograms,
  finding: Finding | string,
): Promise<ReplayResult> {
  const decoded = typeof finding === "string" ? decodeFinding(finding) : finding;
  await using lab = await openLaboratory(scenario, programs);
  return new ReplayResult(decoded, await replayFinding(lab, judgeOf(scenario), decoded));
}

/** Opens the laboratory of programs of this process. */
export const openLaboratory = (scenario: Scenario, explored: ExploredPrograms): Promise<InProcessLaboratory> =>
  InProcessLaboratory.of(scenario, programsOf(explored), explored.cluster, explored.operations);

/** The judge of a scenario. */
export const judgeOf =
  ({ ignore = [] }: Scenario): MakeJudge =>
  (clean) =>
    makeJudge(clean, ignore);
