/**
 * The verbs of a resource, as the server calls them.
 *
 * The registry knows objects, versions, ownership and storage, and nothing of HTTP. The server parses paths, query and bodies,
 * calls these verbs, and writes the bytes of their results. Every verb rejects with an `ApiError`.
 *
 * @module
 */
import type { AdmissionTrace } from "../admission/contract.ts";
import type { ApiObject, ResourceDefinition } from "../schema/definition.ts";
import type { Identity } from "../auth/contract.ts";
import type { Entry, ListPart, Selection, Watch, WatchSink } from "../cache/index.ts";
import type { DeleteOptions } from "../meta/delete-options.ts";
import type { HistoryReport } from "../meta/history-report.ts";
import type { BlameReport } from "../meta/ownership-reports.ts";
import type { Status } from "../meta/status.ts";
import type { PatchType } from "../schema/patch-types.ts";
import type { Span } from "../util/span.ts";
import type { Value } from "../value/value.ts";

/** The user of a request, and the callbacks of the server for it; the same for all verbs. */
export interface Caller extends Identity {
  /** From the `User-Agent`; names the manager of writes without `fieldManager` (DEC-15). */
  readonly userAgent: string;
  /** From `If-Match`: the version that the object must have, where the dialect reads it (AMB-36). */
  readonly ifMatch?: string;
  /**
   * Throws, or rejects with, Forbidden unless the caller may create the object that an update or an apply is about to create
   * (APPLY-10, DEC-36). Without it the caller may.
   */
  readonly permitCreate?: () => void | Promise<void>;
  /** The same for the removal of an object that cannot be read (CRYPT-10). */
  readonly permitUnread?: () => void | Promise<void>;
  /** Called with the object of a create or an update, decoded and with its defaults (AUDIT-16). */
  readonly sent?: (object: ApiObject) => void;
  /**
   * Adds an annotation to the audit event of the request; the first value of a key is kept (AUDIT-19). Events without the object do not get
   * annotations of the level `Request`.
   */
  readonly note?: (key: string, value: string, level?: "Request") => void;
  /** Records the work of admission, for an explanation. */
  readonly trace?: AdmissionTrace | undefined;
  /** Whether its writes are stored in a plan only; admission gets them as dry runs. */
  readonly isPlan?: boolean;
  /** The span of the request, where requests are traced. */
  readonly span?: Span | undefined;
  /** Called with the promise of a write when the write was passed to the store. */
  readonly storing?: (done: Promise<unknown>) => void;
}

/** A decoded body: the value, and the paths of duplicate members. */
export interface Body {
  readonly value: Value;
  readonly duplicates: readonly string[];
  /** The JSON text, where it has duplicates. */
  readonly json?: string;
  /** Whether it is YAML, whose members are checked in the order of their names. */
  readonly isYaml?: boolean;
  /** The message about the duplicates of YAML. */
  readonly unmarshalErrors?: string;
  /** Why the bytes of a patch are no value; thrown only if the object exists. */
  readonly failure?: Error;
}

/** The object or collection of a request. `namespace` is empty for resources of the cluster and for lists across namespaces. */
export interface Target {
  readonly namespace: string;
  readonly name: string;
  /** `status`, `finalize` ...; empty for the object itself. */
  readonly subresource: string;
}

/** Options of every write, checked by the server (DEC-21..24). */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** Empty when the client named none. */
  readonly fieldManager: string;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
}

/** Options of a patch; `force` only for apply. */
export interface PatchOptions extends WriteOptions {
  readonly type: PatchType;
  readonly force: boolean;
}

/** Options of a list, syntax checked by the server (DEC-25). `match` empty when not sent. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** 0 for no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
}

/** Options of a watch (DEC-28). */
export interface WatchOptions extends Omit<ListOptions, "limit" | "continue"> {
  readonly sendInitialEvents: boolean | undefined;
  readonly allowWatchBookmarks: boolean;
}

/** Options of the history of an object. */
export interface HistoryOptions {
  /** At most this many versions. */
  readonly limit: number;
  /** Whether the report contains the objects. */
  readonly objects: boolean;
  /** Only the version that the object had at this revision. */
  readonly at?: number;
}

export type { DeleteOptions };

/** The result of a write. */
export interface WriteResult {
  /** The current object (in a dry run the object that would be stored), in the version of the request. */
  readonly bytes: Uint8Array;
  readonly code: 200 | 201 | 202;
  /** The object of {@link WriteResult.bytes}, parsed; read only. */
  readonly object: ApiObject;
  /** Whether the write made a new revision: not a dry run, and not a write that changes nothing. */
  readonly changed: boolean;
  /** Texts for `Warning` headers. */
  readonly warnings: readonly string[];
}

/** The result of an action: the object of the body with the result in it, or a Status. */
export type AskResult =
  | WriteResult
  | (Pick<WriteResult, "changed" | "warnings"> & { readonly status: Status; readonly code: 201 });

/** The result of a delete: the object, or a Status. */
export type DeleteResult =
  | WriteResult
  | (Pick<WriteResult, "changed" | "warnings"> & { readonly status: Status; readonly code: 200 | 202 });

/** The result of a delete of a collection: the list of the objects, or a Status. */
export type DeleteCollectionResult = Pick<WriteResult, "changed" | "warnings"> &
  ({ readonly list: ListResult } | { readonly status: Status });

/**
 * A page of a list: entries in order, in stored form, part by part; {@link Resource.view} has their bytes.
 */
export interface ListResult extends ListPart {
  readonly revision: number;
  readonly continue: string;
  readonly remaining: number | undefined;
}

/** A running watch, and its selection. */
export interface WatchStart {
  /** `revision` is the one for a bookmark. */
  readonly watch: Watch;
  readonly selection: Selection;
}

/** One resource: a kind in one group and version. */
export interface Resource {
  readonly definition: ResourceDefinition;
  /** The version in which its objects are written; undefined for kinds that are not stored. */
  readonly storage: Pick<ResourceDefinition, "group" | "version" | "kind"> | undefined;

  /** The object (or its subresource view) at `resourceVersion` or later (DEC-25). */
  get(target: Target, options: { readonly resourceVersion: string }): Promise<Entry>;
  list(namespace: string, options: ListOptions): Promise<ListResult>;
  /** Starts a watch; `sink` gets the events, and with `sendInitialEvents` the end of the initial ones. */
  watch(namespace: string, options: WatchOptions, sink: WatchSink): Promise<WatchStart>;
  create(target: Target, body: Body, options: WriteOptions, caller: Caller): Promise<WriteResult>;
  /** Creates an object that is not stored, by an action: a review, a token, an eviction. */
  ask(target: Target, body: Body, options: WriteOptions, caller: Caller): Promise<AskResult>;
  /** Runs admission for a connection from an object to a program, with the options of the connection. */
  connect(target: Target, options: ApiObject, caller: Caller): Promise<void>;
  update(target: Target, body: Body, options: WriteOptions, caller: Caller): Promise<WriteResult>;
  patch(target: Target, body: Body, options: PatchOptions, caller: Caller): Promise<WriteResult>;
  delete(target: Target, options: DeleteOptions, caller: Caller): Promise<DeleteResult>;
  /** Deletes the objects that the list options select, each as a single delete does; returns a Status or the list (EP-21). */
  deleteCollection(
    namespace: string,
    list: ListOptions,
    options: DeleteOptions,
    caller: Caller,
  ): Promise<DeleteCollectionResult>;

  /** The JSON bytes of an entry in this version, as a `get` returns them; made once per entry and version. */
  view(entry: Entry): Uint8Array;
  /**
   * The offset in {@link Resource.view} where an item of a list begins that omits apiVersion and kind: an item is `{` followed by the bytes
   * from here. 0 when items carry them (DEC-4).
   */
  readonly itemOffset: number;
  /** The content of a bookmark besides its kind, apiVersion and metadata (DEC-28). */
  readonly bookmark: Readonly<Record<string, Value>>;
  /** The parsed object of an entry in this version; read only, cached while it is used often. */
  object(entry: Entry): ApiObject;
  /** The versions of an object that the store keeps; also of a deleted object. */
  history(target: Target, options: HistoryOptions): Promise<HistoryReport>;
  load(): ResourceLoad;
  /** The current objects of a namespace (empty: all), in constant time. Throws `ApiError`. */
  present(namespace: string): ObjectRange;
  /**
   * The objects of a namespace at a revision: from the history in memory, or read from the store. Rejects with
   * `ApiError`: 410 where that is compacted, 413 where more than `maxBytes` of objects would have to be read.
   */
  past(namespace: string, revision: number, options: PastOptions): Promise<ObjectRange>;
  /** Whether an entry of {@link Resource.past}, whose view is ready, matches two selectors. Throws 400 where they cannot be read. */
  selector(namespace: string, labelSelector: string, fieldSelector: string): (entry: Entry) => boolean;
  /** Makes the views of entries that another server converts; undefined where no view has to be made. */
  ready(entries: readonly Entry[]): Promise<void> | undefined;
  /** The object of an entry whose view is ready, parsed again and not cached: for callers that read many. */
  parse(entry: Entry): ApiObject;
  /** Who owns each leaf of an entry, in this version. */
  blame(entry: Entry): BlameReport;
}

/** The bounds of a read for {@link Resource.past}. */
export interface PastOptions {
  readonly maxBytes: number;
  /** Aborts the read. */
  readonly signal: AbortSignal;
}

/** The objects of a resource in a namespace at one revision, in the order of lists. */
export interface ObjectRange {
  readonly revision: number;
  /** The number of objects. */
  readonly size: number;
  /** Bytes that are kept in memory for this range alone. */
  readonly bytes: number;
  /** At most `count` entries after the first `offset`; found in logarithmic time. */
  entries(offset: number, count: number): readonly Entry[];
}

/** The size of a resource, and the number of its watchers. */
export interface ResourceLoad {
  readonly objects: number;
  /** The mean size of an object in bytes, about. */
  readonly meanBytes: number;
  readonly watchers: number;
}

/** The resources of one group, its versions in the order of preference. */
export interface GroupResources {
  readonly group: string;
  readonly versions: readonly VersionResources[];
}

/** The resources of one group and version, by plural. */
export interface VersionResources {
  readonly version: string;
  readonly resources: readonly Resource[];
  /** Changes whenever {@link VersionResources.resources} does; never repeats an earlier value. */
  readonly generation: number;
}

/** A resource that is added, changed or removed: its served versions before and after. */
export interface KindsChange {
  readonly before: readonly Resource[];
  readonly after: readonly Resource[];
}

/** All resources that are served: a live set. */
export interface Registry {
  /** In the order of discovery: core first, then by group and version. */
  readonly resources: readonly Resource[];
  /** The same by group and version, core first. */
  groups(): readonly GroupResources[];
  /** One of them; undefined when nothing of the group is served. */
  group(name: string): GroupResources | undefined;
  /** The resources of one group and version; undefined when nothing of it is served. */
  version(group: string, version: string): VersionResources | undefined;
  find(group: string, version: string, plural: string): Resource | undefined;
  /** Whether any resource of this group (and version) is served. */
  hasGroup(group: string, version?: string): boolean;
  /** Changes whenever `resources` changes; part of discovery's ETag. */
  readonly generation: number;
  /** Calls an observer right after each change, until disposed. */
  onChange(observer: (change: KindsChange) => void): Disposable;
  /** The newest revision. */
  readonly revision: number;
}
