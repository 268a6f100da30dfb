/**
 * A search for one order of operations that explains all their answers: Wing and Gong's algorithm with Lowe's memory of
 * what has been tried (the same as porcupine and Knossos), over any sequential model.
 *
 * It knows nothing of revisions, logs or watches, so it is a second opinion on what {@link Times} concludes. It takes
 * exponential time in the worst case: it ends after a number of steps and says so.
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
  const sorted = calls.toSorted((a, b) => a.call - b.call);
  const head = linked(sorted);
  const done = new Done(sorted.length);
  let left = sorted.filter(({ optional }) => !optional).length;
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
    done.remove(last.entry.id);
    if (!last.entry.call!.optional) left++;
    unlift(last.entry);
    entry = last.entry.after;
  }
  return "undecided";
}

/**
 * Which operations have been placed. They are numbered by their beginnings, so nearly all of the first ones are and
 * nearly none of the last ones: the text has what is between.
 */
class Done {
  readonly #bits: Uint8Array;
  /** All before it are placed. */
  #low = 0;
  /** None from it on is. */
  #high = 0;

  constructor(size: number) {
    this.#bits = new Uint8Array(size);
  }

  add(id: number): void {
    this.#bits[id] = 1;
    this.#high = Math.max(this.#high, id + 1);
    while (this.#bits[this.#low] === 1) this.#low++;
  }

  remove(id: number): void {
    this.#bits[id] = 0;
    this.#low = Math.min(this.#low, id);
    while (this.#high > 0 && this.#bits[this.#high - 1] === 0) this.#high--;
  }

  text(): string {
    let text = `${this.#low}:`;
    for (let id = this.#low; id < this.#high; id += 16) {
      let unit = 0;
      for (let bit = 0; bit < 16; bit++) unit |= (this.#bits[id + bit] ?? 0) << bit;
      text += String.fromCharCode(unit);
    }
    return text;
  }
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

/** Places an operation and notes where the search has come; false, with nothing placed, when it has been there. */
function remember(tried: Set<string>, done: Done, id: number, state: string): boolean {
  done.add(id);
  const text = `${done.text()}|${state}`;
  if (tried.has(text)) {
    done.remove(id);
    return false;
  }
  tried.add(text);
  return true;
}
