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
  readonly line: ChangingLine;
  /** The width of the terminal; undefined where it is none. */
  readonly columns: () => number | undefined;
}

/** Moves the cursor to the start of the line, and erases the line. */
const CLEAR = "\r\u001b[K";

/**
 * A terminal whose last line changes. All output goes through it: other text is printed above the line.
 */
export class ChangingLine {
  readonly #write: (text: string) => void;
  /** Empty for none. */
  #line = "";

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Replaces the line, cut to the width: a line that wraps could not be replaced. */
  show(text: string, columns: number | undefined): void {
    this.#line = text.slice(0, (columns || WIDTH) - 1);
    this.#write(CLEAR + this.#line);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#line !== "") this.#write(CLEAR);
    this.#line = "";
  }

  /** Writes complete lines above it. */
  write(lines: string): void {
    this.#write(this.#line === "" ? lines : CLEAR + lines + this.#line);
  }
}

/** The width of a terminal that does not report its width. */
const WIDTH = 80;

/** How often a terminal gets a line. */
const ON_TERMINAL = { firstMillis: 200, everyMillis: 100 };
/** How often a log or a pipe gets one. */
export const IN_LOG = { firstMillis: 2000, everyMillis: 10_000 };

/** Returns the display of a command. */
export const progressDisplay = ({ line, columns }: ProgressOutput): ProgressDisplay =>
  columns() === undefined
    ? {
        ...IN_LOG,
        show: ({ text }) => line.write(`${text}\n`),
        done: (note) => note && line.write(`${note.text}\n`),
      }
    : {
        ...ON_TERMINAL,
        show: ({ text }) => line.show(text, columns()),
        done: () => line.clear(),
      };

/** Runs work and displays its progress on standard error. */
export async function withProgress<T>(
  { terminal, clock }: Pick<Actions, "terminal" | "clock">,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const { tell, errorColumns = () => undefined } = terminal;
  const progress = progressOn(clock, progressDisplay({ line: new ChangingLine(tell), columns: errorColumns }));
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
