/**
 * Objects from before the scenario. The state of a run omits them while they are unchanged; where another run changes one, its original
 * state is taken from that.
 *
 * @module
 */
import { isAside } from "../aside.ts";
import type { RunRecord } from "../contract/laboratory.ts";
import type { StoredObject } from "../contract/state.ts";
import type { ChangeEntry, ObjectRef, Trace } from "../contract/trace.ts";

const keyOf = ({ group, kind, namespace = "", name = "" }: ObjectRef): string =>
  JSON.stringify([group, kind, namespace, name]);

/** The first change of each object. */
function firstChanges(trace: Trace): ReadonlyMap<string, ChangeEntry> {
  const first = new Map<string, ChangeEntry>();
  for (const entry of trace) {
    if (entry.type !== "change") continue;
    const key = keyOf(entry.object);
    if (!first.has(key)) first.set(key, entry);
  }
  return first;
}

/** The objects before the scenario that some runs have changed. */
export class Base {
  readonly #objects = new Map<string, StoredObject>();

  /** Records the original states of objects that a run changed; returns whether any of them is new. */
  learn({ trace }: RunRecord): boolean {
    const known = this.#objects.size;
    for (const [key, { before, object }] of firstChanges(trace))
      if (before && !this.#objects.has(key) && !isAside(object, before)) this.#objects.set(key, before);
    return this.#objects.size > known;
  }

  /** A run whose states have these objects also while they are unchanged. */
  whole(run: RunRecord): RunRecord {
    if (this.#objects.size === 0) return run;
    const changes = firstChanges(run.trace);
    const quiet = new Map(
      run.trace.flatMap((entry) => (entry.type === "step" && entry.phase === "quiet" ? [[entry.step, entry.seq]] : [])),
    );
    const states = run.states.map(({ step, state }) => {
      const end = quiet.get(step) ?? Infinity;
      const unchanged = [...this.#objects].flatMap(([key, object]) =>
        (changes.get(key)?.seq ?? Infinity) > end ? object : [],
      );
      return unchanged.length === 0
        ? { step, state }
        : { step, state: { ...state, objects: [...state.objects, ...unchanged] } };
    });
    return { ...run, states };
  }
}
