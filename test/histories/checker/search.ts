/**
 * A search for one order of operations that explains all their answers: Wing and Gong's algorithm with Lowe's memory of
 * what has been tried (the same as porcupine and Knossos), over any sequential model.
 *
 * It knows nothing of revisions, logs or watches, so it is a second opinion on what {@link Times} concludes. It takes
 * exponential time in the worst case: it gives up after a number of steps and says so.
 *
 * @module
 */

/** An operation between two moments; one that may never have happened has no end. */
export interface Call<Input> {
  readonly call: number;
  readonly return: number;
  readonly input: Input;
  /** The search may leave it out. */
  readonly optional: boolean;
}

/** What an object does, one operation after the other. */
export interface Model<Input, State> {
  readonly initial: State;
  /** The state after an operation, or undefined when its answer is impossible in this state. */
  step(state: State, input: Input): State | undefined;
  /** Two states are the same when their texts are. */
  text(state: State): string;
}

/** What a search found out. */
export type Verdict = "linearizable" | "not linearizable" | "undecided";

interface Entry<Input> {
  readonly id: number;
  readonly call: Call<Input> | undefined;
  /** The entry of the end, for that of a beginning. */
  end: Entry<Input> | undefined;
  before: Entry<Input> | undefined;
  after: Entry<Input> | undefined;
}

/** Searches for an order that explains `calls`. */
export function search<Input, State>(
  calls: readonly Call<Input>[],
  model: Model<Input, State>,
  steps = 2_000_000,
): Verdict {
  const head = linked(calls);
  const required = calls.filter(({ optional }) => !optional).length;
  let done = new Uint32Array(Math.ceil(calls.length / 32));
  let left = required;
  let { initial: state } = model;
  const tried = new Set<string>();
  const stack: { readonly entry: Entry<Input>; readonly state: State }[] = [];
  let entry = head.after;
  for (let step = 0; step < steps; step++) {
    if (left === 0) return "linearizable";
    if (entry?.call) {
      const next = model.step(state, entry.call.input);
      if (next !== undefined && remember(tried, done, entry.id, model.text(next))) {
        stack.push({ entry, state });
        done = flipped(done, entry.id);
        if (!entry.call.optional) left--;
        state = next;
        lift(entry);
        entry = head.after;
      } else {
        entry = entry.after;
      }
      continue;
    }
    // An end that comes before its operation has been placed, or nothing left: another order must be tried.
    const last = stack.pop();
    if (!last) return "not linearizable";
    ({ state } = last);
    done = flipped(done, last.entry.id);
    if (!last.entry.call!.optional) left++;
    unlift(last.entry);
    entry = last.entry.after;
  }
  return "undecided";
}

/** Beginnings and ends in order of time, behind a head; at the same moment beginnings come first. */
function linked<Input>(calls: readonly Call<Input>[]): Entry<Input> {
  const entries: { readonly at: number; readonly entry: Entry<Input> }[] = [];
  for (const [id, call] of calls.entries()) {
    const end: Entry<Input> | undefined = call.optional
      ? undefined
      : { id, call: undefined, end: undefined, before: undefined, after: undefined };
    entries.push({ at: call.call, entry: { id, call, end, before: undefined, after: undefined } });
    if (end) entries.push({ at: call.return, entry: end });
  }
  entries.sort((a, b) => a.at - b.at || Number(a.entry.call === undefined) - Number(b.entry.call === undefined));
  const head: Entry<Input> = { id: -1, call: undefined, end: undefined, before: undefined, after: undefined };
  let last = head;
  for (const { entry } of entries) {
    last.after = entry;
    entry.before = last;
    last = entry;
  }
  return head;
}

function lift<Input>(entry: Entry<Input>): void {
  for (const part of [entry, entry.end]) {
    if (!part) continue;
    part.before!.after = part.after;
    if (part.after) part.after.before = part.before;
  }
}

function unlift<Input>(entry: Entry<Input>): void {
  for (const part of [entry.end, entry]) {
    if (!part) continue;
    part.before!.after = part;
    if (part.after) part.after.before = part;
  }
}

/** Notes a state of the search; false when it has been there. */
function remember(tried: Set<string>, done: Uint32Array, id: number, state: string): boolean {
  const text = `${String.fromCharCode(...new Uint16Array(flipped(done, id).buffer))}|${state}`;
  if (tried.has(text)) return false;
  tried.add(text);
  return true;
}

function flipped(done: Uint32Array, id: number): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(done);
  next[id >> 5]! ^= 1 << (id & 31);
  return next;
}
