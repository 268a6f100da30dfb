/**
 * A parser of the text format of Prometheus, as far as `/metrics` uses it.
 *
 * It scans each line once, keeps only the families that the caller names, and has bounds, so that no text makes the page slow.
 *
 * @module
 */

/** One value of a family, with its labels. */
export interface Sample {
  /** The labels as the server writes them, always in the same order: what a line is in one reading, it is in the next. */
  readonly key: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** Samples by the name of their line. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/** The longest text in characters that is read; what follows is left out. */
export const MAX_TEXT_LENGTH = 4 * 1024 * 1024;
/** The most samples that are kept of all families together. */
export const MAX_SAMPLES = 20_000;
/** The most labels of one sample. */
const MAX_LABELS = 32;

/** What was read, and whether it is all of it. */
export interface Exposition {
  readonly samples: Samples;
  /** Whether a bound left samples out. */
  readonly isCut: boolean;
}

/**
 * Returns the samples of lines whose name is wanted. A line that is malformed is skipped.
 *
 * @param wanted the names of lines, such as `x_bucket`
 */
export function parseExposition(text: string, wanted: ReadonlySet<string>): Exposition {
  const samples = new Map<string, Sample[]>();
  let kept = 0;
  let isCut = text.length > MAX_TEXT_LENGTH;
  const end = Math.min(text.length, MAX_TEXT_LENGTH);
  for (let at = 0; at < end;) {
    const newline = text.indexOf("\n", at);
    const stop = newline < 0 || newline > end ? end : newline;
    const name = nameAt(text, at, stop);
    if (name !== "" && wanted.has(name)) {
      if (kept >= MAX_SAMPLES) {
        isCut = true;
        break;
      }
      const sample = sampleOf(text.slice(at, stop), name);
      if (sample) {
        const family = samples.get(name);
        if (family) family.push(sample);
        else samples.set(name, [sample]);
        kept++;
      }
    }
    at = stop + 1;
  }
  return { samples, isCut };
}

const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 58) || code === 95;

/** The name at the beginning of a line; empty for comments. */
function nameAt(text: string, from: number, stop: number): string {
  let at = from;
  while (at < stop && isNameCharacter(text.charCodeAt(at))) at++;
  return text.slice(from, at);
}

function sampleOf(line: string, name: string): Sample | undefined {
  const labels = new Map<string, string>();
  let at = name.length;
  if (line[at] === "{") {
    at++;
    while (line[at] !== "}") {
      const equals = line.indexOf('="', at);
      if (equals < 0 || labels.size >= MAX_LABELS) return undefined;
      const value = quotedAt(line, equals + 2);
      if (!value) return undefined;
      labels.set(line.slice(at, equals).trim(), value.text);
      at = value.end;
      if (line[at] === ",") at++;
      else if (line[at] !== "}") return undefined;
    }
    at++;
  }
  const value = numberOf(line.slice(at).trim().split(" ", 1)[0] ?? "");
  return value === undefined ? undefined : { key: line.slice(name.length, at), labels, value };
}

/** The text up to the closing quote, without escapes, and the position behind the quote. */
function quotedAt(line: string, from: number): { readonly text: string; readonly end: number } | undefined {
  let text = "";
  let start = from;
  for (let at = from; at < line.length; at++) {
    const character = line[at];
    if (character === '"') return { text: text + line.slice(start, at), end: at + 1 };
    if (character !== "\\") continue;
    const escaped = line[at + 1];
    text += line.slice(start, at) + (escaped === "n" ? "\n" : (escaped ?? ""));
    at++;
    start = at + 1;
  }
  return undefined;
}

function numberOf(text: string): number | undefined {
  if (text === "+Inf") return Infinity;
  if (text === "-Inf") return -Infinity;
  if (text === "" || text === "NaN") return undefined;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}
