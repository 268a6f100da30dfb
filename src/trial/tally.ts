/**
 * Counts what a policy would have done.
 *
 * @module
 */
import type { ReportedRule } from "../meta/admission-report.ts";
import type { ReportedChange } from "../meta/history-report.ts";
import type { ReportedObject } from "../meta/ownership-reports.ts";
import type { TrialCounts, TrialEffect, TrialFinding, TrialOfPolicy } from "../meta/trial-report.ts";
import { cutText } from "../util/cut-text.ts";
import type { TrialSubject } from "./contract.ts";

type Counts = { -readonly [N in keyof TrialCounts]: TrialCounts[N] };

const noCounts = (): Counts => ({ judged: 0, refuse: 0, warn: 0, audit: 0, change: 0, fail: 0 });

/** The results of rules that are findings. */
const EFFECTS: Readonly<Record<string, TrialEffect>> = {
  denied: "refuse",
  warned: "warn",
  audited: "audit",
  patched: "change",
  failed: "fail",
};

/** An evaluated write, for reports. */
export interface JudgedWrite {
  readonly of: "object" | "write";
  readonly operation: string;
  /** `deployments.apps`. */
  readonly resource: string;
  /** Called for findings, and for the most expensive object. */
  readonly object: () => ReportedObject;
  readonly managers: () => readonly string[];
}

/** Names beyond these are counted together. */
const MAX_NAMES = 100;
const OTHERS = "(others)";

/** The maximum length of the message of a finding, in characters. */
const MAX_MESSAGE = 1024;

/** The maximum number of differences and managers of a finding. */
const MAX_CHANGES = 50;
const MAX_MANAGERS = 20;

/** The maximum length of the values in the differences of a finding together, as JSON; further differences are left out. */
const MAX_VALUES_LENGTH = 16 << 10;

/** Counts by a name. */
class NamedCounts {
  readonly #counts = new Map<string, Counts>();

  of(name: string): Counts {
    let counts = this.#counts.get(name);
    if (counts) return counts;
    if (this.#counts.size >= MAX_NAMES && name !== OTHERS) return this.of(OTHERS);
    this.#counts.set(name, (counts = noCounts()));
    return counts;
  }

  get all(): readonly (readonly [string, TrialCounts])[] {
    return [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** See the head of this file. */
export class Tally {
  readonly #subject: TrialSubject;
  readonly #objects = noCounts();
  readonly #writes = noCounts();
  readonly #resources = new NamedCounts();
  readonly #managers = new NamedCounts();
  #millis = 0;
  #cost = 0;
  #most: { readonly object: ReportedObject; readonly cost: number } | undefined = undefined;

  constructor(subject: TrialSubject) {
    this.#subject = subject;
  }

  /** Counts the decisions of the policy about one write; calls `found` with each finding. */
  add(
    write: JudgedWrite,
    rules: readonly ReportedRule[],
    millis: number,
    found: (finding: () => TrialFinding) => void,
  ): void {
    this.#millis += millis;
    const matched = rules.filter(({ matched: isMatched }) => isMatched);
    if (matched.length === 0) return;
    this.#spend(
      write,
      rules.reduce((sum, { cost = 0 }) => sum + cost, 0),
    );
    const counted = [write.of === "object" ? this.#objects : this.#writes, this.#resources.of(write.resource)];
    for (const counts of counted) counts.judged++;
    for (const rule of matched) {
      const would = EFFECTS[rule.result ?? ""];
      if (would === undefined) continue;
      const managers = write.managers();
      for (const counts of [...counted, ...managers.map((name) => this.#managers.of(name))]) counts[would]++;
      found(() => findingOf(write, rule, would, this.#subject));
    }
  }

  /** The report; it leaves out the counts of managers without a finding. */
  get report(): TrialOfPolicy {
    const { kind, name, parts } = this.#subject;
    return {
      kind,
      policy: name,
      bindings: parts,
      objects: this.#objects,
      writes: this.#writes,
      resources: this.#resources.all.map(([resource, counts]) => ({ resource, ...counts })),
      managers: this.#managers.all.map(([manager, { refuse, warn, audit, change, fail }]) => ({
        manager,
        refuse,
        warn,
        audit,
        change,
        fail,
      })),
      millis: Math.round(this.#millis * 1000) / 1000,
      cost: this.#cost,
      ...(this.#most ? { mostExpensive: this.#most } : {}),
    };
  }

  #spend(write: JudgedWrite, cost: number): void {
    this.#cost += cost;
    if (cost > (this.#most?.cost ?? 0)) this.#most = { object: write.object(), cost };
  }
}

function findingOf(write: JudgedWrite, rule: ReportedRule, would: TrialEffect, subject: TrialSubject): TrialFinding {
  const { why, changes = [] } = rule;
  return {
    policy: subject.name,
    binding: subject.partOf(rule),
    would,
    of: write.of,
    operation: write.operation,
    object: write.object(),
    managers: write.managers().slice(0, MAX_MANAGERS),
    ...(why === undefined ? {} : { message: cutText(why, MAX_MESSAGE) }),
    ...(would === "change" ? { changes: boundedChanges(changes) } : {}),
  };
}

/** The first differences; one with too long values is listed without them. */
function boundedChanges(changes: readonly ReportedChange[]): readonly ReportedChange[] {
  let left = MAX_VALUES_LENGTH;
  return changes.slice(0, MAX_CHANGES).map((change) => {
    left -= JSON.stringify(change).length;
    if (left >= 0) return change;
    const { op, pointer } = change;
    return { op, pointer: cutText(pointer, MAX_MESSAGE) };
  });
}
