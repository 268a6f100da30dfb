/**
 * Namespace: a scope of names (SUP-1, DEC-34). It is deleted in steps: it is marked, its content is deleted, and it is removed with the
 * last of its finalizers.
 *
 * @module
 */
import { KNOWN_FINALIZERS } from "../../../meta/object-meta-rules.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { labelName, prefixedName, qualifiedName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { ALL_VERBS, type ApiContext, type ResourceDefinition, type WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { keepSpec, keepStatus, statusPath } from "../../rules/status.ts";
import { reportedCondition } from "../../rules/condition.ts";

/** The finalizer of every new namespace, which is removed after its content. */
const CONTENT_FINALIZER = "kubernetes";

const Condition = reportedCondition("A condition of the removal of the content.", "The type of the condition.", {});

const schema = objectSchema("A scope for names: objects of most kinds are in a namespace, and are deleted with it.", {
  spec: t.always(
    t.struct("The desired state of the namespace.", {
      finalizers: t.optional(
        t.atomicList(
          t.text(),
          "The finalizers that delay the deletion of the namespace; changed through `finalize` only.",
        ),
      ),
    }),
  ),
  status: t.always(
    t.struct("How the namespace is.", {
      phase: t.optional(t.text("Active, or Terminating while it is being deleted.")),
      conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions that delay the removal.")),
    }),
  ),
});

type Namespace = ObjectOf<typeof schema>;

/** One without a phase is Active. */
function defaults(object: Namespace, ctx: ApiContext): void {
  const { status } = object;
  if (!status.phase) status.phase = "Active";
  labelWithName(object, ctx);
}

/** Every namespace has its own name as a label, so that selectors can name it. */
function labelWithName(object: Namespace, { dialect }: ApiContext): void {
  const { metadata } = object;
  if (metadata.name) metadata.labels = { ...metadata.labels, [`${dialect.labelDomain}/metadata.name`]: metadata.name };
}

function prepareForCreate(object: Namespace, ctx: ApiContext): void {
  // A generated name was not known when the defaults were set.
  labelWithName(object, ctx);
  object.status = { phase: "Active" };
  const finalizers = object.spec.finalizers ?? [];
  if (!finalizers.includes(CONTENT_FINALIZER)) object.spec.finalizers = [...finalizers, CONTENT_FINALIZER];
}

function validateFinalizers(object: Namespace, errors: FieldErrors, fieldOf: (i: number) => string): void {
  object.spec?.finalizers?.forEach((finalizer, i) => {
    const wrong = qualifiedName(finalizer) ?? (KNOWN_FINALIZERS.has(finalizer) ? undefined : prefixedName(finalizer));
    if (wrong) errors.invalid(fieldOf(i), finalizer, wrong);
  });
}

/** The phase follows from the deletion; the cause has the spelling of the member that clients know. */
function validatePhase(object: Namespace, errors: FieldErrors): void {
  const expected = object.metadata.deletionTimestamp === undefined ? "Active" : "Terminating";
  const got = object.status?.phase ?? "";
  if (got !== expected) errors.invalid("status.Phase", got, `expected ${expected}`);
}

/** The definition of Namespace. */
export const namespace = ({ dialect }: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: "",
    version: "v1",
    kind: "Namespace",
    plural: "namespaces",
    shortNames: ["ns"],
    scope: "Cluster",
    ...(dialect.rules.namespaceDeleteCollection ? {} : { verbs: ALL_VERBS.filter((v) => v !== "deletecollection") }),
    nameRule: labelName,
    defaults,
    prepareForCreate,
    prepareForUpdate(object, old) {
      keepSpec(object, old);
      keepStatus(object, old);
    },
    resetFields: ["status"],
    validate: (object, errors) => validateFinalizers(object, errors, () => "spec.finalizers"),
    deletion: "twoSteps",
    beginDelete(object: Namespace, _ctx: WriteContext) {
      object.status = { ...object.status, phase: "Terminating" };
    },
    isHeld: (object) => (object.spec?.finalizers ?? []).length > 0,
    subresources: {
      finalize: {
        verbs: ["update"],
        prepareForUpdate: keepStatus,
        validateUpdate: (object, _old, errors) => validateFinalizers(object, errors, (i) => `spec.finalizers[${i}]`),
        resetFields: ["status"],
      },
      status: statusPath({ validateUpdate: (object, _old, errors) => validatePhase(object, errors) }),
    },
    selectableFields: { "status.phase": (object) => object.status?.phase ?? "" },
    columns: [textColumn("Status", "The phase of the namespace.", (o) => o.status?.phase ?? ""), ageColumn],
  });
