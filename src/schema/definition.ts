/**
 * A resource is one definition: names, schema, defaults, rules and columns of a kind, as data and a few pure functions.
 *
 * Everything else derives from it: decoding, defaulting, pruning, merge topology, OpenAPI, discovery, tables, selectors.
 * A built-in kind is defined with `defineResource`: its rules get objects of the type of its schema.
 * A custom kind has the same structure; nothing in `registry/` or `server/` knows whether a kind is built in.
 *
 * The functions of a definition in the order of a write:
 *
 *     decode (schema) -> convert -> defaults (schema, then `defaults`) -> ownership -> admission
 *       -> prepareForCreate | prepareForUpdate -> validate | validateUpdate -> store
 *
 * Objects are plain JSON in wire form. `convert`, `defaults` and the `prepare` functions change the object they are
 * given (it belongs to the request); `old` objects and all objects given to `validate` are read only.
 *
 * @module
 */
import type { Reached } from "./session.ts";
import type { Value } from "../value/value.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { FieldErrors } from "../meta/field-errors.ts";
import type { Gates } from "../meta/gates.ts";
import type { ObjectMeta } from "../meta/object-meta.ts";
import type { ServiceRanges } from "../meta/service-ranges.ts";
import type { TSchema } from "../meta/types.ts";
import type { WorkerThreads } from "../util/worker-threads.ts";
import type { Steps } from "../util/steps.ts";
import type { DecodeReport } from "./decode-report.ts";
import type { PatchType } from "./patch-types.ts";

/** What all requests of a server share. */
export interface ApiContext {
  readonly dialect: Dialect;
  readonly gates: Gates;
  readonly clock: Clock;
  readonly random: Random;
  /** Runs jobs in worker threads that would block the event loop; without it, they run at once. */
  readonly threads?: WorkerThreads;
  /** The ranges of addresses and ports of Services; those of `meta/service-ranges.ts` by default. */
  readonly serviceRanges?: ServiceRanges;
  /** False where no container may be privileged; they may by default. */
  readonly allowsPrivileged?: boolean;
}

/** An object of any kind. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [member: string]: unknown;
}

/** An object that the server creates itself, in the stored version of its kind. */
export interface NewObject {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [member: string]: unknown;
}

/** The user of a write, as some objects record it. */
export interface Writer {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The request, as the functions of a definition see it besides the object. */
export interface WriteContext extends ApiContext {
  /** Absent where the server itself writes. */
  readonly writer?: Writer;
  /** Texts for `Warning` headers; add to it. */
  readonly warnings: string[];
  /**
   * Dotted paths of lists and maps that were sent empty and are left out, for the few rules that distinguish this from none;
   * the first 32 of the last decoded object.
   */
  sentEmpty?: readonly string[];
  /** The labels of a namespace, for the few rules that need them; undefined where it does not exist. */
  readonly namespaceLabels?: (name: string) => Readonly<Record<string, string>> | undefined;
}

/** The verbs that a resource can have. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** Every verb, the default of a definition. */
export const ALL_VERBS: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

/** A column of a table (`kubectl get`). */
export interface Column<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, more only in wide tables. */
  readonly priority?: number;
  /** The cell of an object; `now` (ms) for ages. Ages and durations are written as kubectl writes them. */
  readonly cell: (object: T, now: number) => string | number | boolean | null;
  /** The column for readers that count ages themselves; absent where {@link Column.cell} does not depend on `now`. */
  readonly timeless?: TimelessColumn<T>;
}

/** A column whose cells change with the object only. */
export interface TimelessColumn<T extends ApiObject = ApiObject> {
  /** `date` where cells are times in RFC 3339, or null. */
  readonly type: Column["type"];
  readonly cell: (object: T) => string | number | boolean | null;
}

/** The rule for names of a kind (DEC-2): true when a name is valid, else what is wrong. */
export type NameRule = (name: string) => true | string;

/** Rules of a write to an object itself, or to one of its subresources. */
export interface WriteRules<T extends ApiObject = ApiObject> {
  /** Resets what a client may not set this way, drops gated fields, counts generations. Changes `object`. */
  prepareForUpdate?(object: T, old: T, ctx: WriteContext): void;
  /** Validates the new state of an object, immutability included. */
  validateUpdate?(object: T, old: T, errors: FieldErrors, ctx: WriteContext): void;
  /**
   * Texts for `Warning` headers about a new or changed object, which are read up to the limit of a response. Undefined is no
   * text and ends a step.
   */
  warnings?(object: T, old: T | undefined, ctx: WriteContext): Iterable<string | undefined>;
  /**
   * Fields that a write this way never owns, as dotted paths (`status`, `metadata.deletionTimestamp`): they are dropped
   * from ownership (DEC-14, DEC-22).
   */
  readonly resetFields?: readonly string[];
  /** Whether such writes never change `generation`: those of a status, where metadata counts. */
  readonly uncounted?: true;
}

/** A view of an object as another kind, whose members map to members of the object. */
export interface Lens<T extends ApiObject = ApiObject> {
  /** The members of the view besides apiVersion, kind and metadata; the identity is that of the object. Pure. */
  read(object: T): Readonly<Record<string, unknown>>;
  /** Throws where an object has no such view; not called on writes. */
  missing?(object: T): void;
  /** Applies a written view to the object. Changes `object`. */
  write(object: T, value: ApiObject): void;
  /** Fields of the view and of the object, as dotted paths: both have the same owners. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * A subresource: the same object under other rules (`status`, `finalize`, `approval`), a view of it (`scale`), or an action
 * that is not stored (`token`).
 */
export interface SubresourceRules<T extends ApiObject = ApiObject> extends WriteRules<T> {
  readonly verbs: readonly ("get" | "update" | "patch" | "create")[];
  /** The kind of its bodies where that is not the kind of the object (TokenRequest of `token`). */
  readonly takes?: ResourceDefinition;
  /** Other versions of that kind, with the same schema: `policy/v1beta1` of an Eviction. */
  readonly takesAlso?: readonly string[];
  /** The view that get, update and patch read and write, in the kind of its bodies. */
  readonly lens?: Lens<T>;
}

/** A request to a {@link Connector}. */
export interface ConnectRequest {
  /** The segment of the path that names the object. */
  readonly segment: string;
  /** The first value of a parameter of the query. */
  readonly query: (name: string) => string | undefined;
  /** Calls the program of an object where this server can connect to it; else undefined. */
  readonly ask?: (object: ApiObject) => Promise<Reached> | undefined;
}

/** The query of a request to connect. */
export interface ConnectQuery {
  /** Every value of a parameter. */
  all(name: string): readonly string[];
  /** Whether a parameter is set and neither `0` nor `false`. */
  flag(name: string): boolean;
}

/**
 * A subresource that connects to a program (`log`, `exec`, `proxy`). The server validates the request first; that there is no
 * program to connect to is the last error.
 */
export interface Connector<T extends ApiObject = ApiObject> {
  /** The kind of its options, for discovery. */
  readonly kind: string;
  readonly verbs: readonly Verb[];
  /** Whether a path of the program's own may follow. */
  readonly isDeep?: true;
  /**
   * The options of the request, which admission gets (CONNECT). Without it the request is a read, which admission does not
   * get.
   *
   * @param path the program's own part of the path
   */
  options?(query: ConnectQuery, path: string): Readonly<Record<string, Value>>;
  /** The name of the object in a segment that may have more than a name; undefined where there is none. */
  nameIn?(segment: string): string | undefined;
  /** Another object that must exist, in the same namespace where it has one. */
  needs?(object: T): { readonly resource: readonly [group: string, plural: string]; readonly name: string } | undefined;
  /**
   * Throws an `ApiError` where it cannot connect; returns the output of the program or the program of a session, or undefined where
   * there is no output.
   */
  reach(object: T, request: ConnectRequest): void | Promise<Reached>;
}

/** The conversion of a kind that is stored in the form of another definition. */
export interface StoredAs<T extends ApiObject = ApiObject> {
  /** `plural.group/version` of the definition in whose form objects are stored. */
  readonly definition: string;
  /**
   * From this form to the stored one; pure. `replaced` is the stored object before: members that this form does not have are
   * copied from there.
   */
  toStored(object: T, replaced?: ApiObject): ApiObject;
  /** From the stored form to this one; pure. */
  fromStored(object: ApiObject): T;
}

/** The functions that are compiled from a schema. */
export interface Walker {
  /**
   * Converts a decoded body to wire form, in place, and returns it. What does not fit is reported; with mismatches the result
   * must not be used.
   *
   * @param isMerged whether it is the result of an apply, in which null does not mean absent
   */
  decode(value: unknown, report: DecodeReport, isMerged?: boolean): ApiObject;
  /** Sets absent members to the defaults of the schema; those of a nested struct only where the struct is set. */
  applyDefaults(object: ApiObject): void;
  /**
   * Converts an object to its stored form, in place: an empty list or map that is always printed becomes null where the
   * storage of typed clients does not distinguish empty from unset. Its owner was recorded before.
   */
  normalise(object: ApiObject): void;
  /** The decoded object of an empty body. */
  zero(): ApiObject;
  /**
   * Converts a stored object to the current schema, in place, and returns whether that changed it; for kinds whose schema may
   * change while objects are stored (CRD-41, CRD-43).
   */
  read?(object: ApiObject): boolean;
  /** The same without defaults, for an object that is stored in another version than it was written in. */
  prune?(object: ApiObject): void;
}

/** The OpenAPI schemas of a kind whose schema is not in the vocabulary of `meta/types`. */
export interface PublishedSchemas {
  /** The schema of an object for OpenAPI v3. */
  v3(): Readonly<Record<string, unknown>>;
  /** The same for OpenAPI v2, which has fewer keywords; undefined where it is only an object. */
  v2(): Readonly<Record<string, unknown>> | undefined;
}

/** One allocated name of a pool. */
export interface Allocation {
  /** The {@link Pool.id} of the pool. */
  readonly pool: string;
  /** The name in the pool: an address, the number of a port. */
  readonly name: string;
}

/** The object that has an allocation. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
}

/** Names for a dry run, which allocates none. */
export interface Placeholders {
  /** Excludes a name that the object requests. */
  asked(name: string): void;
  next(): string;
}

/** A pool of names, each of which at most one object has. */
export interface Pool {
  readonly id: string;
  /** Why a name is not in the pool; undefined where it is. */
  refuses(name: string): string | undefined;
  /** The names in the order in which they are tried, from a random one on. */
  names(random: Random): Iterable<string>;
  /** The placeholder names of one dry run. */
  placeholders(): Placeholders;
  /** The kind whose objects show the allocations; without it clients do not see them. */
  readonly shown?: ShownPool;
}

/** How the allocations of a pool are shown: an object for each name. */
export interface ShownPool {
  /** `plural.group` of the kind. */
  readonly resource: string;
  /** The object of an allocated name. */
  object(name: string, owner: Owner): NewObject;
  /** The owner in an object; undefined for an object that the server did not create. */
  owner(object: ApiObject): Owner | undefined;
}

/** Allocates names for a write; they are released where the write is not stored. A dry run allocates nothing. */
export interface Allocator {
  /** Allocates a name; resolves to the reason where that is not possible. */
  allocate(pool: Pool, name: string): Promise<string | undefined>;
  /** Allocates any free name; resolves to undefined where none is left. */
  allocateAny(pool: Pool): Promise<string | undefined>;
}

/**
 * The allocations of objects of a kind: addresses, ports. No two objects of a store have the same name of a pool. A name is
 * released when the write that allocated it fails, and when its object no longer has it. The pools know no kind.
 */
export interface Allocations<T extends ApiObject = ApiObject> {
  readonly pools: readonly Pool[];
  /** The allocations of an object. Pure. */
  of(object: T): readonly Allocation[];
  /**
   * Allocates the names that an object requests and does not have, and sets them in the object. Runs before the rules of the
   * kind, which validate members that it cannot read. Changes `object`.
   */
  allocate(object: T, old: T | undefined, allocator: Allocator, errors: FieldErrors, ctx: WriteContext): Promise<void>;
}

/** The names and rules of one kind in one group and version, with objects of type `T`. */
export interface ResourceRules<T extends ApiObject = ApiObject> extends WriteRules<T> {
  /** The API group, empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** `<Kind>List` by default. */
  readonly listKind?: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** Its walker, where the schema is not in the vocabulary of `meta/types`; called on first use. */
  readonly walker?: () => Walker;
  readonly published?: PublishedSchemas;
  readonly verbs?: readonly Verb[];
  /** The supported patch types; all by default. A kind without merge keys has no strategic merge. */
  readonly patches?: readonly PatchType[];
  /** Whether it is served (a feature gate, a dialect); default true. */
  readonly served?: boolean;
  /** An action, which is never stored: only create is possible (a review, a request for a token). */
  readonly asked?: true;
  /** Never stored: reads return objects that the server computes, and nothing else is possible. */
  readonly shown?: true;
  /**
   * Whether clients have no Go type for it (a custom kind): bodies must have apiVersion and kind, items of lists have them,
   * a cell of a table may be empty, and finalizers need no domain.
   */
  readonly untyped?: true;
  /** Whether a finalizer may be any qualified name, also where the dialect requires a domain or a standard one (DEC-1). */
  readonly bareFinalizers?: true;
  /** Whether its objects have secrets: error messages have no values. */
  readonly secret?: true;
  /** The text of the Warning in every response of a deprecated version. */
  readonly deprecated?: string;
  /** The release of Kubernetes that removes a deprecated version, as `1.39`, for audit (AUDIT-19). */
  readonly removedRelease?: string;
  readonly storedAs?: StoredAs<T>;

  /**
   * Converts members before ownership is recorded (a Secret's stringData). Changes `object`, which may be an intent that is
   * not yet validated: members may be missing or of another type, and stay as they are then.
   */
  convert?(object: T, ctx: WriteContext): void;
  /** Defaults that depend on other members; defaults of the schema are set already. Changes `object`. */
  defaults?(object: T, ctx: WriteContext): void;
  /** Resets what a client may not set on create, drops gated fields. Changes `object`. */
  prepareForCreate?(object: T, ctx: WriteContext): void;
  /** Validates a new object. */
  validate?(object: T, errors: FieldErrors, ctx: WriteContext): void;
  /** Rules that may take long, after all others: in steps, and in worker threads. `old` is set for an update. */
  validateInSteps?(
    object: T,
    old: T | undefined,
    subresource: string,
    errors: FieldErrors,
    ctx: WriteContext,
  ): Steps<void | Promise<void>>;
  /** The allocations of its objects: addresses, ports. */
  readonly allocations?: Allocations<T>;
  /** The rule for names; a DNS subdomain by default (DEC-2). */
  readonly nameRule?: NameRule;
  /** Whether the metadata of a new object is validated only where its rules find no errors, as in Kubernetes. */
  readonly metadataLast?: true;
  /** Whether PUT on a missing name creates (DEC-32). */
  readonly createOnUpdate?: boolean;
  /** Whether PUT requires a resourceVersion where the dialect does (DEC-31). */
  readonly versionedUpdate?: boolean;
  /**
   * Whether a delete without a policy orphans dependents: the object stays until they have no reference to it, with a warning
   * where there is one (KIND-All-7, KIND-All-8).
   */
  readonly orphansDependents?: true | { readonly warning: string };
  /** Whether a new object starts at generation 1, counts from its first change, or has none (DEC-3). */
  readonly generation?: "fromOne" | "fromFirstChange";
  /** Whether a change increments `generation`; by default one of `spec`. */
  counts?(object: T, old: T, ctx: WriteContext): boolean;
  /** Seconds that a delete waits before the object is removed, by default 0 (SUP-5). */
  gracePeriod?(object: T, requested: number | undefined): number;
  /**
   * `twoSteps`: the first delete only marks the object; a later one, or the removal of its last finalizer, removes it. Used
   * for namespaces (DEC-34).
   */
  readonly deletion?: "twoSteps";
  /** Changes an object when its deletion begins (a Namespace becomes Terminating). Changes `object`. */
  beginDelete?(object: T, ctx: WriteContext): void;
  /** Whether something besides `metadata.finalizers` blocks the deletion (a Namespace's `spec.finalizers`). */
  isHeld?(object: T): boolean;
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;
  readonly connectors?: Readonly<Record<string, Connector<T>>>;
  /** Selectable fields besides `metadata.name` and `metadata.namespace`, and how to read them (DEC-25). */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** Columns after the name; a name and an age column by default. */
  readonly columns?: readonly Column<T>[];
}

/** One kind in one group and version. */
export interface ResourceDefinition extends ResourceRules {
  readonly singular: string;
  /** One or two sentences for `kubectl explain`. */
  readonly description: string;
  readonly schema: TSchema;
  /** What a finished delete returns (EP-30..51). */
  readonly deleteReturns: "object" | "status";
}

/** Creates the definitions of a group for a dialect. */
export type DefinitionFactory = (ctx: ApiContext) => readonly ResourceDefinition[];
