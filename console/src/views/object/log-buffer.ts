/** The most lines of a log that are kept, and the most characters of them together. */
export const LOG_LIMIT = { lines: 5000, characters: 2_000_000, line: 10_000 } as const;

/** The end of a log: its last lines, within a bound. */
export class LogBuffer {
  #lines: string[] = [];
  #open = "";
  #characters = 0;
  /** How many lines were left out at the beginning. */
  dropped = 0;

  /** Adds a piece of the log, which may begin and end within a line. */
  add(piece: string): void {
    const parts = piece.split("\n");
    const [first = ""] = parts;
    this.#grow(first);
    for (const part of parts.slice(1)) {
      this.#push(this.#open);
      this.#open = "";
      this.#grow(part);
    }
  }

  /** The lines that are kept; the last one may not be complete. */
  lines(): readonly string[] {
    return this.#open === "" ? [...this.#lines] : [...this.#lines, this.#open];
  }

  #grow(part: string): void {
    if (this.#open.length < LOG_LIMIT.line) this.#open = (this.#open + part).slice(0, LOG_LIMIT.line);
  }

  #push(line: string): void {
    this.#lines.push(line.endsWith("\r") ? line.slice(0, -1) : line);
    this.#characters += line.length;
    // Much at once, so that a line costs little.
    if (this.#lines.length <= LOG_LIMIT.lines && this.#characters <= LOG_LIMIT.characters) return;
    const gone = this.#lines.splice(0, Math.max(1, Math.floor(this.#lines.length / 5)));
    this.dropped += gone.length;
    for (const one of gone) this.#characters -= one.length;
  }
}
