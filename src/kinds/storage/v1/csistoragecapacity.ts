/**
 * CSIStorageCapacity: the result of one GetCapacity call of a driver (CAP-1..15).
 *
 * The producer of the object writes it and removes it; the scheduler reads it. Its class need not exist.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsSubdomain } from "../../../meta/names.ts";
import { quantitySign } from "../../../meta/quantity.ts";
import * as t from "../../../meta/types.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { LabelSelector, validateLabelSelector } from "../../../schema/validation/label-selector.ts";
import { oldNodeLabel } from "../../rules/node-labels.ts";
import { same } from "../../rules/same.ts";

const schema = objectSchema("The capacity of a class of storage in a part of the cluster.", {
  nodeTopology: t.pointer(LabelSelector),
  storageClassName: t.required(t.text("The class that the capacity is for; it cannot change.")),
  capacity: t.pointer(t.quantity("The bytes that are free for new volumes; not known when unset.")),
  maximumVolumeSize: t.pointer(t.quantity("The largest size of one volume; not known when unset.")),
});

/** A CSIStorageCapacity; `nodeTopology: {}` means all nodes, none means no node. */
export type CSIStorageCapacity = ObjectOf<typeof schema>;

function validateValues(object: CSIStorageCapacity, errors: FieldErrors, ctx: WriteContext): void {
  const { storageClassName, capacity, maximumVolumeSize } = object;
  const expected = dnsSubdomain(storageClassName);
  if (expected !== undefined) errors.invalid("storageClassName", storageClassName, expected);
  const notNegative = (field: string, value: string | undefined): void => {
    if (value != null && quantitySign(value) < 0) errors.invalid(field, value, "expected a size that is not negative");
  };
  notNegative("capacity", capacity);
  if (ctx.dialect.rules.enforceDocumented) notNegative("maximumVolumeSize", maximumVolumeSize);
}

function validate(object: CSIStorageCapacity, errors: FieldErrors, ctx: WriteContext): void {
  const { nodeTopology } = object;
  if (nodeTopology != null) validateLabelSelector(nodeTopology, "nodeTopology", errors);
  validateValues(object, errors, ctx);
}

function validateUpdate(
  object: CSIStorageCapacity,
  old: CSIStorageCapacity,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const now = object;
  const before = old;
  validate(object, errors, ctx);
  if (!same(now.nodeTopology ?? null, before.nodeTopology ?? null)) {
    errors.invalid("nodeTopology", now.nodeTopology, "field is immutable");
  }
  if (now.storageClassName !== before.storageClassName) {
    errors.invalid("storageClassName", now.storageClassName, "field is immutable");
  }
}

function warnings(object: CSIStorageCapacity, _old: ApiObject | undefined, ctx: WriteContext): readonly string[] {
  const { matchExpressions, matchLabels } = object.nodeTopology ?? {};
  const texts: string[] = [];
  const warn = (field: string, key: string): void => {
    const why = oldNodeLabel(key, ctx.dialect);
    if (why) texts.push(`${field}: ${why}`);
  };
  for (const [i, { key }] of (matchExpressions ?? []).entries()) warn(`nodeTopology.matchExpressions[${i}].key`, key);
  for (const key of Object.keys(matchLabels ?? {})) warn(`nodeTopology.matchLabels.${key}`, key);
  return texts;
}

/** The definition of CSIStorageCapacity. */
export const csiStorageCapacity = (ctx: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: `storage.${ctx.dialect.domain}`,
    version: "v1",
    kind: "CSIStorageCapacity",
    plural: "csistoragecapacities",
    scope: "Namespaced",
    description:
      "How much storage of a class is left in a part of the cluster: the result of one GetCapacity call. No object, no capacity and a capacity of zero all mean that there is none.",
    versionedUpdate: true,
    validate,
    validateUpdate,
    warnings,
  });
