import type { CauseReason, StatusCause } from "./status.ts";

/**
 * Collects the errors of an object by field, so that one response has all of them (ERR-5).
 *
 * Paths are dotted (`spec.drivers[0].name`, `data[a b]`); build them only where an error is added.
 */
export class FieldErrors {
  readonly causes: StatusCause[] = [];
  #characters = 0;
  readonly #show: (value: unknown) => string;
  /** The list or map that was shown last. */
  #last: { readonly value: object; readonly text: string } | undefined;

  /** @param hides whether messages hide values, as for an object with secrets */
  constructor(hides = false) {
    this.#show = hides ? () => HIDDEN : (value) => this.#showOnce(value);
  }

  /** Formats a list or map once, although a thousand causes may show it. */
  #showOnce(value: unknown): string {
    if (typeof value !== "object" || value === null) return show(value);
    if (this.#last?.value !== value) this.#last = { value, text: show(value) };
    return this.#last.text;
  }

  get any(): boolean {
    return this.causes.length > 0;
  }

  /** The field must be set and not empty. */
  required(field: string, why?: string): void {
    this.#add("FieldValueRequired", field, why === undefined ? "Required value" : `Required value: ${why}`);
  }

  /** The value is invalid; `why` is what was expected. */
  invalid(field: string, got: unknown, why: string): void {
    if (this.#isFull) return;
    this.#add("FieldValueInvalid", field, `Invalid value: ${this.#show(got)}: ${why}`);
  }

  /** The value is not in the set of supported ones. */
  notSupported(field: string, got: unknown, supported: Iterable<string>): void {
    if (this.#isFull) return;
    const list = [...supported].map((s) => JSON.stringify(s)).join(", ");
    this.#add("FieldValueNotSupported", field, `Unsupported value: ${this.#show(got)}: supported values: ${list}`);
  }

  /** The value is in the list twice. */
  duplicate(field: string, got: unknown): void {
    if (this.#isFull) return;
    this.#add("FieldValueDuplicate", field, `Duplicate value: ${this.#show(got)}`);
  }

  /** No object has the name. */
  notFound(field: string, name: string): void {
    if (this.#isFull) return;
    this.#add("FieldValueNotFound", field, `Not found: ${this.#show(name)}`);
  }

  /** The field may not be set, or not changed, here. */
  forbidden(field: string, why: string): void {
    this.#add("FieldValueForbidden", field, `Forbidden: ${why}`);
  }

  /** The text has more than `max` bytes. */
  tooLong(field: string, max: number): void {
    this.#add("FieldValueTooLong", field, `Too long: may not be more than ${max} bytes`);
  }

  /** The list or map has more than `max` entries. */
  tooMany(field: string, got: number, max: number): void {
    this.#add("FieldValueTooMany", field, `Too many: ${got}: must have at most ${max} entries`);
  }

  /** The value does not have the JSON type of the schema. */
  typeInvalid(field: string, got: unknown, why: string): void {
    if (this.#isFull) return;
    this.#add("FieldValueTypeInvalid", field, `Invalid value: ${this.#show(got)}: ${why}`);
  }

  /** A value as messages of this object may show it. */
  shown(value: unknown): string {
    return this.#show(value);
  }

  /** A cause of any reason; `message` begins like those of that reason. */
  add(reason: CauseReason, field: string, message: string): void {
    this.#add(reason, field, message);
  }

  /** Removes the causes after the first `count`. */
  truncate(count: number): void {
    for (const { field = "", message } of this.causes.splice(count)) this.#characters -= field.length + message.length;
  }

  /** Whether no more causes are added; then values need not be formatted. */
  get #isFull(): boolean {
    return this.causes.length >= MAX_CAUSES || this.#characters >= MAX_CHARACTERS;
  }

  #add(reason: CauseReason, field: string, message: string): void {
    if (this.#isFull) return;
    this.causes.push({ reason, message, field });
    this.#characters += field.length + message.length;
  }
}

/** A body may have hundreds of thousands of errors. */
const MAX_CAUSES = 1000;
/** Names of members may be as long as a body, and are repeated in each error below them. */
const MAX_CHARACTERS = 1_000_000;

/** The text for a hidden value, as in Kubernetes. */
const HIDDEN = '"<secret contents redacted>"';

/** A value in a message: JSON, cut when long, so that no response repeats a megabyte of input. */
function show(value: unknown): string {
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, MAX_VALUE_CHARACTERS) : value) ?? "null";
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}

const MAX_VALUE_CHARACTERS = 200;
