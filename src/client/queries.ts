/** The options and results of the verbs of a client. */
import type { ApiObject, Key, Kind } from "./kind.ts";

interface Abortable {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/** The objects of a list, a watch or a deletecollection. */
export interface Query extends Abortable {
  /** All namespaces by default. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
}

/** The options of a list. */
export interface ListQuery extends Query {
  /** The maximum number of items; `metadata.continue` is where the next page begins. */
  readonly limit?: number;
  readonly continue?: string;
}

/** A page of a list. */
export interface List<T> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** The options of a watch. */
export interface WatchQuery extends Query {
  readonly timeoutSeconds?: number;
  /** Called when the response has begun. */
  readonly opened?: () => void;
}

/** An event of a watch. The object of a `BOOKMARK` has only a resourceVersion. */
export interface Event<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

/** The options of a write. */
export interface WriteOptions extends Abortable {
  readonly fieldManager?: string;
  /** Nothing is stored; the result is what would be. */
  readonly dryRun?: boolean;
}

/** The options of a patch. */
export interface PatchOptions extends WriteOptions {
  /** A strategic merge patch, not a merge patch. An array is a JSON patch. */
  readonly strategic?: boolean;
}

/** Options of an apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes over fields of other owners. Controllers always force (APPLY-23). */
  readonly force?: boolean;
  /** Returns explained conflicts in `StatusError.conflict`. */
  readonly explain?: boolean;
}

/** Options of a delete. */
export interface DeleteOptions extends Pick<WriteOptions, "dryRun" | "signal"> {
  /** Deletes only the object with this uid. */
  readonly uid?: string;
  /** Deletes only this version. */
  readonly resourceVersion?: string;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  /** The grace period in seconds; 0 deletes at once. Kinds without a grace period ignore it. */
  readonly gracePeriodSeconds?: number;
}

/** The options of a history. */
export interface HistoryQuery {
  /** The maximum number of versions. */
  readonly limit?: number;
  /** Includes the objects. */
  readonly objects?: boolean;
  /** The version of the object at this resourceVersion. */
  readonly at?: string;
}

/** The options of an explanation. */
export interface WhyQuery extends Abortable {
  /** The maximum number of considered volumes. */
  readonly limit?: number;
}

/** The options of an explanation of a write. */
export interface ExplainQuery extends Abortable {
  readonly operation?: "apply" | "create" | "delete" | undefined;
  /** The manager of the write. */
  readonly fieldManager?: string | undefined;
}

/** A write with its response. */
export interface Write {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";
  readonly kind: Kind;
  /** Undefined for a collection. */
  readonly key: Key | undefined;
  /** The stored object; for a delete any response of the server. */
  readonly response: ApiObject | List<ApiObject>;
}

/** Observes the writes of a client, without dry runs. */
export interface WriteListener {
  /** Called before a write; it may throw, and then nothing is sent. */
  before(): void;
  after(write: Write): void;
}
