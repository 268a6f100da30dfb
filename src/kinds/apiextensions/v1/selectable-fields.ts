/**
 * Fields that selectors may name: at most eight scalars outside of metadata (CRD-26).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { type Structural, propertyOf, valuesOf } from "../../../schema/structural/schema.ts";
import { fieldPathOf } from "../../../schema/structural/field-path.ts";
import type { Version } from "./definition.ts";
import { same } from "../../rules/same.ts";

const MAX_FIELDS = 8;
const SELECTABLE = ["string", "boolean", "integer"];

/** Validates the selectable fields of a version; unchanged ones of the `old` version may be too many. */
export function validateSelectableFields(
  version: Version,
  old: Version["selectableFields"],
  path: string,
  errors: FieldErrors,
): void {
  const fields = version.selectableFields ?? [];
  if (fields.length === 0) return;
  const schema = version.schema?.openAPIV3Schema as Structural | undefined;
  if (!schema) return errors.invalid(path, "", "expected a schema that has the fields");
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const place = `${path}[${i}].jsonPath`;
    if (!jsonPath) {
      errors.required(place, "expected a path");
      continue;
    }
    const steps = fieldPathOf(jsonPath);
    const found = steps && schemaAt(schema, steps);
    if (!steps || !found) {
      errors.invalid(place, jsonPath, "expected a path of members that the schema knows, such as .spec.color");
      continue;
    }
    if (steps[0] === "metadata") errors.invalid(place, jsonPath, "expected a field outside of metadata");
    if (!SELECTABLE.includes(found.type ?? "")) {
      errors.invalid(place, jsonPath, `expected a field of type ${SELECTABLE.join(", ")}`);
    }
    const key = JSON.stringify(steps);
    if (seen.has(key)) errors.duplicate(place, jsonPath);
    seen.add(key);
  }
  const hadTooMany = (old?.length ?? 0) > MAX_FIELDS && same(old, fields);
  if (seen.size > MAX_FIELDS && !hadTooMany) errors.tooMany(path, seen.size, MAX_FIELDS);
}

function schemaAt(schema: Structural, steps: readonly string[]): Structural | undefined {
  let at: Structural | undefined = schema;
  for (const step of steps) at = at && (propertyOf(at, step) ?? valuesOf(at));
  return at;
}
