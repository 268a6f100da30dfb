/**
 * Objects inside of objects: each says what it is, and its metadata has the form of any other (CRD-44).
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { dns1035Label, pathSegmentName } from "../../meta/names.ts";
import type { ObjectMeta } from "../../meta/object-meta.ts";
import { validateObjectMeta } from "../../meta/object-meta-rules.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import { type Structural, propertyOf, valuesOf } from "./schema.ts";

const holding = new WeakMap<Structural, boolean>();

/** Whether there is an embedded object at this place or below. */
function holdsObjects(schema: Structural): boolean {
  let holds = holding.get(schema);
  if (holds === undefined) {
    const below = [...Object.values(schema.properties ?? {}), schema.items, valuesOf(schema)];
    holds =
      schema["x-kubernetes-embedded-resource"] === true || below.some((one) => one !== undefined && holdsObjects(one));
    holding.set(schema, holds);
  }
  return holds;
}

/** Tells what is wrong with the embedded objects below a value; paths begin with `path`. */
export function validateEmbedded(
  schema: Structural,
  value: Value,
  path: string,
  errors: FieldErrors,
  dialect: Dialect,
): void {
  if (!holdsObjects(schema)) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const [i, item] of value.entries()) validateEmbedded(items, item, `${path}[${i}]`, errors, dialect);
  } else if (isObject(value)) {
    if (schema["x-kubernetes-embedded-resource"]) validateObject(value, path, errors, dialect);
    for (const key of Object.keys(value)) {
      const member = propertyOf(schema, key);
      const values = member ? undefined : valuesOf(schema);
      const place = values ? `${path}[${key}]` : below(path, key);
      if (member ?? values) validateEmbedded((member ?? values)!, value[key]!, place, errors, dialect);
    }
  }
}

const below = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

function validateObject(value: ValueObject, path: string, errors: FieldErrors, dialect: Dialect): void {
  const { apiVersion, kind, metadata } = value;
  if (apiVersion === undefined) errors.required(below(path, "apiVersion"));
  else if (typeof apiVersion !== "string" || !/^(?:[^/]+\/)?[^/]+$/.test(apiVersion)) {
    errors.invalid(below(path, "apiVersion"), apiVersion, "expected GROUP/VERSION or VERSION");
  }
  if (kind === undefined) errors.required(below(path, "kind"));
  else {
    const why = typeof kind === "string" && kind !== "" ? dns1035Label(kind.toLowerCase()) : "expected a text";
    if (why !== undefined) errors.invalid(below(path, "kind"), kind, why);
  }
  if (isObject(metadata ?? null)) {
    // A name is not required.
    const meta: ObjectMeta = { name: "any", ...(metadata as ObjectMeta) };
    meta.name ||= "any";
    const own = new FieldErrors();
    validateObjectMeta(meta, own, { namespaced: Boolean(meta.namespace), nameRule: pathSegmentName, dialect });
    for (const { reason, field = "", message } of own.causes) errors.add(reason, below(path, field), message);
  }
}
