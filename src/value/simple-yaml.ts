/**
 * The subset of YAML that programs write into settings: maps and lists in block style, texts without quotes, true and false.
 *
 * It serves small programs: the whole decoder in `yaml.ts` takes some megabytes of memory. Both return the same value for the
 * subset; for any other text the result here is undefined, and the caller uses the whole decoder.
 *
 * @module
 */
import { withoutTrailing } from "../util/scan.ts";
import type { Value, ValueObject } from "./value.ts";

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** A key and its value. */
const MEMBER = /^([A-Za-z][\w.-]*):(?: +(\S.*))?$/;
/** A text that is no number, no time and no other scalar of YAML. */
const TEXT = /^[A-Za-z/][\w+/=.:@-]*$/;
/** Words that some versions of YAML do not read as texts. */
const WORD = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

/** Thrown inside of this module. */
class NotSimple extends Error {
  override readonly name = "NotSimple";
}

/** Decodes a text; undefined where it is not in the subset. */
export function simpleYaml(text: string): ValueObject | undefined {
  try {
    return new Reader(linesOf(text)).whole();
  } catch (error) {
    if (error instanceof NotSimple) return undefined;
    throw error;
  }
}

function linesOf(text: string): Line[] {
  const lines = text.split("\n").filter((line) => !/^ *(?:#.*)?$/.test(line));
  return lines.map((line) => {
    const indent = line.search(/[^ ]/);
    return { indent, text: withoutTrailing(line.slice(indent), " ") };
  });
}

class Reader {
  readonly #lines: Line[];
  #at = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  whole(): ValueObject {
    const map = this.#map(0);
    if (this.#at < this.#lines.length) throw new NotSimple();
    return map;
  }

  /** Reads the members that begin in one column; at least one. */
  #map(indent: number): ValueObject {
    const map: ValueObject = {};
    for (let line = this.#next(); line?.indent === indent && !isItem(line); line = this.#next()) {
      const [, key, text] = MEMBER.exec(line.text) ?? [];
      if (key === undefined || WORD.test(key) || Object.hasOwn(map, key)) throw new NotSimple();
      this.#at++;
      map[key] = text === undefined ? this.#below(indent) : scalar(text);
    }
    if (Object.keys(map).length === 0) throw new NotSimple();
    return map;
  }

  /** Reads the value below a key: a map with a larger indentation, or a list, which may begin in the column of the key. */
  #below(indent: number): Value {
    const line = this.#next();
    if (line === undefined || line.indent < indent) throw new NotSimple();
    if (isItem(line)) return this.#list(line.indent);
    return line.indent > indent ? this.#map(line.indent) : fail();
  }

  #list(indent: number): Value[] {
    const list: Value[] = [];
    for (let line = this.#next(); line?.indent === indent && isItem(line); line = this.#next()) {
      const text = line.text.slice(2);
      if (MEMBER.test(text)) {
        this.#lines[this.#at] = { indent: indent + 2, text };
        list.push(this.#map(indent + 2));
      } else {
        this.#at++;
        list.push(scalar(text));
      }
    }
    return list;
  }

  #next(): Line | undefined {
    return this.#lines[this.#at];
  }
}

const isItem = ({ text }: Line): boolean => text.startsWith("- ");

function fail(): never {
  throw new NotSimple();
}

function scalar(text: string): string | boolean {
  if (text === "true" || text === "false") return text === "true";
  if (!TEXT.test(text) || text.endsWith(":") || WORD.test(text)) throw new NotSimple();
  return text;
}
