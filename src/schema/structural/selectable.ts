/**
 * Selectable fields of custom objects (CRD-26).
 *
 * @module
 */
import type { Value } from "../../value/value.ts";
import type { ApiObject } from "../definition.ts";
import { fieldPathOf } from "./field-path.ts";
import { memberAt } from "./member-path.ts";

/** The selectable fields by their names in selectors, with functions to read them as texts, empty where they are missing. */
export function selectableFieldsOf(
  fields: readonly { readonly jsonPath: string }[],
): Readonly<Record<string, (object: ApiObject) => string>> {
  return Object.fromEntries(
    fields.map(({ jsonPath }) => {
      const steps = fieldPathOf(jsonPath) ?? [];
      return [jsonPath.replace(/^\./, ""), (object: ApiObject) => textOf(memberAt(object as unknown as Value, steps))];
    }),
  );
}

function textOf(value: Value | undefined): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
