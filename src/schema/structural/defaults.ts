/**
 * Validates the defaults of a schema: they are pruned and valid for the schema itself (CRD-42).
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import type { Steps } from "../../util/steps.ts";
import { type Value, clone } from "../../value/value.ts";
import { validateEmbedded } from "./embedded.ts";
import { OBJECT_MEMBERS, type Structural, valuesOf } from "./schema.ts";
import { validatorOf } from "./validate.ts";
import { prunedBy } from "./walker.ts";

/** How defaults are validated. */
export interface DefaultCheck {
  readonly dialect: Dialect;
  /** Whether defaults may have unknown members, because those of the schema before had. */
  readonly mayBeUnpruned: boolean;
  /** Evaluates the rules of a schema for a value; causes have paths below it. */
  readonly judge: (schema: Structural, value: Value, path: string, errors: FieldErrors) => void;
}

/** Validates the defaults of a structural schema, with paths of the schema; in steps, since there may be many. */
export function* checkDefaults(
  schema: Structural,
  path: string,
  check: DefaultCheck,
  errors: FieldErrors,
): Steps<void> {
  yield* walk({ schema, path, around: wrapRoot, insideHead: false, isRoot: true }, check, errors);
}

/** A position in a schema, and the object around a value at that position. */
interface Place {
  readonly schema: Structural;
  readonly path: string;
  /** An object with nothing but a value at this position. */
  readonly around: (value: Value) => Value;
  readonly insideHead: boolean;
  readonly isRoot: boolean;
}

const HEAD = { apiVersion: "validation/v1", kind: "Validation" } as const;
const wrapRoot = (value: Value): Value => ({ ...HEAD, ...(value as { [key: string]: Value }) });

function* walk(place: Place, check: DefaultCheck, errors: FieldErrors): Steps<void> {
  yield;
  const { schema, path } = place;
  const isEmbedded = place.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const around = isEmbedded ? wrapRoot : place.around;
  const insideHead = isEmbedded ? false : place.insideHead;
  if (schema.default !== undefined && schema.default !== null) {
    const whole = place.isRoot ? { ...schema, "x-kubernetes-embedded-resource": true } : schema;
    checkOne(whole, insideHead ? around : undefined, `${path}.default`, check, errors);
  }
  const below = (next: Structural, at: string, inside: boolean, wrap: (value: Value) => Value): Steps<void> =>
    walk({ schema: next, path: `${path}.${at}`, around: wrap, insideHead: inside, isRoot: false }, check, errors);
  if (schema.items) yield* below(schema.items, "items", insideHead, (value) => around([value]));
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const isHead = isEmbedded && OBJECT_MEMBERS.has(name);
    yield* below(member, `properties[${name}]`, insideHead || isHead, (value) => around({ [name]: value }));
  }
  const values = valuesOf(schema);
  if (values) yield* below(values, "additionalProperties", insideHead, (value) => around({ key: value }));
}

function checkOne(
  schema: Structural,
  around: ((value: Value) => Value) | undefined,
  path: string,
  check: DefaultCheck,
  errors: FieldErrors,
): void {
  const value = schema.default!;
  const own = new FieldErrors();
  if (around) {
    const whole: Structural = { type: "object", "x-kubernetes-embedded-resource": true };
    const { malformed } = prunedBy(whole, around(clone(value)), check.dialect);
    if (!malformed) validateEmbedded(whole, around(clone(value)), "", own, check.dialect);
    if (malformed || own.any) return errors.invalid(path, value, "expected it to make valid metadata");
  } else {
    const { malformed, unknown } = prunedBy(schema, value, check.dialect);
    if (malformed) return errors.invalid(path, value, "expected an object with valid metadata");
    // The schema does not describe metadata.
    if (!check.mayBeUnpruned && unknown.some((one) => !/(?:^|\.)metadata\./.test(one))) {
      errors.invalid(path, value, "expected no unknown members");
    }
    validateEmbedded(schema, value, path, own, check.dialect);
  }
  if (!own.any) validatorOf(withoutTypes(schema)).validate(value, undefined, own);
  if (!own.any) check.judge(schema, value, path, own);
  for (const { reason, field = "", message } of own.causes) errors.add(reason, placed(path, field), message);
}

/** The schema without int-or-string: such a default is validated by all keywords but its type, as in the reference. */
const withoutTypes = (schema: Structural): Structural =>
  schema["x-kubernetes-int-or-string"] ? { ...schema, "x-kubernetes-int-or-string": false } : schema;

/** The path of a cause below a default; that of the default where the cause has none. */
const placed = (path: string, field: string): string =>
  field === "<nil>" || field === "" ? path : field.startsWith(path) ? field : `${path}.${field}`;
