/**
 * The core form of an Event, which is the stored one. It is as free as older clients need it:
 * almost everything may change, and nothing is required before an Event has an eventTime.
 *
 * @module
 */
import { dnsSubdomain, pathSegmentName, qualifiedName } from "../../../meta/names.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { eventColumns } from "./event-columns.ts";
import { ObjectReference } from "../../rules/references.ts";

const schema = objectSchema(
  "A report of something that happened. It is kept for a limited time, and no program should rely on it.",
  {
    involvedObject: t.required(ObjectReference),
    reason: t.optional(t.text("Why it happened, in a word for programs.")),
    message: t.optional(t.text("What happened, for people.")),
    source: t.always(
      t.struct("The reporter of the event.", {
        component: t.optional(t.text("The component that reported it.")),
        host: t.optional(t.text("The node that it reported from.")),
      }),
    ),
    firstTimestamp: t.nullable(t.time("When it was first seen.")),
    lastTimestamp: t.nullable(t.time("When it was last seen.")),
    count: t.optional(t.int32("How often it was seen.")),
    type: t.optional(t.text("Normal or Warning; there may be others.")),
    eventTime: t.nullable(t.microTime("When it was first observed.")),
    series: t.pointer(
      t.struct("Data about repeated occurrences.", {
        count: t.optional(t.int32("How often it was seen, up to the last heartbeat.")),
        lastObservedTime: t.nullable(t.microTime("When it was last seen before the last heartbeat.")),
      }),
    ),
    action: t.optional(t.text("The action that was taken or failed.")),
    related: t.pointer(ObjectReference),
    reportingComponent: t.always(t.text("The controller that reported it.")),
    reportingInstance: t.always(t.text("The instance of the controller.")),
  },
);

/** An Event in its core form. */
export type CoreEvent = ObjectOf<typeof schema>;

const MAX_TEXT = 128;
const MAX_MESSAGE = 1024;

/**
 * The rules of every Event in either form: an old one has the namespace of its object, a new one (with an eventTime) has its reporter,
 * action and reason.
 *
 * @param controllerField the name of the member for the controller in the form of the request
 */
export function validateAnyEvent(event: CoreEvent, errors: FieldErrors, controllerField: string): void {
  const namespace = event.metadata.namespace ?? "";
  const about = event.involvedObject.namespace ?? "";
  if (event.eventTime) {
    if (about === "" && namespace !== "default" && namespace !== "kube-system") {
      errors.invalid("involvedObject.namespace", about, "expected a namespace, got none");
    }
    validateReport(event, errors, controllerField);
  } else if (about === "" ? namespace !== "default" : namespace !== about) {
    errors.invalid("involvedObject.namespace", about, `expected the namespace of the event, "${namespace}"`);
  }
  const wrong = dnsSubdomain(namespace);
  if (wrong) errors.invalid("namespace", namespace, wrong);
}

/** Reporter, action and reason. Lengths are in bytes. */
function validateReport(event: CoreEvent, errors: FieldErrors, controllerField: string): void {
  const controller = event.reportingComponent ?? "";
  const wrong = qualifiedName(controller);
  if (controller === "") errors.required(controllerField);
  if (wrong) errors.invalid(controllerField, controller, wrong);
  for (const member of ["reportingInstance", "action", "reason"] as const) {
    const value = event[member] ?? "";
    if (value === "") errors.required(member);
    if (Buffer.byteLength(value) > MAX_TEXT) errors.invalid(member, value, `expected at most ${MAX_TEXT} bytes`);
  }
  if (Buffer.byteLength(event.message ?? "") > MAX_MESSAGE) {
    errors.invalid("message", event.message, `expected at most ${MAX_MESSAGE} bytes`);
  }
}

const validate = (object: CoreEvent, errors: FieldErrors): void =>
  validateAnyEvent(object, errors, "reportingComponent");

const field =
  (read: (event: CoreEvent) => string | undefined) =>
  (object: CoreEvent): string =>
    read(object) ?? "";

/** The definition of the core Event. */
export const coreEvent = defineResource(schema, {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  scope: "Namespaced",
  bareFinalizers: true,
  nameRule: pathSegmentName,
  metadataLast: true,
  createOnUpdate: true,
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
  selectableFields: {
    "involvedObject.kind": field((e) => e.involvedObject.kind),
    "involvedObject.namespace": field((e) => e.involvedObject.namespace),
    "involvedObject.name": field((e) => e.involvedObject.name),
    "involvedObject.uid": field((e) => e.involvedObject.uid),
    "involvedObject.apiVersion": field((e) => e.involvedObject.apiVersion),
    "involvedObject.resourceVersion": field((e) => e.involvedObject.resourceVersion),
    "involvedObject.fieldPath": field((e) => e.involvedObject.fieldPath),
    reason: field((e) => e.reason),
    reportingComponent: field((e) => e.reportingComponent),
    source: field((e) => e.source?.component || e.reportingComponent),
    type: field((e) => e.type),
  },
  columns: eventColumns((object: CoreEvent) => object),
});
