/**
 * Brings edits of a text to a newer version of that text, line by line.
 *
 * @module
 */
import { diffSteps } from "../../../src/util/line-diff.ts";
import type { Steps } from "../../../src/util/steps.ts";

/** The result of {@link mergeEdits}. */
export interface Merged {
  readonly text: string;
  /** Lines (from 0) of edits that changed what the newer version changes too; the edit stands there. */
  readonly conflicts: readonly number[];
}

/** A change of a text: lines `from` to `to` of it are these instead. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/**
 * Makes the newer version with the edits, in steps. Where both change the same lines in different ways, the edit wins and is
 * named; what both add at the same place is there from both.
 */
export function* mergeEdits(base: string, edited: string, newer: string): Steps<Merged> {
  // That the last line has no end is no edit.
  const ended = base.endsWith("\n") && !edited.endsWith("\n") ? `${edited}\n` : edited;
  const [before, mine, theirs] = [base.split("\n"), ended.split("\n"), newer.split("\n")];
  const edits = yield* changesOf(before, mine);
  const others = yield* changesOf(before, theirs);
  const lines: string[] = [];
  const conflicts: number[] = [];
  let at = 0;
  let [i, j] = [0, 0];
  while (i < edits.length || j < others.length) {
    const edit = edits[i];
    const other = others[j];
    const from = Math.min(edit?.from ?? Infinity, other?.from ?? Infinity);
    append(lines, before, at, from);
    // All changes that touch each other are one.
    let to = from;
    const [firstEdit, firstOther] = [i, j];
    for (;;) {
      if (i < edits.length && touches(edits[i]!, from, to)) to = Math.max(to, edits[i++]!.to);
      else if (j < others.length && touches(others[j]!, from, to)) to = Math.max(to, others[j++]!.to);
      else break;
    }
    const [ours, given] = [
      applied(before, edits.slice(firstEdit, i), from, to),
      applied(before, others.slice(firstOther, j), from, to),
    ];
    const isMine = i > firstEdit;
    const isConflict = isMine && j > firstOther && ours.join("\n") !== given.join("\n");
    if (isConflict && from === to) append(lines, given);
    // Where the edit has removed the lines, the line behind them is named.
    if (isConflict) for (let n = 0; n < Math.max(1, ours.length); n++) conflicts.push(lines.length + n);
    append(lines, isMine ? ours : given);
    at = to;
  }
  append(lines, before, at);
  return { text: lines.join("\n"), conflicts };
}

const touches = ({ from, to }: Change, start: number, end: number): boolean =>
  from === start || from < end || (from === end && to === from && start === end);

/** Adds lines; there may be more than a call can have arguments. */
function append(to: string[], lines: readonly string[], from = 0, end = lines.length): void {
  for (let at = from; at < end; at++) to.push(lines[at]!);
}

/** The lines from `from` to `to` with changes. */
function applied(before: readonly string[], changes: readonly Change[], from: number, to: number): string[] {
  const lines: string[] = [];
  let at = from;
  for (const change of changes) {
    append(lines, before, at, change.from);
    append(lines, change.lines);
    at = change.to;
  }
  append(lines, before, at, to);
  return lines;
}

function* changesOf(before: readonly string[], after: readonly string[]): Steps<Change[]> {
  const changes: { from: number; to: number; readonly lines: string[] }[] = [];
  let at = 0;
  let open: (typeof changes)[number] | undefined;
  for (const { sign, text } of yield* diffSteps(before, after)) {
    if (sign === " ") {
      open = undefined;
      at++;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      changes.push(open);
    }
    if (sign === "+") open.lines.push(text);
    else open.to = ++at;
  }
  return changes;
}
