/**
 * Embedded objects: each has apiVersion and kind, and metadata like any other (CRD-44).
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { dns1035Label, pathSegmentName } from "../../meta/names.ts";
import type { ObjectMeta } from "../../meta/object-meta.ts";
import { validateObjectMeta } from "../../meta/object-meta-rules.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import { type Structural, anywhere, memberAt, partsOf } from "./schema.ts";

/** Whether the schema or one below it is an embedded object. */
const hasEmbedded = anywhere((schema) => schema["x-kubernetes-embedded-resource"] === true);

/** Validates the embedded objects below a value; paths begin with `path`. */
export function validateEmbedded(
  schema: Structural,
  value: Value,
  path: string,
  errors: FieldErrors,
  dialect: Dialect,
): void {
  if (!hasEmbedded(schema)) return;
  if (schema["x-kubernetes-embedded-resource"] && isObject(value)) validateObject(value, path, errors, dialect);
  for (const part of partsOf(schema, value, path)) {
    validateEmbedded(part.schema, part.value, part.path, errors, dialect);
  }
}

function validateObject(value: ValueObject, path: string, errors: FieldErrors, dialect: Dialect): void {
  const { apiVersion, kind, metadata } = value;
  if (apiVersion === undefined) errors.required(memberAt(path, "apiVersion"));
  else if (typeof apiVersion !== "string" || !/^(?:[^/]+\/)?[^/]+$/.test(apiVersion)) {
    errors.invalid(memberAt(path, "apiVersion"), apiVersion, "expected GROUP/VERSION or VERSION");
  }
  if (kind === undefined) errors.required(memberAt(path, "kind"));
  else {
    const why = typeof kind === "string" && kind !== "" ? dns1035Label(kind.toLowerCase()) : "expected a text";
    if (why !== undefined) errors.invalid(memberAt(path, "kind"), kind, why);
  }
  if (isObject(metadata ?? null)) {
    // A name is not required.
    const meta: ObjectMeta = { name: "any", ...(metadata as ObjectMeta) };
    meta.name ||= "any";
    const own = new FieldErrors();
    validateObjectMeta(meta, own, { namespaced: Boolean(meta.namespace), nameRule: pathSegmentName, dialect });
    for (const { reason, field = "", message } of own.causes) errors.add(reason, memberAt(path, field), message);
  }
}
