/**
 * Prepares and validates a write by the rules of its kind and of metadata, between mutating and validating admission: it
 * resets what a client may not set, then collects all errors.
 *
 * @module
 */
import type { Steps } from "../../util/steps.ts";
import { addWarningsInSteps } from "../warnings.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { subdomainName } from "../../meta/names.ts";
import { validateObjectMeta, validateObjectMetaUpdate, validatePrefix } from "../../meta/object-meta-rules.ts";
import type { ApiObject, ResourceDefinition, WriteContext, WriteRules } from "../definition.ts";
import type { CompiledKind } from "./decode.ts";
import {
  countGeneration,
  dropDuplicateOwners,
  dropServerMetadata,
  fillNewMetadata,
  keepServerMetadata,
} from "./metadata.ts";

/** The rules of a write: those of the object, also through a lens, or those of a subresource. */
export function rulesOf({ definition }: Pick<CompiledKind, "definition">, subresource: string): WriteRules {
  if (subresource === "") return definition;
  const rules = definition.subresources?.[subresource];
  return rules?.lens ? definition : (rules ?? {});
}

/** Prepares a new object. Changes `object` and returns its errors. */
export function prepareCreate(kind: CompiledKind, object: ApiObject, ctx: WriteContext): FieldErrors {
  const { definition, walker } = kind;
  const errors = new FieldErrors(definition.secret);
  dropDuplicateOwners(object, ctx);
  if (!ctx.dialect.rules.updateCreatesAsSent) dropServerMetadata(object);
  fillNewMetadata(definition, object, ctx);
  definition.prepareForCreate?.(object, ctx);
  walker.normalise(object);
  const isLast = definition.metadataLast && ctx.dialect.rules.recordedCauseNames;
  if (!isLast) validateObjectMeta(object.metadata, errors, metadataRules(definition, ctx));
  definition.validate?.(object, errors, ctx);
  if (isLast && !errors.any) validateObjectMeta(object.metadata, errors, metadataRules(definition, ctx));
  return errors;
}

/** Prepares the next state of an object, for a write to the object or a subresource. Changes `object` and returns its errors. */
export function prepareUpdate(
  kind: CompiledKind,
  object: ApiObject,
  old: ApiObject,
  subresource: string,
  ctx: WriteContext,
): FieldErrors {
  const { definition, walker } = kind;
  const rules = rulesOf(kind, subresource);
  const errors = new FieldErrors(definition.secret);
  dropDuplicateOwners(object, ctx);
  const sent = { ...object.metadata };
  // Reset members are not validated.
  if (rules.resetFields?.includes("metadata.deletionTimestamp")) delete sent.deletionTimestamp;
  keepServerMetadata(object, old);
  rules.prepareForUpdate?.(object, old, ctx);
  walker.normalise(object);
  if (!rules.uncounted) countGeneration(definition, object, old, ctx);
  validateObjectMetaUpdate(object.metadata, old.metadata, errors, { ...metadataRules(definition, ctx), sent });
  if (subresource === "") validatePrefix(object.metadata, errors, metadataRules(definition, ctx));
  rules.validateUpdate?.(object, old, errors, ctx);
  return errors;
}

/** Runs the rules of a kind that may take long, which add to `errors`. Undefined where it has none. */
export function longRules(
  { definition }: CompiledKind,
  object: ApiObject,
  old: ApiObject | undefined,
  subresource: string,
  errors: FieldErrors,
  ctx: WriteContext,
): Steps<void | Promise<void>> | undefined {
  return definition.validateInSteps?.(object, old, subresource, errors, ctx);
}

/** Adds the warnings about a write by its rules; undefined where there are none. */
export function warn(
  kind: CompiledKind,
  object: ApiObject,
  old: ApiObject | undefined,
  subresource: string,
  ctx: WriteContext,
): Steps<void> | undefined {
  const texts = rulesOf(kind, subresource).warnings?.(object, old, ctx);
  return texts && addWarningsInSteps(ctx, texts);
}

const metadataRules = (
  { scope, nameRule = subdomainName, untyped, bareFinalizers }: ResourceDefinition,
  { dialect }: WriteContext,
): Parameters<typeof validateObjectMeta>[2] => ({
  namespaced: scope === "Namespaced",
  nameRule,
  dialect,
  ...((untyped ?? bareFinalizers) ? { strictFinalizers: false } : {}),
});
