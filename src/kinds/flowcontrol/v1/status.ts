/**
 * The status that schemas and levels share: conditions, each type once (APF-7).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import type { ApiObject, ResourceRules, SubresourceRules } from "../../../schema/definition.ts";
import { keepAllButStatus, keepStatus } from "../../rules/status.ts";

const Condition = t.struct("A condition of the object.", {
  type: t.optional(t.text("The type of the condition.")),
  status: t.optional(t.text("True, False or Unknown.")),
  lastTransitionTime: t.nullable(t.time("When the status last changed.")),
  reason: t.optional(t.text("Why, for programs.")),
  message: t.optional(t.text("Why, for people.")),
});

/** The schema of the status. */
export const Status = t.always(
  t.struct("The state of the object, which the server sets.", {
    conditions: t.optional(t.keyedList(Condition, ["type"], "Its conditions, such as Dangling.")),
  }),
);

function validateStatus({ status }: WithStatus, errors: FieldErrors): void {
  const types = new Set<string>();
  for (const [i, { type = "" }] of (status.conditions ?? []).entries()) {
    const field = `status.conditions[${i}].type`;
    if (types.has(type)) errors.duplicate(field, type);
    types.add(type);
    if (type === "") errors.required(field);
  }
}

type WithStatus = ApiObject & { status: t.Static<typeof Status> };

const path: SubresourceRules<WithStatus> = {
  verbs: ["get", "patch", "update"],
  uncounted: true,
  resetFields: ["metadata", "spec"],
  prepareForUpdate: keepAllButStatus,
  validateUpdate: (object, _old, errors) => validateStatus(object, errors),
};

/** The rules of a status that is only written through its subresource. */
export const statusRules: Pick<
  ResourceRules<WithStatus>,
  "resetFields" | "prepareForCreate" | "prepareForUpdate" | "subresources"
> = {
  resetFields: ["status"],
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate: keepStatus,
  subresources: { status: path },
};
