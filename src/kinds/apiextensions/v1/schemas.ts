/**
 * The schemas of a definition: structural, with valid defaults; faults are reported for all versions or for one (CRD-40..46).
 *
 * @module
 */
import { addViolations, checkRules, validateRules } from "../../../cel/rules/index.ts";
import type { Schema as RuleSchema } from "../../../cel/schema/declaration.ts";
import type { Dialect } from "../../../meta/dialect.ts";
import { FieldErrors } from "../../../meta/field-errors.ts";
import {
  type Exemptions,
  type SchemaValue,
  checkSchema,
  exemptionsOf,
  unsupportedSchemas,
} from "../../../schema/structural/check.ts";
import { checkDefaults } from "../../../schema/structural/defaults.ts";
import type { Structural } from "../../../schema/structural/schema.ts";
import { type Steps, atOnce } from "../../../util/steps.ts";
import type { Value } from "../../../value/value.ts";
import type { CustomResourceDefinition, Version } from "./definition.ts";
import { same } from "../../rules/same.ts";

/** Rules that do not apply to schemas, because they were violated before. */
export interface SchemaChecks {
  readonly dialect: Dialect;
  /** The versions of the old definition; none for a new one. */
  readonly before: readonly Version[];
}

/** The checks of a definition; `old` for a changed one. */
export const checksOf = (dialect: Dialect, old: CustomResourceDefinition | undefined): SchemaChecks => ({
  dialect,
  before: old?.spec.versions ?? [],
});

const schemaOf = (version: Version): SchemaValue | undefined =>
  version.schema?.openAPIV3Schema as SchemaValue | undefined;

/** Validates the schemas of the versions; `placeOf` returns the path of each. */
export function* validateSchemas(
  versions: readonly Version[],
  placeOf: (i: number) => string,
  { dialect, before }: SchemaChecks,
  errors: FieldErrors,
): Steps<void> {
  const hadAll = before.every((version) => schemaOf(version) !== undefined);
  const byName = new Map(before.map((version) => [version.name, version]));
  const once = new Set<string>();
  const relaxed = before.length === 0 ? undefined : yield* allRelaxed(before);
  for (const [i, version] of versions.entries()) {
    const schema = schemaOf(version);
    if (!schema) {
      const isNeeded = hadAll || version.served;
      if (isNeeded) errors.required(`spec.versions[${i}].schema.openAPIV3Schema`, "expected the schema of the version");
      continue;
    }
    const path = `${placeOf(i)}.openAPIV3Schema`;
    if (once.has(path)) continue;
    once.add(path);
    // A schema of all versions must be valid for each.
    const shared = path.startsWith("spec.validation");
    const hasStatus = (shared ? versions : [version]).some(({ subresources }) => subresources?.status !== undefined);
    // An unchanged schema was validated when it was written.
    const old = byName.get(version.name);
    const isUnchanged = old !== undefined && same(schemaOf(old), schema);
    const own = new FieldErrors();
    const isStructural = yield* checkSchema(schema, path, { hasStatus, ...(relaxed ? { before: relaxed } : {}) }, own);
    const faults = own.causes.map(({ field = "" }) => field);
    if (isStructural && !isUnchanged) {
      yield* checkDefaults(schema as Structural, path, { dialect, mayBeUnpruned: false, judge: judgeDefault }, own);
    }
    // Rules are read where the schema has a form and its defaults fit.
    const reads = isStructural && own.causes.length === faults.length;
    if (!isUnchanged) {
      const unread = yield* unsupportedSchemas(schema);
      const isReadable = (one: RuleSchema): boolean => !unread.has(one);
      yield* checkRules(schema as RuleSchema, path, { faults, reads, isReadable }, own);
    }
    for (const { reason, field = "", message } of own.causes) errors.add(reason, field, message);
    yield;
  }
}

/** A default is validated both as an old value and as a new one (CRD-42). */
function judgeDefault(schema: Structural, value: Value, _path: string, errors: FieldErrors): void {
  const isObject = schema["x-kubernetes-embedded-resource"] === true;
  for (const old of [value, undefined]) {
    const { violations } = atOnce(validateRules(schema as RuleSchema, value, { isObject, old, ratchets: false }));
    addViolations(violations, errors);
    if (violations.length > 0) return;
  }
}

/** The rules that a previous version violates. */
function* allRelaxed(versions: readonly Version[]): Steps<Exemptions> {
  const all: Exemptions[] = [];
  for (const version of versions) {
    const schema = schemaOf(version);
    if (schema) all.push(yield* exemptionsOf(schema));
  }
  const some = (rule: keyof Exemptions): boolean => all.some((one) => one[rule]);
  return { types: some("types"), structure: some("structure"), sets: some("sets"), keys: some("keys") };
}
