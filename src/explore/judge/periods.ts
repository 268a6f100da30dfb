/**
 * The periods of a run: its steps, and the times in which something was held, lost or down.
 *
 * @module
 */
import type { RunRecord } from "../contract/laboratory.ts";
import type { ChangeEntry, ObjectRef, Trace } from "../contract/trace.ts";

/** A time in which something was not as usual. */
export interface Disturbance {
  /** The first and the last entry; the run's end where it did not end. */
  readonly from: number;
  readonly to: number;
  /** When it ended. */
  readonly endedAt: number;
  /** The kind whose watches were held; all where it is missing. */
  readonly kind?: Pick<ObjectRef, "group" | "kind">;
}

/** How long a program of another process may take to react to a change. */
const AT_ONCE_MS = 2000;

/** The steps and disturbances of a run. States are named by their index in the record. */
export class Periods {
  readonly disturbances: readonly Disturbance[];
  readonly #steps: readonly {
    readonly begun: number;
    readonly begunAt: number;
    readonly quiet: number;
    readonly quietAt: number;
  }[];

  readonly #trace: Trace;

  constructor(run: RunRecord) {
    this.#trace = run.trace;
    const quiet = new Map<number, { readonly seq: number; readonly at: number }>();
    const begun = new Map<number, { readonly seq: number; readonly at: number }>();
    for (const entry of run.trace)
      if (entry.type === "step") (entry.phase === "quiet" ? quiet : begun).set(entry.step, entry);
    this.#steps = run.states.map(({ step }) => {
      const [first, last] = [begun.get(step), quiet.get(step)];
      const end = { seq: run.trace.length, at: run.trace.at(-1)?.at ?? 0 };
      return {
        begun: first?.seq ?? 0,
        begunAt: first?.at ?? 0,
        quiet: (last ?? end).seq,
        quietAt: (last ?? end).at,
      };
    });
    this.disturbances = disturbancesOf(run);
  }

  /** Whether watches were still held when the run ended. */
  get isHeldInTheEnd(): boolean {
    return this.disturbances.some(({ kind, endedAt }) => kind !== undefined && endedAt === Infinity);
  }

  /** The state of the step that contains an entry. */
  stateAt(seq: number): number {
    return Math.max(
      0,
      this.#steps.findLastIndex(({ begun }) => begun <= seq),
    );
  }

  /**
   * Whether the first matching change of a step followed at once from the action of the user in that step: within a tenth of
   * the time of the step, or the seconds that a program of another process may take.
   */
  followsUser(state: number, isLookedFor: (change: ChangeEntry) => boolean): boolean {
    const step = this.#steps[state];
    if (!step) return false;
    const changes = this.#trace
      .slice(step.begun, step.quiet + 1)
      .filter((entry): entry is ChangeEntry => entry.type === "change");
    const first = changes.findIndex(({ actor }) => actor === "user");
    const found = first < 0 ? undefined : changes.slice(first).find(isLookedFor);
    return (
      found !== undefined && found.at - changes[first]!.at <= Math.max(AT_ONCE_MS, (step.quietAt - step.begunAt) / 10)
    );
  }

  /** Whether nothing was held, lost or down in the last half of the time of a step. */
  isUndisturbed(state: number): boolean {
    const step = this.#steps[state];
    if (!step) return true;
    const middle = (step.begunAt + step.quietAt) / 2;
    return !this.disturbances.some(
      ({ from, endedAt, to }) => from < step.quiet && (to >= step.quiet || endedAt > middle),
    );
  }
}

function disturbancesOf({ trace, order }: RunRecord): readonly Disturbance[] {
  const found: Disturbance[] = [];
  const open = new Map<string, number>();
  const ended = (key: string, seq: number, at: number, kind?: Pick<ObjectRef, "group" | "kind">): void => {
    const from = open.get(key);
    if (from === undefined) return;
    open.delete(key);
    found.push({ from, to: seq, endedAt: at, ...(kind && { kind }) });
  };
  const heldKind = (index: number): Pick<ObjectRef, "group" | "kind"> | undefined => {
    const perturbation = order.plan[index];
    return perturbation?.type === "gap" || perturbation?.type === "lag" ? perturbation.at : undefined;
  };
  for (const entry of trace) {
    const { seq, at } = entry;
    if (entry.type === "perturbation") {
      const key = `perturbation ${entry.perturbation}`;
      if (entry.phase === "ended") ended(key, seq, at, heldKind(entry.perturbation));
      else if (!open.has(key)) open.set(key, seq);
    } else if (entry.type === "life") {
      const key = `life ${entry.actor}`;
      if (entry.event === "started") ended(key, seq, at);
      else if ((entry.event === "killed" || entry.event === "exited") && !open.has(key)) open.set(key, seq);
    }
  }
  for (const key of open.keys()) {
    const index = key.startsWith("perturbation ") ? Number(key.slice("perturbation ".length)) : -1;
    ended(key, trace.length, Infinity, heldKind(index));
  }
  return found;
}
