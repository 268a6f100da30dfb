/**
 * The findings of an exploration so far: each fault once, with the runs that show it.
 *
 * @module
 */
import type { Fault, Finding } from "./contract/finding.ts";
import type { MakeJudge } from "./contract/judge.ts";
import type { RunRecord } from "./contract/laboratory.ts";
import type { FindingRuns, Origin } from "./exploration.ts";
import { type FaultId, faultOf, ifPlayed, type Reference, type References } from "./runs.ts";
import type { Shown } from "./shrink.ts";

/** How often a fault has shown, of the times that it was played again. */
export interface Replays {
  readonly shown: number;
  readonly of: number;
}

/** The parts with which findings are made. */
export interface FindingsOptions {
  readonly origin: Origin;
  readonly makeJudge: MakeJudge;
  readonly references: References;
  /** Called with each finding and notice. */
  readonly onFinding: (finding: Finding, isFault: boolean) => void;
}

/** How often another plan may try a fault again that does not show again. */
const MAX_UNCONFIRMED = 3;

const idOf = ({ key, severity }: FaultId): string => `${severity} ${key}`;

/** Keeps the findings, and reports new ones. */
export class Findings {
  readonly findings: Finding[] = [];
  readonly notices: Finding[] = [];
  readonly evidence: Map<Finding, FindingRuns> = new Map();
  readonly #options: FindingsOptions;
  /** Faults that are reported, or being confirmed. */
  readonly #known = new Set<string>();
  readonly #unconfirmed = new Map<string, number>();

  constructor(options: FindingsOptions) {
    this.#options = options;
  }

  /** A notice is not new where a fault has its key; a fault is new where only a notice has its key. */
  isNew(fault: Fault): boolean {
    if (this.#known.has(idOf(fault)) || this.#known.has(idOf({ ...fault, severity: "fault" }))) return false;
    return (this.#unconfirmed.get(idOf(fault)) ?? 0) < MAX_UNCONFIRMED;
  }

  /** Takes a fault that is new, to confirm and report it. */
  claim(fault: Fault): boolean {
    if (!this.isNew(fault)) return false;
    this.#known.add(idOf(fault));
    return true;
  }

  /** Gives back a fault that did not show again; returns how often that was so. */
  release(fault: Fault): number {
    const id = idOf(fault);
    this.#known.delete(id);
    const times = (this.#unconfirmed.get(id) ?? 0) + 1;
    this.#unconfirmed.set(id, times);
    return times;
  }

  /** Reports what clean runs show by themselves. */
  async reportClean(reference: Reference, steps?: readonly number[]): Promise<void> {
    for (const fault of reference.judge.cleanFaults()) {
      if (!this.claim(fault)) continue;
      const shows = reference.runs.filter((run) => faultOf(this.#options.makeJudge([run]).cleanFaults(), fault));
      const run = shows[0] ?? reference.runs[0]!;
      const replays = { shown: Math.max(1, shows.length), of: reference.runs.length };
      await this.report({ order: { seed: run.order.seed, plan: [], ...(steps && { steps }) }, fault }, run, replays);
    }
  }

  /** Makes a finding or a notice of a fault that was claimed. */
  async report({ order, fault }: Shown, run: RunRecord, { shown, of }: Replays, clean?: RunRecord): Promise<void> {
    const { origin, references, onFinding } = this.#options;
    const finding: Finding = {
      format: 1,
      ...origin,
      seed: order.seed,
      ...(order.steps && { steps: order.steps }),
      plan: order.plan,
      fault,
      replayed: { shown, of },
    };
    const [first = run, ...others] = clean ? [clean] : ((await ifPlayed(references.of(order.steps)))?.runs ?? []);
    this.evidence.set(finding, { clean: first, otherClean: others, run });
    const isFault = fault.severity === "fault" && (shown > 0 || of === 0);
    (isFault ? this.findings : this.notices).push(finding);
    onFinding(finding, isFault);
  }
}
