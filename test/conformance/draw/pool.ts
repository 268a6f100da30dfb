/**
 * What scenarios and bodies of Go clients say in members of each name: values as people and programs write them, and the
 * mistakes that somebody has thought of.
 *
 * @module
 */
import type { Schema } from "./change.ts";

const MOST_OF_A_NAME = 60;
const LONGEST = 2000;

/** Values by the name of the member that they stand in. */
export class Pool {
  readonly #byName = new Map<string, Map<string, unknown>>();

  /** Takes in everything that is in a body. */
  add(value: unknown, name = ""): void {
    if (Array.isArray(value)) for (const item of value) this.add(item, name);
    else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        this.#keep(key, member);
        this.add(member, key);
      }
    }
  }

  /** Those of a name that are of the type of a schema; no numbers that a real server would wrap around. */
  of(name: string, schema: Schema): readonly unknown[] {
    const type = schema.format === "int-or-string" || schema.format === "quantity" ? "" : schema.type;
    const isSmall = (value: unknown): boolean => schema.format !== "int32" || Math.abs(value as number) < 2 ** 31;
    return [...(this.#byName.get(name)?.values() ?? [])].filter(
      (value) => (type === "" || typeOf(value) === type) && isSmall(value),
    );
  }

  #keep(name: string, value: unknown): void {
    const text = JSON.stringify(value);
    if (value === null || text.length > LONGEST || (text.includes("{") && /\{[a-z]+[:}]/.test(text))) return;
    const known = this.#byName.get(name) ?? new Map<string, unknown>();
    this.#byName.set(name, known);
    if (known.size < MOST_OF_A_NAME) known.set(text, value);
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? "integer" : typeof value;
}
