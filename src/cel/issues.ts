import type { Issue } from "./ast.ts";

/** More mistakes than these are not told, nor more than so many characters: each repeats its line, which may be long. */
const MOST = 100;
const MOST_CHARACTERS = 1 << 20;

/** Issues as a text: each with its line, and a caret below the place. */
export function issuesText(source: string, issues: readonly Issue[]): string {
  // Nothing was written: there is no line to show, and no place in it.
  if (source === "") return issues.map(({ message }) => `ERROR: <input>:1:0: ${message}`).join("\n");
  const lines = new Lines(source);
  const told: string[] = [];
  let room = MOST_CHARACTERS;
  for (const issue of issues.toSorted((a, b) => a.at - b.at).slice(0, MOST)) {
    if (room <= 0) break;
    const text = lines.show(issue);
    told.push(text);
    room -= text.length;
  }
  const left = issues.length - told.length;
  return told.join("\n") + (left > 0 ? `\n${left} more errors were truncated` : "");
}

/** A line of a source as it is shown. */
interface Line {
  readonly number: number;
  /** Where it begins, in code points. */
  readonly start: number;
  readonly text: string;
  /** What stands below it: a dot for each code point, as wide as that. */
  readonly dots: string;
}

/** The lines of a source, each made once. Issues are asked for in the order of their places. */
class Lines {
  /** Places are counted in code points; where each is one unit, a source of a megabyte is not taken apart. */
  readonly #points: string | readonly string[];
  #line: Line;

  constructor(source: string) {
    this.#points = PAIRS.test(source) ? Array.from(source) : source;
    this.#line = this.#lineFrom(0, 1);
  }

  show({ at, message }: Issue): string {
    for (let next = this.#next(); next !== undefined && next <= at; next = this.#next())
      this.#line = this.#lineFrom(next, this.#line.number + 1);
    const { number, start, text, dots } = this.#line;
    const column = at - start;
    const caret = dots[column] === WIDE_DOT ? "＾" : "^";
    return `ERROR: <input>:${number}:${column + 1}: ${message}\n | ${text}\n | ${dots.slice(0, column)}${caret}`;
  }

  /** Where the next line begins. */
  #next(): number | undefined {
    const end = this.#points.indexOf("\n", this.#line.start);
    return end < 0 ? undefined : end + 1;
  }

  #lineFrom(start: number, number: number): Line {
    const end = this.#points.indexOf("\n", start);
    const points = this.#points.slice(start, end < 0 ? this.#points.length : end);
    const text = typeof points === "string" ? points : points.join("");
    const isPlain = Buffer.byteLength(text) === points.length;
    const dots = isPlain ? ".".repeat(points.length) : Array.from(points, dotOf).join("");
    return { number, start, text: text.replaceAll("\t", " "), dots };
  }
}

const PAIRS = /[\ud800-\udfff]/;
const WIDE_DOT = "．";
const dotOf = (point: string): string => (Buffer.byteLength(point) > 1 ? WIDE_DOT : ".");
