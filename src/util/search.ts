/**
 * Where a text stands in another one, in a time that grows with both together.
 *
 * The methods of texts do that for short ones only: looking for `"a".repeat(n) + "b"` among many more letters takes them a
 * time that grows with the product of the lengths. Others are looked for as Knuth, Morris and Pratt do, who read each character
 * once.
 *
 * @module
 */

const SHORT = 8;
/** A product of lengths that takes some microseconds at worst. */
const FEW_TRIES = 1 << 14;

const isSmall = (text: string, part: string): boolean => part.length <= SHORT || text.length * part.length <= FEW_TRIES;

/** As `text.indexOf(part, from)`. */
export function indexIn(text: string, part: string, from = 0): number {
  return isSmall(text, part) ? text.indexOf(part, from) : new Search(part).next(text, from);
}

/** As `text.lastIndexOf(part)`. */
export function lastIndexIn(text: string, part: string): number {
  return isSmall(text, part) ? text.lastIndexOf(part) : new Search(part).last(text);
}

/** As `text.split(by)`; `by` is not empty. */
export function splitBy(text: string, by: string): string[] {
  if (isSmall(text, by)) return text.split(by);
  const search = new Search(by);
  const parts: string[] = [];
  let at = 0;
  for (let found = search.next(text, 0); found >= 0; found = search.next(text, at)) {
    parts.push(text.slice(at, found));
    at = found + by.length;
  }
  parts.push(text.slice(at));
  return parts;
}

class Search {
  readonly #part: string;
  /** For each length of a beginning of the part: the longest shorter beginning that is also its end. */
  readonly #borders: Int32Array;

  constructor(part: string) {
    this.#part = part;
    this.#borders = new Int32Array(part.length + 1);
    let border = 0;
    for (let i = 1; i < part.length; i++) {
      border = this.#after(border, part.charCodeAt(i));
      this.#borders[i + 1] = border;
    }
  }

  /** How much of the part stands at the end of a text, where `matched` of it stood there before one more character. */
  #after(matched: number, char: number): number {
    let length = matched;
    while (length > 0 && this.#part.charCodeAt(length) !== char) length = this.#borders[length]!;
    return this.#part.charCodeAt(length) === char ? length + 1 : length;
  }

  /** The first place from an index on; -1 where there is none. */
  next(text: string, from: number): number {
    for (let at = from, matched = 0; at < text.length; at++) {
      matched = this.#after(matched, text.charCodeAt(at));
      if (matched === this.#part.length) return at + 1 - matched;
    }
    return -1;
  }

  /** The last place; -1 where there is none. */
  last(text: string): number {
    let found = -1;
    for (let at = 0, matched = 0; at < text.length; at++) {
      matched = this.#after(matched === this.#part.length ? this.#borders[matched]! : matched, text.charCodeAt(at));
      if (matched === this.#part.length) found = at + 1 - matched;
    }
    return found;
  }
}
