/**
 * Texts that match a regular expression, for the common part of RE2: literals, classes, groups, alternatives, anchors and repetitions.
 *
 * @module
 */
import { type Regex, regexOf } from "../../util/regex.ts";

/** Longer patterns, and more repetitions, are not tried. */
const MAX_PATTERN_LENGTH = 1000;
const MAX_REPEATS = 256;
/** Longer texts are not made: repetitions of repetitions grow without end. */
const MAX_TEXT_LENGTH = 4096;

/** Thrown inside of this module, for unsupported syntax. */
class NotKnown extends Error {
  override readonly name = "NotKnown";
}

/** Returns some texts that match a pattern as a whole, the shortest first; none where the pattern is beyond this module. */
export function textsOf(pattern: string): readonly string[] {
  if (pattern.length > MAX_PATTERN_LENGTH) return [];
  let regex: Regex;
  try {
    regex = regexOf(pattern);
  } catch {
    return [];
  }
  const texts = [0, 1].flatMap((choice) => {
    try {
      return [new Writer(pattern, choice).text()];
    } catch (error) {
      if (error instanceof NotKnown) return [];
      throw error;
    }
  });
  return [...new Set(texts)].filter((text) => regex.test(text));
}

const ESCAPED_CLASSES: Readonly<Record<string, string>> = { d: "01", w: "ab", s: " ", D: "ab", W: "-.", S: "ab" };
const ESCAPED_CHARACTERS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v" };

/** Characters for a set that excludes some. */
const OTHERS = "abcxyz019-_./ ".split("");

/** Writes one text while it reads the pattern. With the choice 1 it takes other alternatives and characters, and repeats once more. */
class Writer {
  readonly #pattern: string;
  readonly #choice: number;
  #at = 0;

  constructor(pattern: string, choice: number) {
    this.#pattern = pattern;
    this.#choice = choice;
  }

  text(): string {
    const text = this.#alternatives();
    if (this.#at < this.#pattern.length) throw new NotKnown();
    return text;
  }

  #alternatives(): string {
    const all = [this.#sequence()];
    while (this.#takes("|")) all.push(this.#sequence());
    return all[Math.min(this.#choice, all.length - 1)]!;
  }

  #sequence(): string {
    let text = "";
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at]!)) {
      const piece = this.#atom();
      const repeats = this.#repeats();
      if (text.length + piece.length * repeats > MAX_TEXT_LENGTH) throw new NotKnown();
      text += piece.repeat(repeats);
    }
    return text;
  }

  #atom(): string {
    const character = this.#next();
    switch (character) {
      case "^":
      case "$":
        return "";
      case ".":
        return this.#one("ab");
      case "(":
        return this.#group();
      case "[":
        return this.#one(this.#set());
      case "\\":
        return this.#escaped();
      case "*":
      case "+":
      case "?":
        throw new NotKnown();
      default:
        return character;
    }
  }

  #group(): string {
    if (this.#takes("?") && !this.#takes(":")) {
      // A group with a name; what else begins so changes flags.
      if (!this.#takes("P<") && !this.#takes("<")) throw new NotKnown();
      while (this.#next() !== ">");
    }
    const text = this.#alternatives();
    if (!this.#takes(")")) throw new NotKnown();
    return text;
  }

  #escaped(): string {
    const character = this.#next();
    if ("Az".includes(character)) return "";
    const set = ESCAPED_CLASSES[character];
    if (set !== undefined) return this.#one(set);
    if (ESCAPED_CHARACTERS[character] !== undefined) return ESCAPED_CHARACTERS[character];
    if (/[A-Za-z0-9]/.test(character)) throw new NotKnown();
    return character;
  }

  /** Some characters of a set. */
  #set(): string {
    const excludes = this.#takes("^");
    const ranges: (readonly [string, string])[] = [];
    for (let isFirst = true; isFirst || !this.#takes("]"); isFirst = false) {
      if (this.#pattern.startsWith("[:", this.#at)) throw new NotKnown();
      const start = this.#setCharacter();
      if (start.length === 1 && this.#pattern[this.#at] === "-" && this.#pattern[this.#at + 1] !== "]") {
        this.#at++;
        ranges.push([start, this.#setCharacter()]);
      } else {
        ranges.push(...start.split("").map((one) => [one, one] as const));
      }
    }
    if (!excludes) return ranges.flatMap(charactersOf).join("");
    const isExcluded = (one: string): boolean => ranges.some(([from, to]) => from <= one && one <= to);
    return OTHERS.filter((one) => !isExcluded(one)).join("");
  }

  #setCharacter(): string {
    const character = this.#next();
    if (character !== "\\") return character;
    const escaped = this.#next();
    return ESCAPED_CLASSES[escaped] ?? ESCAPED_CHARACTERS[escaped] ?? escaped;
  }

  /** How often the previous atom is repeated. */
  #repeats(): number {
    const [least, most] = this.#bounds();
    this.#takes("?");
    const repeats = Math.min(least + this.#choice, most);
    if (repeats > MAX_REPEATS) throw new NotKnown();
    return repeats;
  }

  #bounds(): readonly [number, number] {
    if (this.#takes("*")) return [0, Infinity];
    if (this.#takes("+")) return [1, Infinity];
    if (this.#takes("?")) return [0, 1];
    if (this.#pattern[this.#at] !== "{") return [1, 1];
    const end = this.#pattern.indexOf("}", this.#at);
    const [least = "", most = least] = this.#pattern.slice(this.#at + 1, end).split(",");
    if (end < 0 || !/^\d+$/.test(least) || !/^\d*$/.test(most)) throw new NotKnown();
    this.#at = end + 1;
    return [Number(least), most === "" ? Infinity : Number(most)];
  }

  #one(characters: string): string {
    const one = characters[Math.min(this.#choice, characters.length - 1)];
    if (one === undefined) throw new NotKnown();
    return one;
  }

  #next(): string {
    const character = this.#pattern[this.#at++];
    if (character === undefined) throw new NotKnown();
    return character;
  }

  #takes(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

/** The first characters of a range. */
function charactersOf([from, to]: readonly [string, string]): string[] {
  const first = from.charCodeAt(0);
  return [first, first + 1].filter((code) => code <= to.charCodeAt(0)).map((code) => String.fromCharCode(code));
}
