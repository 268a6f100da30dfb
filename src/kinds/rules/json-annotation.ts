import type { Dialect } from "../../meta/dialect.ts";
import type { Static, TSchema } from "../../meta/types.ts";
import { DecodeReport, walkerOf } from "../../schema/walker.ts";
import { DecodeError } from "../../value/decode-error.ts";
import { decodeJson } from "../../value/json.ts";
import type { Value } from "../../value/value.ts";

/** The JSON of an annotation, null where it is empty; or its fault. */
export type Said<T> = { readonly value: T | null } | { readonly wrong: string };

/** Parses an annotation with JSON of a schema; unknown members are dropped. */
export function jsonAnnotation<T extends TSchema>(text: string, schema: T, dialect: Dialect): Said<Static<T>> {
  const said = parse(text);
  if ("wrong" in said || said.value === null) return said as Said<Static<T>>;
  const report = new DecodeReport();
  const value: unknown = walkerOf(schema, { dialect }).decode(said.value, report);
  const [mismatch] = report.mismatches;
  if (!mismatch) return { value: value as Static<T> };
  return { wrong: `expected ${mismatch.expected} at ${mismatch.path || "the top"}, got ${mismatch.got}` };
}

function parse(text: string): Said<Value> {
  try {
    return { value: decodeJson(Buffer.from(text)).value };
  } catch (error) {
    if (error instanceof DecodeError) return { wrong: error.message };
    throw error;
  }
}
