/**
 * Event: a report of something that happened (EV-1..32).
 *
 * The core form is the stored one, and this is a view of it (see `conversion.ts`).
 *
 * @module
 */
import type { CoreEvent } from "../../core/v1/event.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, ResourceDefinition } from "../../../schema/definition.ts";
import { eventColumns } from "../../core/v1/event-columns.ts";
import { fromCoreEvent, toCoreEvent } from "./conversion.ts";
import { validateDocumented, validateStrictChange, validateStrictly } from "./rules.ts";
import { type Event, description, eventSchema } from "./schema.ts";

const field =
  (read: (event: Event) => string | undefined) =>
  (object: Event): string =>
    read(object) ?? "";

const selectableFields: NonNullable<ResourceDefinition["selectableFields"]> = {
  "regarding.kind": field((e) => e.regarding?.kind),
  "regarding.namespace": field((e) => e.regarding?.namespace),
  "regarding.name": field((e) => e.regarding?.name),
  "regarding.uid": field((e) => e.regarding?.uid),
  "regarding.apiVersion": field((e) => e.regarding?.apiVersion),
  "regarding.resourceVersion": field((e) => e.regarding?.resourceVersion),
  "regarding.fieldPath": field((e) => e.regarding?.fieldPath),
  reason: field((e) => e.reason),
  reportingController: field((e) => e.reportingController),
  type: field((e) => e.type),
};

/** The definition of Event. */
export function event(ctx: ApiContext): ResourceDefinition {
  const { domain, rules } = ctx.dialect;
  const group = `events.${domain}`;
  const toCore = (object: ApiObject): CoreEvent => toCoreEvent(object, rules.printUnsetAsNull);
  const shared = defineResource(eventSchema(ctx), {
    group,
    version: "v1",
    kind: "Event",
    plural: "events",
    shortNames: ["ev"],
    scope: "Namespaced",
    description,
    createOnUpdate: true,
    selectableFields,
    columns: eventColumns((object) => toCoreEvent(object, false)),
    // One storage for both groups: the older form, which the core group shows as it is.
    storedAs: {
      definition: "events.v1",
      toStored: toCore,
      fromStored: (object) => fromCoreEvent(object, `${group}/v1`, rules.printUnsetAsNull),
    },
  });
  if (!rules.enforceUndocumented) {
    return {
      ...shared,
      validate: (object, errors) => validateDocumented(object, errors),
      validateUpdate: (object, _old, errors) => validateDocumented(object, errors),
    };
  }
  return {
    ...shared,
    validate: (object, errors) => validateStrictly(toCore(object), errors),
    validateUpdate: (object, old, errors) => validateStrictChange(toCore(object), toCore(old), errors),
  };
}
