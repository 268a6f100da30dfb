/**
 * Reports of ownership: two kinds of responses besides the standard ones, which clients request in the Accept header, as
 * they request tables (`application/json;as=Blame;v=v1;g=keelson.dev`).
 *
 * @module
 */
import type { Value } from "../value/value.ts";

/** The group of the reports, which has no objects. */
export const REPORT_GROUP = "keelson.dev";
/** Its only version. */
export const REPORT_VERSION = "v1";

/** The media type of a report for the Accept header. */
export const acceptReport = (kind: "Blame" | "ApplyConflict"): string =>
  `application/json;as=${kind};v=${REPORT_VERSION};g=${REPORT_GROUP}`;

/** The first members of every report. */
interface ReportHead<Kind extends string> {
  readonly kind: Kind;
  readonly apiVersion: string;
  /** The reported object, with its version. */
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

/** A manager with its last write. `time` is absent where no write is recorded, `subresource` for the object itself. */
export interface ReportedManager {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly time?: string;
  readonly subresource?: string;
}

/** A webhook, policy or plugin that sets a value which no manager owns. */
export interface ReportedSetter {
  readonly name: string;
  /** The object that configures it, such as `MutatingWebhookConfiguration/defaults`, or `plugin/LimitRanger`. */
  readonly source: string;
}

/** The owners of an object: the response to a GET. Leaves and containers are in the order of the object. */
export interface BlameReport extends ReportHead<"Blame"> {
  /** Every leaf once: `field` is its name in conflict causes, `pointer` a JSON pointer (RFC 6901). */
  readonly leaves: readonly {
    readonly field: string;
    readonly pointer: string;
    readonly value: Value;
    readonly managers: readonly ReportedManager[];
    /** Who sets it where no manager owns it, as a dry run shows; added by `keelson blame`. */
    readonly setBy?: ReportedSetter;
  }[];
  /** The containers of the leaves; their managers own that they exist, not what is in them. */
  readonly containers: readonly {
    readonly field: string;
    readonly pointer: string;
    readonly list: boolean;
    readonly managers: readonly ReportedManager[];
  }[];
  /** Recorded fields that the object does not have. */
  readonly absent: readonly { readonly field: string; readonly manager: ReportedManager }[];
}

/** One way to resolve a conflict: `keep` theirs, `take` over, or `share` (OWN-15..17). */
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
  /** Its path in the body. */
  readonly pointer?: string;
  readonly current?: Value;
  readonly proposed?: Value;
  readonly owners: readonly ReportedManager[];
  readonly waysOut: readonly WayOutReport[];
}

/** Why an apply was refused: the response, with the code 409, in place of the Status. */
export interface ApplyConflictReport extends ReportHead<"ApplyConflict"> {
  /** As in the Status of clients that do not request the report (DEC-20). */
  readonly status: "Failure";
  readonly reason: "Conflict";
  readonly code: 409;
  readonly message: string;
  /** Who applied. */
  readonly manager: string;
  readonly conflicts: readonly ConflictReport[];
}
