/**
 * Runs of the operator of tests, judged.
 *
 * @module
 */
import type { Fault } from "../../contract/finding.ts";
import type { Judge } from "../../contract/judge.ts";
import type { RunRecord } from "../../contract/laboratory.ts";
import type { Plan } from "../../contract/plan.ts";
import { makeJudge } from "../index.ts";
import { OPERATOR, operatorRun, type Variation } from "./operator.ts";
import type { RecordedRun } from "./recorded-run.ts";

/** Three clean runs of the operator. */
export const clean: readonly RunRecord[] = [1, 2, 3].map((seed) => operatorRun(seed).record());
/** The judge of these runs. */
export const judge: Judge = makeJudge(clean);
/** The seed of runs that are judged. */
export const SEED = 9;

/** The faults of a run of the operator that varies. */
export const played = (variation: Variation = {}): readonly Fault[] =>
  judge.faults(operatorRun(SEED, variation).record());
/** The keys of faults; those of notices are marked. */
export const keys = (faults: readonly Fault[]): readonly string[] =>
  faults.map(({ key, severity }) => (severity === "notice" ? `notice: ${key}` : key));

/** Lets the operator omit or change the objects that it makes of a kind. */
export const insteadOf = (kind: string, other: (run: RecordedRun, usual: () => void) => void): Variation => ({
  make: (run, sent, usual) => (sent.kind === kind ? other(run, usual) : usual()),
});
/** Lets something happen in a step, before it is at rest. */
export const inStep = (step: number, act: (run: RecordedRun) => void): Variation => ({
  beforeQuiet: (run, at) => (at === step ? act(run) : undefined),
});

/** A crash after the operator has created something. */
export const crashAfter = (kind: string, name: string): Plan => [
  {
    type: "crash",
    when: "after",
    downMillis: 1000,
    at: {
      actor: OPERATOR,
      protocol: "api",
      verb: "create",
      group: "",
      kind,
      namespace: "default",
      name,
      occurrence: 0,
    },
  },
];
