/**
 * What a kind and the rules of metadata make of a write, between what may change it from outside and what may only refuse
 * it: what a client may not say is put right, then all that is wrong is told.
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
  dropDoubledOwners,
  dropServerMetadata,
  fillNewMetadata,
  keepServerMetadata,
} from "./metadata.ts";

/** The rules of the way in which an object is written: its own, also through a lens, or those of a subresource. */
export function rulesOf({ definition }: Pick<CompiledKind, "definition">, subresource: string): WriteRules {
  if (subresource === "") return definition;
  const rules = definition.subresources?.[subresource];
  return rules?.lens ? definition : (rules ?? {});
}

/** Makes a new object ready to be stored. Changes `object`; what is wrong with it is answered. */
export function prepareCreate(kind: CompiledKind, object: ApiObject, ctx: WriteContext): FieldErrors {
  const { definition, walker } = kind;
  const errors = new FieldErrors(definition.secret);
  dropDoubledOwners(object, ctx);
  if (!ctx.dialect.rules.updateCreatesAsSent) dropServerMetadata(object);
  fillNewMetadata(definition, object, ctx);
  definition.prepareForCreate?.(object, ctx);
  walker.settle(object);
  const isLast = definition.metadataLast && ctx.dialect.rules.recordedCauseNames;
  if (!isLast) validateObjectMeta(object.metadata, errors, metadataRules(definition, ctx));
  definition.validate?.(object, errors, ctx);
  if (isLast && !errors.any) validateObjectMeta(object.metadata, errors, metadataRules(definition, ctx));
  return errors;
}

/** Makes the next state of an object ready to be stored, on the object or on a subresource. Otherwise as for a new one. */
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
  dropDoubledOwners(object, ctx);
  const sent = { ...object.metadata };
  // What is put right is not judged.
  if (rules.resetFields?.includes("metadata.deletionTimestamp")) delete sent.deletionTimestamp;
  keepServerMetadata(object, old);
  rules.prepareForUpdate?.(object, old, ctx);
  walker.settle(object);
  if (!rules.uncounted) countGeneration(definition, object, old, ctx);
  validateObjectMetaUpdate(object.metadata, old.metadata, errors, { ...metadataRules(definition, ctx), sent });
  if (subresource === "") validatePrefix(object.metadata, errors, metadataRules(definition, ctx));
  rules.validateUpdate?.(object, old, errors, ctx);
  return errors;
}

/** The rules of a kind that may take long; what they find wrong is added to `errors`. Undefined where it has none. */
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

/** Tells the warnings about an object that is written, by the rules of the way in which it is; nothing to do without any. */
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
