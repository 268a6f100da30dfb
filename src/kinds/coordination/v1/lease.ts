/**
 * Lease: the holder of a role, and until when (SUP-2). The holder renews it; the server checks no times.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { validateStrategy } from "../strategy.ts";

const schema = objectSchema(
  "Names the holder of something, such as the leader among several programs, and how long the holder keeps it without renewal.",
  {
    spec: t.always(
      t.struct("The holder, and since when it holds the Lease.", {
        holderIdentity: t.pointer(t.text("The holder; with an election, the name of the candidate that was chosen.")),
        leaseDurationSeconds: t.pointer(t.int32("How long others wait after the last renewal before they take it.")),
        acquireTime: t.pointer(t.microTime("When the holder got it.")),
        renewTime: t.pointer(t.microTime("When the holder last renewed it.")),
        leaseTransitions: t.pointer(t.int32("How often the holder has changed.")),
        strategy: t.pointer(t.text("How the server chooses the holder; only for elections by the server.")),
        preferredHolder: t.pointer(
          t.text("The next holder; the current holder ends when this is set. Needs a strategy."),
        ),
      }),
    ),
  },
);

function validate({ spec }: ObjectOf<typeof schema>, errors: FieldErrors): void {
  if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0) {
    errors.invalid("spec.leaseDurationSeconds", spec.leaseDurationSeconds, "expected at least 1");
  }
  if (spec.leaseTransitions !== undefined && spec.leaseTransitions < 0) {
    errors.invalid("spec.leaseTransitions", spec.leaseTransitions, "expected at least 0");
  }
  if (spec.strategy !== undefined) validateStrategy(spec.strategy, "spec.strategy", errors);
  if (spec.preferredHolder && !spec.strategy) {
    errors.forbidden("spec.preferredHolder", "expected a strategy together with it");
  }
}

/** The definition of Lease. */
export const lease = ({ dialect }: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: `coordination.${dialect.domain}`,
    version: "v1",
    kind: "Lease",
    plural: "leases",
    scope: "Namespaced",
    bareFinalizers: true,
    createOnUpdate: true,
    versionedUpdate: true,
    validate,
    validateUpdate: (object, _old, errors) => validate(object, errors),
    columns: [textColumn("Holder", "The holder.", ({ spec }) => spec.holderIdentity ?? ""), ageColumn],
  });
