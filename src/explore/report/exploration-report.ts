/**
 * The content of a report about an exploration, as plain JSON.
 *
 * @module
 */
import { counted } from "../../util/counted.ts";
import type { Coverage } from "../coverage.ts";
import type { Ending, Exploration } from "../exploration.ts";
import { findingFileNames } from "../finding-file.ts";
import type { Skipped } from "../operations/index.ts";
import { type Evidence, type FindingReport, findingReport } from "./finding-report.ts";

/** Facts in addition to the result of an exploration. */
export interface ReportOptions {
  readonly scenario: string;
  /** The version of keelson. */
  readonly version: string;
  /** The path of the file of a finding with a name; the name alone by default. */
  readonly pathOf?: (name: string) => string;
  /** The output of programs in the run of a finding. */
  readonly outputOf?: (finding: Evidence["finding"]) => Evidence["output"];
  /** Members for which there are no operations. */
  readonly skipped?: readonly Skipped[];
  /** The checks that a storage driver does not support. */
  readonly notJudged?: readonly string[];
}

/** A report, as plain JSON. */
export interface ExplorationReport {
  readonly scenario: string;
  readonly version: string;
  readonly seed: number;
  readonly plans: number;
  readonly runs: number;
  readonly seconds: number;
  readonly ended: Ending;
  /** Why it could not continue, if `ended` is `failed`. */
  readonly failure?: string;
  /** A summary in plain sentences. */
  readonly summary: readonly string[];
  readonly findings: readonly FindingReport[];
  readonly notices: readonly FindingReport[];
  readonly coverage: Coverage;
  readonly skipped: readonly Skipped[];
}

/** Returns the report of an exploration. */
export function explorationReport(exploration: Exploration, options: ReportOptions): ExplorationReport {
  const { findings, notices, evidence, coverage, plans, runs, seconds, seed, ended, failure } = exploration;
  const { scenario, version, pathOf = (name) => name, outputOf, skipped = [], notJudged = [] } = options;
  const names = findingFileNames([...findings, ...notices].map(({ fault }) => fault));
  const reports = [...findings, ...notices].map((finding, i) => {
    const shown = evidence.get(finding);
    const run = shown?.run.trace ?? [];
    const state = shown?.run.states.at(-1)?.state;
    const output = outputOf?.(finding);
    return findingReport({
      finding,
      file: pathOf(names[i]!),
      clean: shown?.clean.trace ?? [],
      ...(shown && { otherClean: shown.otherClean.map(({ trace }) => trace) }),
      run,
      ...(state && { state }),
      ...(output && { output }),
    });
  });
  return {
    scenario,
    version,
    seed,
    plans,
    runs,
    seconds,
    ended,
    ...(failure && { failure: failure.message }),
    summary: [
      `${counted(findings.length, "fault")} and ${counted(notices.length, "notice")} in ${counted(plans, "plan")} and ${counted(runs, "run")} within ${seconds.toFixed(1)} s, seed ${seed}.`,
      failure ? `${endings[ended]} ${failure.message}` : endings[ended],
      ...coverage.sentences,
      ...(coverage.cannot.length === 0 ? [] : [`Not possible here: ${coverage.cannot.join(", ")}.`]),
      ...notJudged.map((what) => `Not judged: ${what}.`),
    ],
    findings: reports.slice(0, findings.length),
    notices: reports.slice(findings.length),
    coverage,
    skipped,
  };
}

const endings: Readonly<Record<Ending, string>> = {
  done: "All that was worth trying was tried.",
  budget: "It ended when its budget of time was used up.",
  plans: "It ended after as many plans as it was allowed.",
  cancelled: "It was cancelled.",
  first: "It ended with the first fault, as it was asked to.",
  failed: "It could not continue, so less was tried than requested:",
  replayed: "It played a finding again.",
  "step-failed":
    "A step of the scenario is refused although nothing is perturbed, so that nothing could be explored: mend the scenario.",
};
