import { JsonNumber } from "../value/value.ts";

/** A value of another type than the schema says. */
export interface Mismatch {
  /** Dotted, such as `items[0].y`; empty for the body itself. */
  readonly path: string;
  /** What would have been right: `a string`, `a list`. */
  readonly expected: string;
  /** What stood there: `the number 5`, `a list`. */
  readonly got: string;
}

// Nobody reads more than this, and a body of 3 MiB can hold a million unknown members.
const MOST = 100;

/** What a walk found wrong, and where it is; paths are built only when something is. At most 100 of each are kept. */
export class DecodeReport {
  /** Dotted paths of members that the schema does not know; they are dropped from the object. */
  readonly unknown: string[] = [];
  readonly mismatches: Mismatch[] = [];
  readonly #path: (string | number)[] = [];

  /** Steps into a member or an element. */
  enter(step: string | number): void {
    this.#path.push(step);
  }

  /** Steps back out. */
  leave(): void {
    this.#path.pop();
  }

  /** Tells that the value here is not what was expected; returns it, to stand where it stood. */
  mismatch(expected: string, got: unknown): unknown {
    if (this.mismatches.length < MOST) this.mismatches.push({ path: this.#here(), expected, got: name(got) });
    return got;
  }

  /** Tells that the struct here has no member of this name. */
  unknownMember(key: string): void {
    if (this.unknown.length >= MOST) return;
    this.enter(key);
    this.unknown.push(this.#here());
    this.leave();
  }

  #here(): string {
    let text = "";
    for (const step of this.#path) text += typeof step === "number" ? `[${step}]` : text ? `.${step}` : step;
    return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
  }
}

function name(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof JsonNumber) return `the number ${value.text.slice(0, 40)}`;
  switch (typeof value) {
    case "string":
      return value.length > 60
        ? `the text ${JSON.stringify(value.slice(0, 60))}…`
        : `the text ${JSON.stringify(value)}`;
    case "number":
      return `the number ${value}`;
    case "boolean":
      return String(value);
    default:
      return "an object";
  }
}
