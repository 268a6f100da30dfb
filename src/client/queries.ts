/**
 * What the verbs of a client are told, and what they answer.
 *
 * @module
 */
import type { ApiObject, Key, Kind } from "./kind.ts";

/** Options of every request. */
interface Abortable {
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
}

/** Which objects a list, a watch or a delete of a collection is about. */
export interface Query extends Abortable {
  /** All namespaces by default. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
}

/** Options of a list. */
export interface ListQuery extends Query {
  /** At most this many; `metadata.continue` of the answer tells where the next ones begin. */
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

/** Options of a watch. */
export interface WatchQuery extends Query {
  readonly timeoutSeconds?: number;
  /** Called when the server has begun to answer. */
  readonly opened?: () => void;
}

/** An event of a watch. The object of a `BOOKMARK` has only a resourceVersion. */
export interface Event<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

/** Options of a write. */
export interface WriteOptions extends Abortable {
  readonly fieldManager?: string;
  /** Nothing is stored; the answer is what would be. */
  readonly dryRun?: boolean;
}

/** Options of a patch. */
export interface PatchOptions extends WriteOptions {
  /** A strategic merge patch, which knows lists by their keys; a merge patch by default. An array is a JSON patch. */
  readonly strategic?: boolean;
}

/** Options of an apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes over what others own. Controllers always force (APPLY-23). */
  readonly force?: boolean;
  /** Ask for conflicts that explain themselves; they come as `StatusError.conflict`. */
  readonly explain?: boolean;
}

/** Options of a delete. */
export interface DeleteOptions extends Pick<WriteOptions, "dryRun" | "signal"> {
  /** Only the object of this uid. */
  readonly uid?: string;
  /** Only this version. */
  readonly resourceVersion?: string;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  /** For how long a Pod may go on, in seconds; 0 removes it at once. Kinds without a grace period take no notice. */
  readonly gracePeriodSeconds?: number;
}

/** What of the past of an object is asked for. */
export interface HistoryQuery {
  /** At most this many versions. */
  readonly limit?: number;
  /** The objects themselves, too. */
  readonly objects?: boolean;
  /** The one version that the object had at this resourceVersion. */
  readonly at?: string;
}

/** How much of an explanation is asked for. */
export interface WhyQuery extends Abortable {
  /** At most this many volumes that a claim could have had. */
  readonly limit?: number;
}

/** A write that was answered. */
export interface Write {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";
  readonly kind: Kind;
  /** Undefined for a collection. */
  readonly key: Key | undefined;
  /** The object as it is stored now; of a delete whatever the server answered. */
  readonly answer: ApiObject | List<ApiObject>;
}

/** Hears of the writes of a client. Dry runs are none. */
export interface WriteListener {
  /** Called before a write is sent; it may throw, and nothing is sent. */
  before(): void;
  after(write: Write): void;
}
