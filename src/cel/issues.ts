import type { Issue } from "./ast.ts";

/** The limits of a report; each issue repeats its line, which may be long. */
const MAX_ISSUES = 100;
const MAX_CHARACTERS = 1 << 20;

/** The report of issues: each with its line, and a caret below the position. */
export function issuesText(source: string, issues: readonly Issue[]): string {
  // An empty expression has no line to show.
  if (source === "") return issues.map(({ message }) => `ERROR: <input>:1:0: ${message}`).join("\n");
  const lines = new Lines(source);
  const reports: string[] = [];
  let remaining = MAX_CHARACTERS;
  for (const issue of issues.toSorted((a, b) => a.at - b.at).slice(0, MAX_ISSUES)) {
    if (remaining <= 0) break;
    const text = lines.show(issue);
    reports.push(text);
    remaining -= text.length;
  }
  const left = issues.length - reports.length;
  return reports.join("\n") + (left > 0 ? `\n${left} more errors were truncated` : "");
}

/** A line of a source in a report. */
interface Line {
  readonly number: number;
  /** The position of its first code point. */
  readonly start: number;
  readonly text: string;
  /** A dot for each code point, of the same width. */
  readonly dots: string;
}

/** The lines of a source; issues are shown in the order of their positions. */
class Lines {
  /** Positions count code points; a source without surrogates needs no array. */
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

  /** The start of the next line. */
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
