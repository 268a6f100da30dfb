/**
 * StorageClass: how volumes of a class are provisioned and bound (SC-1..22).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { qualifiedName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, nameColumn, textColumn } from "../../../schema/columns.ts";
import { isDefaultClass } from "../../../meta/default-class.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { isSentEmpty } from "../../../schema/validation/sent-empty.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { oldNodeLabel } from "../../rules/node-labels.ts";
import { validateParameters, validateProvisioner } from "./parameters.ts";
import { same } from "../../rules/same.ts";

const TopologySelectorLabelRequirement = t.struct("A label of nodes and the values that it may have.", {
  key: t.required(t.text("The key of the label.")),
  values: t.required(t.atomicList(t.text(), "A node matches when its label has one of these values.")),
});

const TopologySelectorTerm = t.struct(
  "A set of nodes: those that match all requirements; none when there are no requirements.",
  {
    matchLabelExpressions: t.optional(
      t.atomicList(TopologySelectorLabelRequirement, "The requirements, each on another label."),
    ),
  },
  { atomic: true },
);

const membersOf = (ctx: ApiContext) => {
  const provisioner = t.text("The name of the provisioner of the class.");
  const scheduling = ctx.gates.VolumeScheduling;
  return {
    provisioner: ctx.dialect.rules.requireUndocumented ? t.required(provisioner) : t.optional(provisioner),
    parameters: t.optional(t.map(t.text(), "Parameters for the provisioner; up to 512 entries and 256 KiB.")),
    reclaimPolicy: t.pointer(
      t.text("The reclaim policy of provisioned volumes: `Delete`, `Recycle` or `Retain`.", {
        default: "Delete",
      }),
    ),
    mountOptions: t.optional(
      t.atomicList(
        t.text(),
        "Mount options of provisioned volumes; they are not checked, a wrong one makes mounts fail.",
      ),
    ),
    allowVolumeExpansion: t.pointer(t.bool("Whether claims of the class may grow.")),
    volumeBindingMode: t.pointer(
      t.text(
        "When claims are provisioned and bound: `Immediate`, or `WaitForFirstConsumer` to wait for a pod that uses the claim.",
        scheduling ? { default: "Immediate" } : {},
      ),
    ),
    allowedTopologies: t.optional(
      t.atomicList(
        TopologySelectorTerm,
        "The topologies in which volumes may be provisioned, any of the terms; everywhere when empty.",
      ),
    ),
  };
};

const schemaOf = (ctx: ApiContext) => objectSchema("A class of storage.", membersOf(ctx));

/** A StorageClass; every member besides the common ones may be absent. */
export type StorageClass = ObjectOf<ReturnType<typeof schemaOf>>;

type Term = t.Static<typeof TopologySelectorTerm>;

const MODES = ["Immediate", "WaitForFirstConsumer"];

/** The policies of a class; only the documents have Recycle (AMB-46). */
const policiesOf = (ctx: ApiContext): readonly string[] =>
  ctx.dialect.rules.enforceUndocumented ? ["Delete", "Retain"] : ["Delete", "Recycle", "Retain"];

/** Validates one term; returns its requirements by label, so that terms can be compared in any order. */
function validateTerm(term: Term, i: number, errors: FieldErrors): Map<string, Set<string>> {
  const demands = new Map<string, Set<string>>();
  for (const [j, { key, values }] of (term.matchLabelExpressions ?? []).entries()) {
    const field = `allowedTopologies[${i}].matchLabelExpressions[${j}]`;
    const wanted = new Set<string>();
    if (!values?.length) errors.required(`${field}.values`, "expected at least one value");
    for (const [k, value] of (values ?? []).entries()) {
      if (wanted.has(value)) errors.duplicate(`${field}.values[${k}]`, value);
      wanted.add(value);
    }
    const expected = qualifiedName(key);
    if (expected !== undefined) errors.invalid(`${field}.key`, key, expected);
    if (demands.has(key)) errors.duplicate(`${field}.key`, key);
    // Of two for one label, the last counts.
    demands.set(key, wanted);
  }
  return demands;
}

/** A text that two terms share exactly when they have the same requirements. */
const fingerprint = (demands: ReadonlyMap<string, ReadonlySet<string>>): string =>
  JSON.stringify([...demands].map(([key, values]) => [key, [...values].toSorted()]).toSorted(compareFirst));

const compareFirst = (a: unknown[], b: unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1);

/** Terms differ; in Kubernetes an empty term counts as a duplicate (DEC-39, SC-20). */
function validateTopologies(object: StorageClass, errors: FieldErrors, ctx: WriteContext): void {
  const seen = new Set<string>(ctx.dialect.rules.enforceUndocumented ? [fingerprint(new Map())] : []);
  for (const [i, term] of (object.allowedTopologies ?? []).entries()) {
    const demands = fingerprint(validateTerm(term, i, errors));
    if (seen.has(demands)) {
      errors.duplicate(`allowedTopologies[${i}].matchLabelExpressions`, term.matchLabelExpressions ?? []);
    }
    seen.add(demands);
  }
}

function validate(object: StorageClass, errors: FieldErrors, ctx: WriteContext): void {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode } = object;
  const { rules } = ctx.dialect;
  validateProvisioner(provisioner ?? "", "provisioner", rules.requireUndocumented, errors);
  validateParameters(parameters, "parameters", errors);
  const policies = policiesOf(ctx);
  const anyPolicy = reclaimPolicy == null || (reclaimPolicy === "" && !rules.enforceDocumented);
  if (!anyPolicy && !policies.includes(reclaimPolicy)) errors.notSupported("reclaimPolicy", reclaimPolicy, policies);
  if (volumeBindingMode != null && !MODES.includes(volumeBindingMode)) {
    errors.notSupported("volumeBindingMode", volumeBindingMode, MODES);
  }
  validateTopologies(object, errors, ctx);
}

function validateUpdate(object: StorageClass, old: StorageClass, errors: FieldErrors, ctx: WriteContext): void {
  validate(object, errors, ctx);
  if (!ctx.dialect.rules.enforceUndocumented) return;
  const now = object;
  const before = old;
  const isSame = same(now.parameters ?? {}, before.parameters ?? {});
  if (!isSame || isSentEmpty("parameters", old, ctx)) {
    errors.forbidden("parameters", "updates to parameters are forbidden.");
  }
  if ((now.provisioner ?? "") !== (before.provisioner ?? ""))
    errors.forbidden("provisioner", "updates to provisioner are forbidden.");
  if (now.reclaimPolicy !== before.reclaimPolicy)
    errors.forbidden("reclaimPolicy", "updates to reclaimPolicy are forbidden.");
  if (now.volumeBindingMode !== before.volumeBindingMode) {
    errors.invalid("volumeBindingMode", now.volumeBindingMode, "field is immutable");
  }
}

function dropGatedFields(object: StorageClass, old: StorageClass | undefined, ctx: WriteContext): void {
  dropGated(object, old, "volumeBindingMode", "VolumeScheduling", "", ctx);
  dropGated(object, old, "allowedTopologies", "VolumeScheduling", "", ctx);
}

function warnings(object: StorageClass, _old: ApiObject | undefined, ctx: WriteContext): readonly string[] {
  const texts: string[] = [];
  for (const [i, term] of (object.allowedTopologies ?? []).entries()) {
    for (const [j, { key }] of (term.matchLabelExpressions ?? []).entries()) {
      const why = oldNodeLabel(key, ctx.dialect);
      if (why) texts.push(`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${why}`);
    }
  }
  return texts;
}

const columnsOf = ({ dialect }: ApiContext): readonly Column<StorageClass>[] => [
  {
    ...nameColumn,
    cell: (object) => `${object.metadata.name}${isDefaultClass(object, dialect.labelDomain) ? " (default)" : ""}`,
  },
  textColumn("Provisioner", "The provisioner of the class.", (object) => object.provisioner ?? ""),
  textColumn(
    "ReclaimPolicy",
    "The reclaim policy of provisioned volumes.",
    (object) => object.reclaimPolicy ?? "Delete",
  ),
  textColumn(
    "VolumeBindingMode",
    "When claims are provisioned and bound.",
    (object) => object.volumeBindingMode ?? "Immediate",
  ),
  textColumn(
    "AllowVolumeExpansion",
    "Whether claims of the class may grow.",
    (object) => object.allowVolumeExpansion ?? false,
  ),
  ageColumn,
];

/** The definition of StorageClass. */
export const storageClass = (ctx: ApiContext): ResourceDefinition =>
  defineResource(schemaOf(ctx), {
    group: `storage.${ctx.dialect.domain}`,
    version: "v1",
    kind: "StorageClass",
    plural: "storageclasses",
    shortNames: ["sc"],
    scope: "Cluster",
    description: "Describes a class of storage for which volumes can be provisioned dynamically.",
    deleteReturns: "object",
    prepareForCreate: (object, write) => dropGatedFields(object, undefined, write),
    validate,
    prepareForUpdate: dropGatedFields,
    validateUpdate,
    warnings,
    columns: columnsOf(ctx),
  });
