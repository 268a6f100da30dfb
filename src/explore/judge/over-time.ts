/**
 * Differences of states over the steps of a run: what remains, what is put right later, and what is not owed.
 *
 * - What differs in the end is a fault, from the step on from which it always differed.
 * - What differed after a step and is right after a later one, while the same was expected, is a notice: it took longer than the pause
 *   of a step. What was expected no longer after the next step was never put right: a fault.
 * - Both only if nothing was held, lost or down in the last half of the step: a program owes nothing before it can see.
 * - Where a plan changes the world, only the end is compared.
 * - A program that was blind from one step to a later one owes nothing for states between that were undone by the user.
 *
 * @module
 */
import { Comparer, type Difference } from "./differences.ts";
import type { Expected } from "./expected.ts";
import { differingPaths } from "./expected.ts";
import { changesWorld, leewayOf } from "./leeway.ts";
import { Periods } from "./periods.ts";
import { Revisions } from "./revisions.ts";
import type { Suspect } from "./suspect.ts";
import type { RunView } from "./view.ts";

/** Returns what is wrong with the states of a run. */
export function overTime(expected: Expected, revisions: Revisions, view: RunView): readonly Suspect[] {
  const clean = expected.runs[0]!;
  const { plan } = view.record.order;
  const count = comparableStates(clean, view);
  const last = count - 1;
  const found = new Revisions(view.record.trace, view.names);
  const comparer = new Comparer(expected, leewayOf(plan, [clean.last, view.last]));
  const onlyEnd = changesWorld(plan);
  const states = Array.from({ length: count }, (_, i): ReadonlyMap<string, readonly Difference[]> => {
    if (onlyEnd && i < last) return new Map();
    const differences = comparer.differences(
      { state: clean.states[i]!, revisions },
      { state: view.states[i]!, revisions: found },
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

  /** What a driver had and has no longer, or has with other data, is lost. */
  function kindOf({ kind, identity }: Difference, state: number): Suspect["kind"] {
    if (identity.group !== "csi" || (kind !== "missing" && kind !== "differs")) return kind;
    const had = view.states.slice(0, state).some(({ items }) => items.has(identity.key));
    return kind === "differs" || had ? "data-lost" : kind;
  }

  function suspectOf(difference: Difference, from: number, to: number): Suspect | undefined {
    if (isExcused(expected, view, periods, difference, to)) return undefined;
    const healed = to < last && isStillExpected(expected, difference, to, to + 1);
    if (to < last) {
      const firstUndisturbed = Array.from({ length: to - from + 1 }, (_, i) => from + i).some((i) =>
        periods.isUndisturbed(i),
      );
      if (healed ? !firstUndisturbed : !periods.isUndisturbed(to)) return undefined;
    }
    const { identity, path } = difference;
    return {
      kind: kindOf(difference, to),
      identity,
      difference,
      ...(path !== undefined && { path }),
      step: view.states[from]!.step,
      severity: healed ? "notice" : "fault",
      ...(healed && { healed }),
    };
  }
}

/** How many states of two runs are those of the same steps. */
function comparableStates(clean: RunView, view: RunView): number {
  const count = Math.min(clean.states.length, view.states.length);
  const other = clean.states.findIndex((state, i) => i < count && state.step !== view.states[i]!.step);
  return other < 0 ? count : other;
}

/** Whether what a difference misses is expected after another step, too. */
function isStillExpected(expected: Expected, difference: Difference, state: number, other: number): boolean {
  const { key } = difference.identity;
  const [now, then] = [expected.items(state, key), expected.items(other, key)];
  if (difference.kind === "missing") return then.length >= now.length;
  if (difference.path === undefined) return then.length <= now.length;
  const leaf = difference.expected!.flat.get(difference.path);
  return then.some((item) => item.flat.get(difference.path!) === leaf);
}

/** Whether a program was blind while the state was there to which the difference belongs, and the user has undone it since. */
function isExcused(
  expected: Expected,
  view: RunView,
  periods: Periods,
  difference: Difference,
  state: number,
): boolean {
  if (difference.kind !== "missing" && difference.kind !== "differs" && difference.kind !== "stale-status")
    return false;
  let since = state;
  while (since > 0 && isStillExpected(expected, difference, state, since - 1)) since--;
  return periods.disturbances.some(({ from, to, kind }) => {
    const [first, last] = [periods.stateAt(from), periods.stateAt(Math.min(to, view.record.trace.length - 1))];
    return first <= since && since < last && isUndone(expected, since, last, kind);
  });
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
