/**
 * YAML as machines write it for settings: maps and lists in block style, of texts that need no quotes, true and false.
 *
 * For programs that are to be small: the whole of YAML, in `yaml.ts`, is some megabytes of memory. What is read here is read
 * alike there; for everything else the answer is undefined, and whoever asked asks there.
 *
 * @module
 */
import { withoutTrailing } from "../util/scan.ts";
import type { Value, ValueObject } from "./value.ts";

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** A key, and what follows it. */
const MEMBER = /^([A-Za-z][\w.-]*):(?: +(\S.*))?$/;
/** Neither a number nor a time, and nothing that YAML reads anything into. */
const TEXT = /^[A-Za-z/][\w+/=.:@-]*$/;
/** What some YAML reads as something other than a text. */
const WORD = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

/** Thrown inside only. */
class NotSimple extends Error {
  override readonly name = "NotSimple";
}

/** The value of a text; undefined where it is not simple, be it another form of YAML or none. */
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

  /** The members that begin in one column; at least one. */
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

  /** What stands below a key: a map further in, or a list, which may begin where the key does. */
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
