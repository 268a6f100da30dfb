/**
 * RuntimeClass: the runtime of the containers of Pods that name it, and its overhead (KIND-RuntimeClass-1, 2). Admission adds its overhead
 * and its nodes to Pods.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel } from "../../../meta/names.ts";
import { validateLabels } from "../../../meta/object-meta-rules.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, DefinitionFactory, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { checkOverhead } from "../../core/v1/pod/resource-rules.ts";
import { Toleration } from "../../core/v1/pod/scheduling-schema.ts";
import { checkTolerations } from "../../core/v1/pod/toleration-rules.ts";
import { oldNodeLabel } from "../../rules/node-labels.ts";

const schema = objectSchema("The runtime of the containers of Pods that name this class.", {
  handler: t.required(t.text("The name of the runtime on nodes; it is the same on all nodes that have it.")),
  overhead: t.pointer(
    t.struct("The overhead of the runtime, in addition to the containers.", {
      podFixed: t.optional(t.map(t.quantity(), "The overhead of each Pod.")),
    }),
  ),
  scheduling: t.pointer(
    t.struct("The nodes that have it.", {
      nodeSelector: t.optional(t.map(t.text(), "Labels of nodes that have it.", { atomic: true })),
      tolerations: t.optional(t.atomicList(Toleration, "Taints of these nodes that do not keep its Pods away.")),
    }),
  ),
});

/** A RuntimeClass. */
export type RuntimeClass = ObjectOf<typeof schema>;

function checkScheduling({ scheduling }: RuntimeClass, errors: FieldErrors): void {
  if (scheduling?.nodeSelector) validateLabels(scheduling.nodeSelector, "scheduling.nodeSelector", errors);
  const at = "scheduling.tolerations";
  const tolerations = scheduling?.tolerations ?? [];
  checkTolerations(tolerations, at, errors);
  const known = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const { key, operator, value, effect } = toleration;
    const id = JSON.stringify([key, operator, value, effect]);
    if (known.has(id)) errors.duplicate(`${at}[${i}]`, toleration);
    known.add(id);
  }
}

function validate(object: RuntimeClass, errors: FieldErrors, ctx: ApiContext): void {
  const { handler, overhead } = object;
  const wrong = dnsLabel(handler);
  if (wrong !== undefined) errors.invalid("handler", handler, wrong);
  if (overhead?.podFixed) checkOverhead(overhead.podFixed, "overhead", errors, ctx);
  checkScheduling(object, errors);
}

function validateUpdate(object: RuntimeClass, old: RuntimeClass, errors: FieldErrors, ctx: ApiContext): void {
  validate(object, errors, ctx);
  const [{ handler }, { handler: before }] = [object, old];
  if (handler !== before) errors.invalid("handler", handler, "expected it as it was: Pods run by it");
}

/** Labels of nodes by their former names. */
function* warnings(object: RuntimeClass, _old: ApiObject | undefined, { dialect }: WriteContext): Generator<string> {
  for (const key in object.scheduling?.nodeSelector) {
    const why = oldNodeLabel(key, dialect);
    if (why) yield `scheduling.nodeSelector: ${why}`;
  }
}

/** The node group: one kind. */
export const nodeGroup: DefinitionFactory = () => [
  defineResource(schema, {
    group: "node.k8s.io",
    version: "v1",
    kind: "RuntimeClass",
    plural: "runtimeclasses",
    scope: "Cluster",
    bareFinalizers: true,
    createOnUpdate: true,
    versionedUpdate: true,
    validate,
    validateUpdate,
    warnings,
    columns: [textColumn("Handler", "The name of the runtime on nodes.", (object) => object.handler ?? ""), ageColumn],
  }),
];
