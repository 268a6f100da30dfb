import { exactText, parseExactText } from "../../value/exact-text.ts";
import { utf8Text } from "../../value/utf8.ts";
import { type Value, isObject } from "../../value/value.ts";
import type { ResponseRecorder } from "../request/recorder.ts";

/** A longer response is not kept: otherwise events would need several times the memory of the largest lists. */
const MAX_CHARACTERS = 16 << 20;

/** Keeps the response to a request as the text in its event: JSON on one line (AUDIT-16). */
export class KeptResponse implements ResponseRecorder {
  readonly #omitManagedFields: boolean;
  #parts: string[] = [];
  #length = 0;
  #items = -1;
  /** Whether there was a response that was too long to keep. */
  isTooLong = false;

  constructor(omitManagedFields: boolean) {
    this.#omitManagedFields = omitManagedFields;
  }

  bytes(json: Uint8Array | readonly Uint8Array[]): void {
    const whole = json instanceof Uint8Array ? utf8Text(json) : json.map(utf8Text).join("");
    this.#set(this.#shown(whole));
  }

  value(value: unknown): void {
    if (isObject(value) && typeof value["kind"] === "string") this.#set(exactText(value));
  }

  list(head: string, member: string): void {
    this.#set(`${head.slice(0, -1)},"${member}":[`);
    this.#items = 0;
  }

  item(json: Uint8Array): void {
    if (this.isTooLong) return;
    this.#add(`${this.#items++ === 0 ? "" : ","}${this.#shown(utf8Text(json))}`);
  }

  /** The text; undefined where there was no response with an object, or one that was too long. */
  get text(): string | undefined {
    if (this.#parts.length === 0) return undefined;
    return `${this.#parts.join("")}${this.#items < 0 ? "" : "]}"}`;
  }

  #set(text: string): void {
    this.#parts = [];
    this.#length = 0;
    this.#items = -1;
    this.#add(text);
  }

  #add(text: string): void {
    this.#length += text.length;
    this.isTooLong = this.#length > MAX_CHARACTERS;
    if (this.isTooLong) this.#parts = [];
    else this.#parts.push(text);
  }

  #shown(json: string): string {
    return this.#omitManagedFields ? withoutManagedFields(json) : json;
  }
}

/** An object, a row of a table, or a table, without the owners of fields (AUDIT-8). */
function withoutManagedFields(json: string): string {
  if (!json.includes('"managedFields"')) return json;
  const value = parseExactText(json);
  disown(value);
  if (isObject(value)) {
    disown(value["object"]);
    const { rows } = value;
    if (Array.isArray(rows)) for (const row of rows) if (isObject(row)) disown(row["object"]);
  }
  return exactText(value);
}

function disown(value: Value | undefined): void {
  if (!isObject(value)) return;
  const { metadata } = value;
  if (isObject(metadata)) delete metadata["managedFields"];
}
