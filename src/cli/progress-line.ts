/**
 * Progress of commands on standard error: one line that is rewritten on a terminal and removed at the end, lines now and then
 * elsewhere.
 *
 * @module
 */
import { type Progress, type ProgressDisplay, progressOn } from "../util/progress.ts";
import type { Actions } from "./actions.ts";

/** Where lines are written. */
export interface ProgressOutput {
  readonly tell: (text: string) => void;
  /** The width of the terminal; undefined where it is none. */
  readonly columns: () => number | undefined;
}

/** The start of the line, and the end of what it had. */
const CLEAR = "\r\u001b[K";
/** A terminal that does not tell its width has this one. */
const WIDTH = 80;

/** How often a terminal gets a line. */
const ON_TERMINAL = { firstMillis: 200, everyMillis: 100 };
/** How often a log or a pipe gets one. */
export const IN_LOG = { firstMillis: 2000, everyMillis: 10_000 };

/** Returns the display of a command. */
export const progressDisplay = ({ tell, columns }: ProgressOutput): ProgressDisplay =>
  columns() === undefined
    ? {
        ...IN_LOG,
        show: ({ text }) => tell(`${text}\n`),
        done: (note) => note && tell(`${note.text}\n`),
      }
    : {
        ...ON_TERMINAL,
        show: ({ text }) => tell(lineOf(text, columns())),
        done: (note) => note && tell(CLEAR),
      };

/** A text in place of the line before it, as much as fits: a line that wraps could not be rewritten. */
export const lineOf = (text: string, columns: number | undefined): string =>
  `${CLEAR}${text.slice(0, (columns || WIDTH) - 1)}`;

/** Removes the line. */
export const CLEAR_LINE = CLEAR;

/** Runs work whose progress is shown on standard error. */
export async function withProgress<T>(
  { terminal, clock }: Pick<Actions, "terminal" | "clock">,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const { tell, errorColumns = () => undefined } = terminal;
  const progress = progressOn(clock, progressDisplay({ tell, columns: errorColumns }));
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
