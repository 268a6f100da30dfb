import { asJsonNumber } from "../value/value.ts";

/** The types of JSON, by their names in messages of Kubernetes. */
export type JsonType = "null" | "array" | "number" | "string" | "bool" | "object";

/** A value of another type than that of the schema. */
export interface Mismatch {
  /** Dotted, such as `items[0].y`; empty for the body itself. */
  readonly path: string;
  /** The expected type: `a string`, `a list`. */
  readonly expected: string;
  /** What was found: `the number 5`, `a list`. A string or number may be secret where strings and bytes are expected. */
  readonly got: string;
  /** The JSON type of what was found. */
  readonly type: JsonType;
}

/** The limit of members of a map and of elements of a list: each has owners, and costs some microseconds. */
export const MAX_MEMBERS = 16_384;

// A body of 3 MiB may have a million unknown members.
const MAX_REPORTED = 100;
// The rules that read these need few members of an object.
const MAX_EMPTY = 32;
const MAX_ROUNDED = 32;

/** The findings of a walk with their paths, which are built only for findings. At most 100 of each are kept. */
export class DecodeReport {
  /** Dotted paths of unknown members, which are dropped from the object. */
  readonly unknown: string[] = [];
  readonly mismatches: Mismatch[] = [];
  /** Dotted paths of lists and maps that were sent empty and are left out of the object; the first 32. */
  readonly empty: string[] = [];
  /** Warnings about integers that exceed 64 bits; the first 32. */
  readonly rounded: string[] = [];
  /** The path of the first map or list that has more than {@link MAX_MEMBERS}. */
  excess: string | undefined = undefined;
  readonly #path: (string | number)[] = [];
  readonly #hides: boolean;

  /** @param hides whether values are hidden, as for an object with secrets */
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
   * Reports a mismatch at the current path and returns the value. The report has the value itself only if `shown`: it may be
   * a password in the wrong field.
   */
  mismatch(expected: string, got: unknown, shown = false): unknown {
    if (this.mismatches.length < MAX_REPORTED) {
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

  /** Checks the number of members or elements at the current path. */
  count(members: number): void {
    if (members > MAX_MEMBERS) this.excess ??= this.#here();
  }

  /** Reports an unknown member of the struct at the current path. */
  unknownMember(key: string): void {
    if (this.unknown.length < MAX_REPORTED) this.unknown.push(this.#below(key));
  }

  /** Reports a list or map that was sent empty and is left out. */
  leftOut(key: string): void {
    if (this.empty.length < MAX_EMPTY) this.empty.push(this.#below(key));
  }

  /** Reports an integer that exceeds 64 bits and becomes the nearest double. */
  round(text: string, kept: number): void {
    if (this.rounded.length >= MAX_ROUNDED || this.#hides) return;
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
