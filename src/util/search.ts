/**
 * Searches for a text in another one in linear time.
 *
 * A search for `"a".repeat(n) + "b"` with the methods of `String` takes a time that grows with the product of the lengths. So
 * these serve short texts; others are searched with the algorithm of Knuth, Morris and Pratt, which reads each character once.
 *
 * @module
 */

const MAX_SHORT_LENGTH = 8;
/** A product of lengths that takes some microseconds at worst. */
const MAX_SMALL_PRODUCT = 1 << 14;

const isSmall = (text: string, part: string): boolean =>
  part.length <= MAX_SHORT_LENGTH || text.length * part.length <= MAX_SMALL_PRODUCT;

/** Returns the same as `text.indexOf(part, from)`. */
export function indexIn(text: string, part: string, from = 0): number {
  return isSmall(text, part) ? text.indexOf(part, from) : new Search(part).next(text, from);
}

/** Returns the same as `text.lastIndexOf(part)`. */
export function lastIndexIn(text: string, part: string): number {
  return isSmall(text, part) ? text.lastIndexOf(part) : new Search(part).last(text);
}

/** Returns the same as `text.split(by)`; `by` is not empty. */
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
  /** For the length of each prefix of the part: the length of its longest proper prefix that is also its suffix. */
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

  /** The length of the match after one more character. */
  #after(matched: number, char: number): number {
    let length = matched;
    while (length > 0 && this.#part.charCodeAt(length) !== char) length = this.#borders[length]!;
    return this.#part.charCodeAt(length) === char ? length + 1 : length;
  }

  /** Returns the first position from an index on; -1 without a match. */
  next(text: string, from: number): number {
    for (let at = from, matched = 0; at < text.length; at++) {
      matched = this.#after(matched, text.charCodeAt(at));
      if (matched === this.#part.length) return at + 1 - matched;
    }
    return -1;
  }

  /** Returns the last position; -1 without a match. */
  last(text: string): number {
    let found = -1;
    for (let at = 0, matched = 0; at < text.length; at++) {
      matched = this.#after(matched === this.#part.length ? this.#borders[matched]! : matched, text.charCodeAt(at));
      if (matched === this.#part.length) found = at + 1 - matched;
    }
    return found;
  }
}
