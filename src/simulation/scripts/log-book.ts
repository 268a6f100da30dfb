/** The logs of containers: the last lines of the present start and of the one before. */
import { flatCopy } from "../../util/flat-copy.ts";
import type { ContainerLog, LogLine } from "../contract.ts";

/** The size of a log in characters. */
const MAX_CHARACTERS = 256 << 10;
const MAX_LINE = 16 << 10;

/** The log of one start of a container. */
export class LogOfStart implements ContainerLog {
  readonly #lines: LogLine[] = [];
  readonly #listeners = new Set<(line: LogLine | undefined) => void>();
  #characters = 0;
  #first = 0;
  dropped = 0;
  ended = false;

  get lines(): readonly LogLine[] {
    return this.#first === 0 ? this.#lines : this.#lines.slice(this.#first);
  }

  /** Adds the lines of a text. */
  write(at: number, text: string): void {
    const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
    for (const line of whole.split("\n")) this.#add({ at, text: flatCopy(line.slice(0, MAX_LINE)) });
  }

  /** The last lines, at most so many characters. */
  tail(lines: number, characters: number): string {
    const text = this.lines
      .slice(-lines)
      .map((line) => `${line.text}\n`)
      .join("");
    return text.slice(-characters);
  }

  follow(listener: (line: LogLine | undefined) => void): Disposable {
    if (this.ended) listener(undefined);
    else this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** No line follows. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    for (const listener of this.#listeners) listener(undefined);
    this.#listeners.clear();
  }

  #add(line: LogLine): void {
    this.#lines.push(line);
    this.#characters += line.text.length + 1;
    while (this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#lines[this.#first]!.text.length + 1;
      this.#first++;
      this.dropped++;
    }
    if (this.#first > 1024 && this.#first * 2 > this.#lines.length) {
      this.#lines.splice(0, this.#first);
      this.#first = 0;
    }
    for (const listener of this.#listeners) listener(line);
  }
}
