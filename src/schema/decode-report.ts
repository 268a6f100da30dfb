import { asJsonNumber } from "../value/value.ts";

/** The types of JSON, by the names that clients know from other servers. */
export type JsonType = "null" | "array" | "number" | "string" | "bool" | "object";

/** A value of another type than the schema says. */
export interface Mismatch {
  /** Dotted, such as `items[0].y`; empty for the body itself. */
  readonly path: string;
  /** What would have been right: `a string`, `a list`. */
  readonly expected: string;
  /** What stood there: `the number 5`, `a list`. A text or a bare number may be secret where texts and bytes are expected. */
  readonly got: string;
  /** The JSON type of what stood there. */
  readonly type: JsonType;
}

/** How many members a map, and how many elements a list may have: each is owned by itself, and costs some microseconds. */
export const MOST_SIDE_BY_SIDE = 16_384;

// Nobody reads more than this, and a body of 3 MiB can hold a million unknown members.
const MOST = 100;
// Who asks for these asks for members that an object has once.
const MOST_LEFT_OUT = 32;
const MOST_ROUNDED = 32;

/** What a walk found wrong, and where it is; paths are built only when something is. At most 100 of each are kept. */
export class DecodeReport {
  /** Dotted paths of members that the schema does not know; they are dropped from the object. */
  readonly unknown: string[] = [];
  readonly mismatches: Mismatch[] = [];
  /** Dotted paths of lists and maps that were sent empty and are left out of the object; the first 32. */
  readonly empty: string[] = [];
  /** What became of integers that no 64 bits hold, in whole sentences; the first 32. */
  readonly rounded: string[] = [];
  /** The place of the first map or list that has more than {@link MOST_SIDE_BY_SIDE}. */
  excess: string | undefined = undefined;
  readonly #path: (string | number)[] = [];
  readonly #hides: boolean;

  /** @param hides whether no value is told: those of an object that holds secrets */
  constructor(hides = false) {
    this.#hides = hides;
  }

  /** Steps into a member or an element. */
  enter(step: string | number): void {
    this.#path.push(step);
  }

  /** Steps back out. */
  leave(): void {
    this.#path.pop();
  }

  /**
   * Tells that the value here is not what was expected; returns it, to stand where it stood. The value itself is told
   * only where `shown`: it may be the password that was meant for a Secret.
   */
  mismatch(expected: string, got: unknown, shown = false): unknown {
    if (this.mismatches.length < MOST) {
      const type = typeName(got);
      this.mismatches.push({
        path: this.#here(),
        expected,
        got: shown && !this.#hides ? valueName(got, type) : NAMES[type],
        type,
      });
    }
    return got;
  }

  /** Tells how many members or elements are here. */
  count(sideBySide: number): void {
    if (sideBySide > MOST_SIDE_BY_SIDE) this.excess ??= this.#here();
  }

  /** Tells that the struct here has no member of this name. */
  unknownMember(key: string): void {
    if (this.unknown.length < MOST) this.unknown.push(this.#below(key));
  }

  /** Tells that the list or map of this name was sent empty and is left out. */
  leftOut(key: string): void {
    if (this.empty.length < MOST_LEFT_OUT) this.empty.push(this.#below(key));
  }

  /** Tells that the integer here, which no 64 bits hold, is kept as another number: the nearest double. */
  round(text: string, kept: number): void {
    if (this.rounded.length >= MOST_ROUNDED || this.#hides) return;
    this.rounded.push(
      `${this.#here()}: the integer ${cut(text)} does not fit into 64 bits and is stored as the number ${kept}`,
    );
  }

  #below(key: string): string {
    this.enter(key);
    const path = this.#here();
    this.leave();
    return path;
  }

  #here(): string {
    let text = "";
    for (const step of this.#path) text += typeof step === "number" ? `[${step}]` : text ? `.${step}` : step;
    return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
  }
}

const NAMES: Readonly<Record<JsonType, string>> = {
  null: "null",
  array: "a list",
  number: "a number",
  string: "a text",
  bool: "true or false",
  object: "an object",
};

function typeName(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (asJsonNumber(value) || typeof value === "number") return "number";
  return typeof value === "string" ? "string" : typeof value === "boolean" ? "bool" : "object";
}

function valueName(value: unknown, type: JsonType): string {
  if (type !== "string" && type !== "number") return NAMES[type];
  const text = JSON.stringify(asJsonNumber(value)?.text ?? value);
  return `${type === "string" ? "the text" : "the number"} ${cut(text)}`;
}

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
