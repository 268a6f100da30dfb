/**
 * What the server tells of ownership to clients that ask in its own words: two kinds of answers beside the standard
 * ones, asked for in the Accept header the way tables are (`application/json;as=Blame;v=v1;g=keelson.dev`).
 *
 * @module
 */
import type { Value } from "../value/value.ts";

/** The group of the answers; no objects are kept in it. */
export const REPORT_GROUP = "keelson.dev";
/** Its only version. */
export const REPORT_VERSION = "v1";

/** What goes into an Accept header for one of the answers. */
export const acceptReport = (kind: "Blame" | "ApplyConflict"): string =>
  `application/json;as=${kind};v=${REPORT_VERSION};g=${REPORT_GROUP}`;

/** What every report begins with. */
interface ReportHead<Kind extends string> {
  readonly kind: Kind;
  readonly apiVersion: string;
  /** The object that is told about, and the version of it in which this was so. */
  readonly object: ReportedObject;
}

/** The object of a report. */
export interface ReportedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** A manager with its last write. `time` is absent where no write of it is recorded, `subresource` for the object itself. */
export interface ReportedManager {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly time?: string;
  readonly subresource?: string;
}

/** Who owns what of an object: the answer to a GET. Leaves and containers in the order of the object. */
export interface BlameReport extends ReportHead<"Blame"> {
  /** Every leaf once: `field` as conflict causes name it, `pointer` as RFC 6901 does. */
  readonly leaves: readonly {
    readonly field: string;
    readonly pointer: string;
    readonly value: Value;
    readonly managers: readonly ReportedManager[];
  }[];
  /** What the leaves are in; its managers own that it is there, not what is in it. */
  readonly containers: readonly {
    readonly field: string;
    readonly pointer: string;
    readonly list: boolean;
    readonly managers: readonly ReportedManager[];
  }[];
  /** Fields that are recorded and not there. */
  readonly absent: readonly { readonly field: string; readonly manager: ReportedManager }[];
}

/** One way out of a conflict: `keep` theirs, `take` over, or `share` (OWN-15..17). */
export interface WayOutReport {
  readonly choice: "keep" | "take" | "share";
  readonly does: string;
  /** Operations of RFC 6902 on the body that was sent. */
  readonly patch?: readonly { readonly op: string; readonly path: string; readonly value?: Value }[];
  readonly query?: { readonly force: "true" };
}

/** A field that an apply would change and others own. */
export interface ConflictReport {
  readonly field: string;
  /** Where the body names it. */
  readonly pointer?: string;
  readonly current?: Value;
  readonly proposed?: Value;
  readonly owners: readonly ReportedManager[];
  readonly waysOut: readonly WayOutReport[];
}

/** Why an apply was refused: the answer, with the code 409, in place of the Status. */
export interface ApplyConflictReport extends ReportHead<"ApplyConflict"> {
  /** As in the Status that others get (DEC-20). */
  readonly status: "Failure";
  readonly reason: "Conflict";
  readonly code: 409;
  readonly message: string;
  /** Who applied. */
  readonly manager: string;
  readonly conflicts: readonly ConflictReport[];
}
