/**
 * The history of an object, which the server serves at {@link HISTORY_PATH}. See docs/guides/storage.md.
 *
 * @module
 */
import type { Value } from "../value/value.ts";
import type { ReportedManager, ReportedObject } from "./ownership-reports.ts";

/** The path of the endpoint. */
export const HISTORY_PATH = "/keelson/v1/history";

/** One difference between a version and the one before. `pointer` is a JSON pointer (RFC 6901). */
export interface ReportedChange {
  readonly op: "add" | "remove" | "replace";
  readonly pointer: string;
  readonly before?: Value;
  readonly after?: Value;
}

/** One version of an object. */
export interface ReportedVersion {
  readonly resourceVersion: string;
  /** `kept`: its event is unknown, because it is older than the history, or was requested by its revision. */
  readonly event: "created" | "updated" | "deleted" | "kept";
  /** When it was written; absent where neither the store nor a manager has recorded that. */
  readonly time?: string;
  readonly uid?: string;
  /** The managers whose writes were recorded with this version; empty for a delete. */
  readonly managers: readonly ReportedManager[];
  /** The differences from the version before; empty where that is not kept. */
  readonly changes: readonly ReportedChange[];
  /** The object, for a delete its last state; only where it was requested. */
  readonly object?: Value;
}

/** The versions of an object, newest first. */
export interface HistoryReport {
  readonly kind: "History";
  readonly apiVersion: string;
  readonly object: ReportedObject;
  /** Changes up to this version are not kept; absent where one version was requested. */
  readonly since?: string;
  /** Whether there are older versions, which the limit or the size of the response excludes. */
  readonly more: boolean;
  readonly versions: readonly ReportedVersion[];
}
