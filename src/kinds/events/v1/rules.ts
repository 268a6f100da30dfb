/**
 * The rules of Events of the group of events: those of the documents (EV-7..30, ERR-5), and in one dialect those that a real server adds.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { type CoreEvent, validateAnyEvent } from "../../core/v1/event.ts";
import type { Event } from "./schema.ts";
import { same } from "../../rules/same.ts";

const MAX_CHARACTERS = 128;
const MAX_NOTE_BYTES = 1024;
const TYPES = ["Normal", "Warning"];
const REQUIRED = ["reportingController", "reportingInstance", "action", "reason"] as const;
const LIMITED = ["reportingInstance", "action", "reason"] as const;

/** The rules of the documents, for every write (AMB-17, AMB-19). */
export function validateDocumented(event: Event, errors: FieldErrors): void {
  if (!event.eventTime) errors.required("eventTime");
  for (const member of REQUIRED) if (!event[member]) errors.required(member);
  if (!event.type) errors.required("type", "expected Normal or Warning, got none");
  else if (!TYPES.includes(event.type)) errors.notSupported("type", event.type, TYPES);
  for (const member of LIMITED) {
    if (characters(event[member] ?? "") > MAX_CHARACTERS) {
      errors.invalid(member, event[member], `expected at most ${MAX_CHARACTERS} characters`);
    }
  }
  if (Buffer.byteLength(event.note ?? "") > MAX_NOTE_BYTES) errors.tooLong("note", MAX_NOTE_BYTES);
  validateSeries(event, errors);
}

/** Code points (AMB-15): two units of a text that belong together count once. */
const characters = (text: string): number => text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);

/** A series has at least two occurrences, and the time of the last (EV-29, EV-30, DEC-39). */
function validateSeries({ series }: Pick<CoreEvent, "series">, errors: FieldErrors): void {
  if (!series) return;
  if ((series.count ?? 0) < 2) errors.invalid("series.count", series.count ?? 0, "expected at least 2");
  if (!series.lastObservedTime) errors.required("series.lastObservedTime");
}

/** The rules of a real server for a new Event, reported at the members of the core form, as its clients know them. */
export function validateStrictly(event: CoreEvent, errors: FieldErrors): void {
  validateAnyEvent(event, errors, "reportingController");
  validateSeries(event, errors);
  if (!event.eventTime) errors.required("eventTime");
  if (!TYPES.includes(event.type ?? "")) errors.invalid("type", event.type ?? "", "expected Normal or Warning");
  for (const member of ["firstTimestamp", "lastTimestamp", "count"] as const) {
    if (event[member]) errors.invalid(member, event[member], "expected no value, new events have none");
  }
  if (event.source?.component || event.source?.host) {
    errors.invalid("source", event.source, "expected no value, new events have none");
  }
}

const FROZEN = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingInstance",
] as const;

/** The rules of a real server for a change: metadata and the series may change, all else is immutable. */
export function validateStrictChange(event: CoreEvent, old: CoreEvent, errors: FieldErrors): void {
  validateAnyEvent(event, errors, "reportingController");
  if (!same(event.series, old.series)) validateSeries(event, errors);
  const keep = (field: string, value: unknown, before: unknown): void => {
    if (!same(value ?? null, before ?? null)) errors.invalid(field, value, "field is immutable");
  };
  for (const member of FROZEN) keep(member, event[member], old[member]);
  keep("reportingController", event.reportingComponent, old.reportingComponent);
}
