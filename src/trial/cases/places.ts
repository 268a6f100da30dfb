/**
 * Where an expression stands in its file.
 *
 * A document is compared with the file without blanks, quotes and backslashes: so an expression is found in a plain or quoted text and in
 * a block, folded or not.
 *
 * @module
 */

/** A text without the characters that YAML may add or leave out, with the line of each character that is left. */
interface Compact {
  readonly text: string;
  readonly lines: readonly number[];
}

const LEFT_OUT: ReadonlySet<string> = new Set([" ", "\t", "\r", "\n", '"', "'", "\\"]);

function compactOf(text: string, first = 1): Compact {
  const kept: string[] = [];
  const lines: number[] = [];
  let line = first;
  for (const character of text) {
    if (character === "\n") line++;
    if (LEFT_OUT.has(character)) continue;
    for (let i = 0; i < character.length; i++) lines.push(line);
    kept.push(character);
  }
  return { text: kept.join(""), lines };
}

/** Finds the expressions of one file, one after the other. */
export class Places {
  readonly #file: Compact;
  /** Where the search for the next expression begins, by document. */
  readonly #next = new Map<string, number>();

  constructor(text: string) {
    this.#file = compactOf(text);
  }

  /**
   * The lines of the characters of an expression, without those that were left out; undefined where it is not found.
   *
   * @param document the name of the document, from which on the expressions are looked for in their order
   * @param anchor a text before the first expression of the document, such as the name of the policy
   */
  find(document: string, anchor: string, source: string): ((offset: number) => number) | undefined {
    const { text, lines } = this.#file;
    const compact = compactOf(source).text;
    const from = this.#next.get(document) ?? Math.max(text.indexOf(`name:${compactOf(anchor).text}`), 0);
    const at = text.indexOf(compact, from);
    if (at < 0 || compact === "") return undefined;
    this.#next.set(document, at + compact.length);
    return (offset) => {
      const before = compactOf([...source].slice(0, offset).join("")).text.length;
      return lines[Math.min(at + before, lines.length - 1)] ?? 1;
    };
  }
}
