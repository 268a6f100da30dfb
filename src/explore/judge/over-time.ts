/**
 * Differences of states over the steps of a run: those that remain, those that are repaired later, and those that are excused.
 *
 * - A difference at the end is a fault, from the step on from which it was always present.
 * - What differed after a step and is right after a later one, while the same was expected, is a notice: it took longer than the pause
 *   of a step. Where it was put right only when the user did something else, it was not put right by itself: a fault.
 * - A difference from a state that is no longer expected after the next step was never repaired: a fault.
 * - Both only if nothing was held, lost or down in the last half of the step: a program need not act before it can see a change.
 * - Where a plan changes the world, only the end is compared.
 * - A difference in decisions of built-in controllers and nodes alone is a notice.
 * - A program that was blind from one step to a later one is excused for states between that the user has undone.
 *
 * @module
 */
import { Comparer, type Difference, type Side } from "./differences.ts";
import type { Expected } from "./expected.ts";
import { differingPaths } from "./expected.ts";
import { memberValue } from "./flat.ts";
import { changesWorld, leewayOf } from "./leeway.ts";
import { Periods } from "./periods.ts";
import { Revisions } from "./revisions.ts";
import { isProgram, type Suspect } from "./suspect.ts";
import type { SoundRun } from "./void.ts";
import type { RunView } from "./view.ts";
import { Writers } from "./writers.ts";

/** The facts about the first clean run. */
export type CleanFacts = Pick<Side, "revisions" | "writers">;

/**
 * Returns the faults in the states of a run.
 *
 * @param isCut whether the last state is not that of the end, so that differences may be repaired later
 * @param isWaiting whether a program is excused in the last state
 */
export function overTime(
  expected: Expected,
  { revisions, writers }: CleanFacts,
  view: RunView,
  { isCut, isWaiting }: Pick<SoundRun, "isCut" | "isWaiting">,
): readonly Suspect[] {
  const clean = expected.runs[0]!;
  const { plan } = view.record.order;
  const count = comparableStates(clean, view);
  const last = count - 1;
  const found = new Revisions(view.record.trace, view.names);
  const foundWriters = new Writers(view.record.trace, view.names);
  const comparer = new Comparer(expected, leewayOf(plan, [clean.last, view.last]));
  const onlyEnd = changesWorld(plan);
  const states = Array.from({ length: count }, (_, i): ReadonlyMap<string, readonly Difference[]> => {
    if (onlyEnd && i < last) return new Map();
    const differences = comparer.differences(
      { state: clean.states[i]!, revisions, writers },
      { state: view.states[i]!, revisions: found, writers: foundWriters },
    );
    return Map.groupBy(differences, ({ identity }) => identity.key);
  });
  if (states.every((state) => state.size === 0)) return [];
  const periods = new Periods(view.record);
  const suspects: Suspect[] = [];
  for (const key of new Set(states.flatMap((state) => [...state.keys()])))
    for (let from = 0; from < count; from++) {
      if (!states[from]!.has(key)) continue;
      let to = from;
      while (to < last && states[to + 1]!.has(key)) to++;
      for (const difference of states[to]!.get(key)!) {
        const suspect = suspectOf(difference, from, to);
        if (suspect) suspects.push(suspect);
      }
      from = to;
    }
  return suspects;

  /** A volume that a driver had and no longer has, or has with other data, is lost. */
  function kindOf({ kind, identity }: Difference, state: number): Suspect["kind"] {
    if (identity.group !== "csi" || (kind !== "missing" && kind !== "differs")) return kind;
    const had = view.states.slice(0, state).some(({ items }) => items.has(identity.key));
    return kind === "differs" || had ? "data-lost" : kind;
  }

  function suspectOf(difference: Difference, from: number, to: number): Suspect | undefined {
    if (isExcused(expected, view, periods, difference, to)) return undefined;
    if (to === last && isWaiting) return undefined;
    if ((to < last || isCut) && !periods.isUndisturbed(to)) return undefined;
    const healed =
      to < last &&
      isStillExpected(expected, difference, to, to + 1) &&
      !periods.followsUser(to + 1, ({ object }) => view.names.identity(object).key === difference.identity.key);
    const { identity, path } = difference;
    return {
      kind: kindOf(difference, to),
      identity,
      difference,
      ...(path !== undefined && { path }),
      step: view.states[from]!.step,
      severity: healed || difference.isByCluster ? "notice" : "fault",
      ...(healed && { healed }),
      ...(to < last && !healed && { until: view.states[to]!.step }),
    };
  }
}

/** The number of states of two runs that belong to the same steps. */
function comparableStates(clean: RunView, view: RunView): number {
  const count = Math.min(clean.states.length, view.states.length);
  const other = clean.states.findIndex((state, i) => i < count && state.step !== view.states[i]!.step);
  return other < 0 ? count : other;
}

/** Whether the missing object or value of a difference is expected after another step, too. */
function isStillExpected(expected: Expected, difference: Difference, state: number, other: number): boolean {
  const { key } = difference.identity;
  const [now, then] = [expected.items(state, key), expected.items(other, key)];
  if (difference.kind === "missing") return then.length >= now.length;
  if (difference.path === undefined) return then.length <= now.length;
  const { path } = difference;
  const value = memberValue(difference.expected!.flat, path);
  return then.some((item) => memberValue(item.flat, path) === value);
}

/**
 * Whether a program was blind during the state of the difference, and the user has undone that state since. Remains of such a state are
 * excused where no program made them.
 */
function isExcused(
  expected: Expected,
  view: RunView,
  periods: Periods,
  difference: Difference,
  state: number,
): boolean {
  const since =
    difference.kind === "leaked" ? madeByOthers(view, periods, difference) : establishedAt(expected, difference, state);
  if (since === undefined) return false;
  return periods.disturbances.some(({ from, to, kind }) => {
    const [first, last] = [periods.stateAt(from), periods.stateAt(Math.min(to, view.record.trace.length - 1))];
    return first <= since && since < last && isUndone(expected, since, last, kind);
  });
}

/** The state since which a value is expected; undefined for one that is no member and no missing object. */
function establishedAt(expected: Expected, difference: Difference, state: number): number | undefined {
  if (!["missing", "differs", "stale-status"].includes(difference.kind)) return undefined;
  let since = state;
  while (since > 0 && isStillExpected(expected, difference, state, since - 1)) since--;
  return since;
}

/** The state in which an actor other than a program made an object. */
function madeByOthers(view: RunView, periods: Periods, { identity }: Difference): number | undefined {
  const made = view.record.trace.findLast(
    (entry) =>
      entry.type === "change" && entry.change === "created" && view.names.identity(entry.object).key === identity.key,
  );
  return made?.type === "change" && !isProgram(made.actor) ? periods.stateAt(made.seq) : undefined;
}

/** Whether an object of the user was another one in a state than in a later one. */
function isUndone(
  expected: Expected,
  state: number,
  later: number,
  kind: { readonly group: string; readonly kind: string } | undefined,
): boolean {
  const clean = expected.runs[0]!;
  const ofUser = new Set<string>();
  for (const entry of clean.record.trace)
    if (entry.type === "change" && entry.actor === "user" && entry.change !== "deleted")
      ofUser.add(clean.names.identity(entry.object).key);
  return [...ofUser].some((key) => {
    const [one, other] = [expected.items(state, key), expected.items(later, key)];
    const { identity } = one[0] ?? other[0] ?? {};
    if (!identity || (kind && (identity.group !== kind.group || identity.kind !== kind.kind))) return false;
    if (one.length !== other.length) return true;
    return one.some((item, i) =>
      differingPaths(item.flat, other[i]!.flat).some(
        (path) => !path.startsWith(".status") && expected.mask(key).isJudged(path),
      ),
    );
  });
}
