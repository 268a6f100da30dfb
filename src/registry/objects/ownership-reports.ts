/**
 * Reports of ownership in the form of responses: who owns an object, and why an apply was refused.
 *
 * @module
 */
import { asValue } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { type FieldConflict, blame, conflictMessage, explainConflicts } from "../../apply/index.ts";
import {
  type ApplyConflictReport,
  type BlameReport,
  REPORT_GROUP,
  REPORT_VERSION,
  type ReportedObject,
} from "../../meta/ownership-reports.ts";
import type { Value } from "../../value/value.ts";
import type { Kind } from "../kind/kind.ts";
import { contextOf } from "./ownership.ts";

const apiVersion = `${REPORT_GROUP}/${REPORT_VERSION}`;

/** Who owns each leaf of an object, in the version of `kind`. */
export function blameReport(kind: Kind, object: ApiObject): BlameReport {
  const { leaves, containers, absent } = blame(kind.type, asValue(object), contextOf(kind, "").rules);
  return { kind: "Blame", apiVersion, object: reportedObject(kind, object), leaves, containers, absent };
}

/** A refused apply, with what is needed to explain it. */
export interface Refusal {
  readonly conflicts: readonly FieldConflict[];
  readonly live: ApiObject;
  readonly intent: Value;
  /** The body as it was sent. */
  readonly body: Value;
  readonly manager: string;
}

/** Why an apply was refused, and how to resolve that. */
export function applyConflictReport(kind: Kind, refusal: Refusal): ApplyConflictReport {
  const { conflicts, live, intent, body, manager } = refusal;
  const { converter, rules } = contextOf(kind, "");
  const request = { conflicts, live: asValue(live), intent, body, converter, apiVersion: kind.apiVersion, rules };
  return {
    kind: "ApplyConflict",
    apiVersion,
    status: "Failure",
    reason: "Conflict",
    code: 409,
    message: conflictMessage(conflicts),
    object: reportedObject(kind, live),
    manager,
    conflicts: explainConflicts(request),
  };
}

/** An object as reports name it. */
export function reportedObject(kind: Kind, { metadata }: ApiObject): ReportedObject {
  const { name = "", namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion: kind.apiVersion,
    kind: kind.definition.kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
