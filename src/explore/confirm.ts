/**
 * Confirming: a fault is played again, shrunk, and reported with how often the smallest order showed it.
 *
 * @module
 */
import type { Fault } from "./contract/finding.ts";
import type { RunOrder, RunRecord } from "./contract/laboratory.ts";
import type { Findings, Replays } from "./findings.ts";
import { type FaultId, faultOf, ifPlayed, type References, type Runs } from "./runs.ts";
import { type Attempt, type Shown, shrink } from "./shrink.ts";

/** How often a fault is played again when it is reported: more often where runs differ. */
const REPLAYS = 3;
const REPLAYS_OF_CHANCE = 10;

/** The result of an order that was played for a fault: `over` where it could not be played. */
type Judged = { readonly fault?: Fault; readonly record?: RunRecord } | "over";

/** Plays faults again that plans have shown. */
export class Confirming {
  readonly #runs: Runs;
  readonly #references: References;
  readonly #findings: Findings;
  readonly #shrinks: boolean;

  constructor(runs: Runs, references: References, findings: Findings, shrinks: boolean) {
    this.#runs = runs;
    this.#references = references;
    this.#findings = findings;
    this.#shrinks = shrinks;
  }

  /** Plays a fault again, shrinks it, and reports it with how often the smallest order showed it. */
  async confirm(first: Shown, record: RunRecord): Promise<void> {
    const { fault } = first;
    const findings = this.#findings;
    if (fault.severity === "notice") return findings.report(first, record, { shown: 1, of: 1 });
    const again = await this.#replay(first.order, fault, 1);
    if (again.shown === 0 && again.of > 0) {
      if (findings.release(fault) === 1) await findings.report(first, record, again);
      return;
    }
    if (!(await this.#lasts(first))) {
      findings.release(fault);
      const notice: Fault = { ...fault, severity: "notice" };
      if (findings.claim(notice)) await findings.report({ ...first, fault: notice }, record, { shown: 1, of: 1 });
      return;
    }
    if (!this.#shrinks) return findings.report(first, record, again);
    const shown = await shrink(first, this.#runs.lab.scenario.usual, this.#attempt(fault));
    const last = await this.#replay(shown.order, fault);
    // Without a run left: the result so far.
    const seen = shown.order === first.order ? again : { shown: 1, of: 1 };
    await findings.report({ order: shown.order, fault: shown.fault }, last.record ?? record, last.of > 0 ? last : seen);
  }

  /**
   * Whether a fault that vanished after the next step of the user remains if the user waits instead: a fault that is repaired by time alone
   * is one of timing.
   */
  async #lasts({ order, fault }: Shown): Promise<boolean> {
    const { until, object } = fault;
    if (until === undefined) return true;
    const all = order.steps ?? this.#runs.lab.scenario.usual;
    const steps = all.slice(0, all.indexOf(until) + 1);
    const reference = await ifPlayed(this.#references.of(steps));
    const record = reference && (await ifPlayed(this.#runs.play({ ...order, steps })));
    if (!record) return true;
    const isIt = (other: Fault): boolean =>
      other.key === fault.key || (object !== undefined && JSON.stringify(other.object) === JSON.stringify(object));
    return reference.judge.faults(record).some((other) => other.severity === "fault" && isIt(other));
  }

  /** Returns the fault that an order is played for, if it shows it. */
  async #judged(order: RunOrder, id: FaultId): Promise<Judged> {
    const reference = await ifPlayed(this.#references.of(order.steps));
    if (!reference) return "over";
    if (reference.stepFailed || faultOf(reference.judge.cleanFaults(), id)) return {};
    const record = await ifPlayed(this.#runs.play(order));
    if (!record) return "over";
    const fault = faultOf(reference.judge.faults(record), id);
    return { record, ...(fault && { fault }) };
  }

  /** Plays an order again, until it has shown a fault often enough; the record is of a run that showed it. */
  async #replay(
    order: RunOrder,
    id: FaultId,
    enough = this.#runs.lab.deterministic ? REPLAYS : REPLAYS_OF_CHANCE,
  ): Promise<Replays & { readonly record?: RunRecord }> {
    let [shown, of] = [0, 0];
    let record: RunRecord | undefined;
    const most = Math.max(REPLAYS, enough);
    while (of < most && shown < enough) {
      const together = Math.min(Math.max(1, this.#runs.lab.parallel), enough - shown, most - of);
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

  /** An attempt of shrinking: once where runs are deterministic, else two of three; those that are needed in any case at once. */
  #attempt(id: FaultId): Attempt {
    return async (order) => {
      const { lab } = this.#runs;
      const needed = lab.deterministic ? 1 : 2;
      let [shown, missed] = [0, 0];
      while (missed < needed) {
        const together = Math.min(Math.max(1, lab.parallel), needed - shown, needed - missed);
        for (const judged of await Promise.all(Array.from({ length: together }, () => this.#judged(order, id)))) {
          // An order that cannot be played does not show the fault; another one may.
          if (judged === "over") return this.#runs.over ? "over" : undefined;
          if (!judged.fault) missed++;
          else if (++shown === needed) return judged.fault;
        }
      }
      return undefined;
    };
  }
}
