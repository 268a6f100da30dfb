import type { CauseReason, StatusCause } from "./status.ts";

/**
 * Collects what is wrong with an object, field by field, so that one answer tells all of it (ERR-5).
 *
 * Paths are dotted (`spec.drivers[0].name`, `data[a b]`); build them only where an error is added.
 */
export class FieldErrors {
  readonly causes: StatusCause[] = [];
  #characters = 0;
  readonly #show: (value: unknown) => string;
  /** The list or map that was shown last. */
  #last: { readonly value: object; readonly text: string } | undefined;

  /** @param hides whether no message may say a value: those of an object that holds secrets */
  constructor(hides = false) {
    this.#show = hides ? () => HIDDEN : (value) => this.#showOnce(value);
  }

  /** Each of a thousand causes may show the same list of sixteen thousand elements. */
  #showOnce(value: unknown): string {
    if (typeof value !== "object" || value === null) return show(value);
    if (this.#last?.value !== value) this.#last = { value, text: show(value) };
    return this.#last.text;
  }

  get any(): boolean {
    return this.causes.length > 0;
  }

  /** The field must be there and not empty. */
  required(field: string, why?: string): void {
    this.#add("FieldValueRequired", field, why === undefined ? "Required value" : `Required value: ${why}`);
  }

  /** The value has the wrong form; `why` says what was expected. */
  invalid(field: string, got: unknown, why: string): void {
    if (this.#isFull) return;
    this.#add("FieldValueInvalid", field, `Invalid value: ${this.#show(got)}: ${why}`);
  }

  /** The value is none of the closed set. */
  notSupported(field: string, got: unknown, supported: Iterable<string>): void {
    if (this.#isFull) return;
    const list = [...supported].map((s) => JSON.stringify(s)).join(", ");
    this.#add("FieldValueNotSupported", field, `Unsupported value: ${this.#show(got)}: supported values: ${list}`);
  }

  /** The value stands in the list twice. */
  duplicate(field: string, got: unknown): void {
    if (this.#isFull) return;
    this.#add("FieldValueDuplicate", field, `Duplicate value: ${this.#show(got)}`);
  }

  /** Nothing has the name. */
  notFound(field: string, name: string): void {
    if (this.#isFull) return;
    this.#add("FieldValueNotFound", field, `Not found: ${this.#show(name)}`);
  }

  /** The field may not be set, or not changed, here. */
  forbidden(field: string, why: string): void {
    this.#add("FieldValueForbidden", field, `Forbidden: ${why}`);
  }

  /** The text has more than `most` bytes. */
  tooLong(field: string, most: number): void {
    this.#add("FieldValueTooLong", field, `Too long: may not be more than ${most} bytes`);
  }

  /** The list or map has more than `most` entries. */
  tooMany(field: string, got: number, most: number): void {
    this.#add("FieldValueTooMany", field, `Too many: ${got}: must have at most ${most} entries`);
  }

  /** The value has another JSON type than the schema says. */
  typeInvalid(field: string, got: unknown, why: string): void {
    if (this.#isFull) return;
    this.#add("FieldValueTypeInvalid", field, `Invalid value: ${this.#show(got)}: ${why}`);
  }

  /** A value as messages of this object may show it. */
  shown(value: unknown): string {
    return this.#show(value);
  }

  /** A cause of any reason; `message` begins as others of that reason do. */
  add(reason: CauseReason, field: string, message: string): void {
    this.#add(reason, field, message);
  }

  /** Forgets what was told after so many causes. */
  truncate(count: number): void {
    for (const { field = "", message } of this.causes.splice(count)) this.#characters -= field.length + message.length;
  }

  /** What is told no more is not printed either. */
  get #isFull(): boolean {
    return this.causes.length >= MOST_CAUSES || this.#characters >= MOST_CHARACTERS;
  }

  #add(reason: CauseReason, field: string, message: string): void {
    if (this.#isFull) return;
    this.causes.push({ reason, message, field });
    this.#characters += field.length + message.length;
  }
}

/** A body can hold hundreds of thousands of mistakes; nobody reads on after this many. */
const MOST_CAUSES = 1000;
/** Names of members can be as long as a body, and each mistake below says them. */
const MOST_CHARACTERS = 1_000_000;

/** What stands for a value that is not told, in words that clients know. */
const HIDDEN = '"<secret contents redacted>"';

/** A value in a message: JSON, cut when long, so that no answer repeats a megabyte of input. */
function show(value: unknown): string {
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, MOST_SHOWN) : value) ?? "null";
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

const MOST_SHOWN = 200;
