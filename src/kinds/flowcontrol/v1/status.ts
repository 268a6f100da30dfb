/**
 * The status that schemas and levels share: conditions, each type once (APF-7).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { always, keyedList, nullable, optional, struct, text, time } from "../../../meta/types.ts";
import type { ApiObject, ResourceDefinition, SubresourceRules } from "../../../schema/definition.ts";
import { keepAllButStatus } from "../../rules/status-only.ts";

const Condition = struct("What is known of one side of the object.", {
  type: optional(text("What it is about.")),
  status: optional(text("True, False or Unknown.")),
  lastTransitionTime: nullable(time("When the status last changed.")),
  reason: optional(text("Why, for programs.")),
  message: optional(text("Why, for people.")),
});

/** The schema of the status. */
export const Status = always(
  struct("What the server has found out about the object.", {
    conditions: optional(keyedList(Condition, ["type"], "What is known of it, such as Dangling.")),
  }),
);

/** A condition of a schema or a level. */
export interface FlowCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

interface WithStatus extends ApiObject {
  readonly status?: { readonly conditions?: readonly FlowCondition[] | null };
}

function validateStatus(object: ApiObject, errors: FieldErrors): void {
  const types = new Set<string>();
  for (const [i, { type = "" }] of ((object as WithStatus).status?.conditions ?? []).entries()) {
    const field = `status.conditions[${i}].type`;
    if (types.has(type)) errors.duplicate(field, type);
    types.add(type);
    if (type === "") errors.required(field);
  }
}

const status: SubresourceRules = {
  verbs: ["get", "patch", "update"],
  uncounted: true,
  resetFields: ["metadata", "spec"],
  prepareForUpdate: keepAllButStatus,
  validateUpdate: (object, _old, errors) => validateStatus(object, errors),
};

/** What a definition has of its status: nobody writes it but through the subresource. */
export const statusRules: Pick<
  ResourceDefinition,
  "resetFields" | "prepareForCreate" | "prepareForUpdate" | "subresources"
> = {
  resetFields: ["status"],
  prepareForCreate(object) {
    object["status"] = {};
  },
  prepareForUpdate(object, old) {
    object["status"] = old["status"];
  },
  subresources: { status },
};
