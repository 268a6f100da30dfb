/**
 * A resource is one definition: names, schema, defaults, rules and columns of a kind, as data and a few pure functions.
 *
 * Everything else derives from it: decoding, defaulting, pruning, merge topology, OpenAPI, discovery, tables, selectors.
 * A built-in kind is made with `defineResource`: its rules see objects of the type that follows from its schema.
 * A kind that is set while requests run is the same structure; nothing in `registry/` or `server/` knows
 * whether a kind is built in.
 *
 * The life of a written object, and where the functions of a definition come in:
 *
 *     decode (schema) -> convert -> defaults (schema, then `defaults`) -> ownership -> admission
 *       -> prepareForCreate | prepareForUpdate -> validate | validateUpdate -> store
 *
 * Objects are plain JSON in wire form. `convert`, `defaults` and the `prepare` functions change the object they are
 * given (it belongs to the request); `old` objects and all objects given to `validate` are read only.
 *
 * @module
 */
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

/** What is the same for every request of a server. */
export interface ApiContext {
  readonly dialect: Dialect;
  readonly gates: Gates;
  readonly clock: Clock;
  readonly random: Random;
  /** Runs jobs that would block the event loop; without it, they run on the main thread. */
  readonly threads?: WorkerThreads;
  /** The addresses and ports that Services are given; those of `meta/service-ranges.ts` by default. */
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

/** An object that the server makes itself, in whatever version its kind is stored. */
export interface NewObject {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [member: string]: unknown;
}

/** Who writes, as far as an object tells it of itself. */
export interface Writer {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the functions of a definition see of the request beside the object. */
export interface WriteContext extends ApiContext {
  /** Absent where the server itself writes. */
  readonly writer?: Writer;
  /** Texts for `Warning` headers; add to it. */
  readonly warnings: string[];
  /**
   * Dotted paths of lists and maps that were sent empty and are left out, for the few rules to which that is another value
   * than none; of the object that was decoded last, the first 32.
   */
  sentEmpty?: readonly string[];
  /** The labels of a namespace, for the few rules that ask for them; none where it is not there, or nobody can be asked. */
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
}

/** How an object of one kind may be called (DEC-2). The value is true when the name is fine, else what was expected. */
export type NameRule = (name: string) => true | string;

/** Rules of one way to write an object: the object itself, or one of its subresources. */
export interface WriteRules<T extends ApiObject = ApiObject> {
  /** Resets what a client may not set this way, drops gated fields, counts generations. Changes `object`. */
  prepareForUpdate?(object: T, old: T, ctx: WriteContext): void;
  /** Everything that is wrong with the new state of an object, immutability included. */
  validateUpdate?(object: T, old: T, errors: FieldErrors, ctx: WriteContext): void;
  /**
   * Texts for `Warning` headers about a new or changed object; no more are taken than an answer has room for. Undefined is
   * none: a place between two of many members, where others may be served.
   */
  warnings?(object: T, old: T | undefined, ctx: WriteContext): Iterable<string | undefined>;
  /**
   * Fields that a write this way never owns, as dotted paths (`status`, `metadata.deletionTimestamp`): they are dropped
   * from ownership (DEC-14, DEC-22).
   */
  readonly resetFields?: readonly string[];
  /** Whether changes this way never count in `generation`: those of a status, where metadata counts. */
  readonly uncounted?: true;
}

/** How an object looks as another kind: what a client reads and writes there stands for members of the object. */
export interface Lens<T extends ApiObject = ApiObject> {
  /** The members of the value beside apiVersion, kind and metadata; the identity is that of the object. Pure. */
  read(object: T): Readonly<Record<string, unknown>>;
  /** Throws where an object has nothing that could be shown; not asked of one that is written. */
  missing?(object: T): void;
  /** Puts what a value wants into the object. Changes `object`. */
  write(object: T, value: ApiObject): void;
  /** Fields of the value and the fields of the object that they stand for, as dotted paths: they have the same owners. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * A subresource is a way to an object, whatever its verbs: the same object under other rules (`status`, `finalize`,
 * `approval`), what a lens shows of it (`scale`), or a question below it that is answered and not stored (`token`).
 */
export interface SubresourceRules<T extends ApiObject = ApiObject> extends WriteRules<T> {
  readonly verbs: readonly ("get" | "update" | "patch" | "create")[];
  /** The kind of its bodies where that is not the kind of the object (`token` takes a TokenRequest). */
  readonly takes?: ResourceDefinition;
  /** Other versions of that kind, which say the same: `policy/v1beta1` of an Eviction. */
  readonly takesAlso?: readonly string[];
  /** What get, update and patch show and change of the object, in the kind that it takes. */
  readonly lens?: Lens<T>;
}

/** A request that comes by a {@link Way}. */
export interface WayRequest {
  /** The segment of the path that names the object. */
  readonly segment: string;
  /** The first value of a parameter of the query. */
  readonly query: (name: string) => string | undefined;
  /** Asks the program behind an object, where this server reaches it; undefined where it does not. */
  readonly ask?: (object: ApiObject) => Promise<AsyncIterable<Uint8Array>> | undefined;
}

/** The query of a request to connect. */
export interface ConnectQuery {
  /** Every value of a parameter. */
  all(name: string): readonly string[];
  /** Whether a parameter is there and neither `0` nor `false`. */
  flag(name: string): boolean;
}

/**
 * A subresource that leads on to a program (`log`, `exec`, `proxy`). This server says all that can be said before anybody is
 * asked; that there is nobody to ask it says last.
 */
export interface Way<T extends ApiObject = ApiObject> {
  /** The kind of its options, for discovery. */
  readonly kind: string;
  readonly verbs: readonly Verb[];
  /** Whether a path of the program's own may follow. */
  readonly isDeep?: true;
  /**
   * What the request asks of the connection, as members of its options: admission is asked about them (CONNECT). Without it the way is
   * a read, which admission does not see.
   *
   * @param path the program's own part of the path
   */
  options?(query: ConnectQuery, path: string): Readonly<Record<string, Value>>;
  /** The object that a segment names, where more than a name may stand there; undefined where it names none. */
  nameIn?(segment: string): string | undefined;
  /** What must be there, too: an object of another kind, in the same namespace where it has one. */
  needs?(object: T): { readonly resource: readonly [group: string, plural: string]; readonly name: string } | undefined;
  /**
   * Throws an `ApiError` that says why nothing can be reached; returns what the program says, or nothing where there is nothing to be
   * said.
   */
  reach(object: T, request: WayRequest): void | Promise<AsyncIterable<Uint8Array>>;
}

/** A kind that is stored in the form of another definition: one storage, several group versions. */
export interface StoredAs<T extends ApiObject = ApiObject> {
  /** `plural.group/version` of the definition in whose form objects are stored. */
  readonly definition: string;
  /**
   * From this form to the stored one; pure. `replaced` is the stored object that it takes the place of: members that
   * this form cannot say are taken from there.
   */
  toStored(object: T, replaced?: ApiObject): ApiObject;
  /** From the stored form to this one; pure. */
  fromStored(object: ApiObject): T;
}

/** What is compiled from a schema. */
export interface Walker {
  /**
   * Brings a decoded body into wire form, in place, and returns it. Whatever does not fit is told to `report`; with
   * mismatches the result must not be used.
   *
   * @param isMerged whether it is what an apply made: a null in it is no longer a way to leave something out
   */
  decode(value: unknown, report: DecodeReport, isMerged?: boolean): ApiObject;
  /** Gives absent members the defaults of the schema; those of a nested struct only where the struct is there. */
  applyDefaults(object: ApiObject): void;
  /**
   * Brings an object that is about to be stored into the form in which it reads back, in place: an empty list or map that
   * is always printed becomes null where the storage of typed clients does not tell empty from unset. Its owner was
   * recorded before.
   */
  settle(object: ApiObject): void;
  /** The object that an empty body is. */
  zero(): ApiObject;
  /**
   * Brings a stored object into the form that the schema of today gives it, in place, and says whether it had another;
   * there for kinds whose schema may change while objects are stored (CRD-41, CRD-43).
   */
  read?(object: ApiObject): boolean;
  /** The same without defaults, for an object that is about to be stored in another version than it was written in. */
  prune?(object: ApiObject): void;
}

/** What the documents of OpenAPI say of the objects of a kind whose schema is not written in the vocabulary of `meta/types`. */
export interface PublishedSchemas {
  /** The schema of an object as OpenAPI v3 has it. */
  v3(): Readonly<Record<string, unknown>>;
  /** The same, without what OpenAPI v2 has no words for; undefined where nothing may be said but that it is an object. */
  v2(): Readonly<Record<string, unknown>> | undefined;
}

/** One name of a pool that an object has. */
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
  /** Notes a name that was asked for. */
  asked(name: string): void;
  next(): string;
}

/** A set of names, each of which at most one object has. */
export interface Pool {
  readonly id: string;
  /** Why a name is not one of the pool; undefined where it is. */
  refuses(name: string): string | undefined;
  /** The names in the order in which they are tried for an object that asks for any; the beginning is random. */
  names(random: Random): Iterable<string>;
  /** What one dry run shows in place of a name: nothing is searched for it. */
  placeholders(): Placeholders;
  /** The kind whose objects show the allocations; without it clients do not see them. */
  readonly shown?: ShownPool;
}

/** How the allocations of a pool are shown: an object for each name. */
export interface ShownPool {
  /** `plural.group` of the kind. */
  readonly resource: string;
  /** The object that says who has a name. */
  object(name: string, owner: Owner): NewObject;
  /** The owner that an object says; undefined for an object that was not made here. */
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
 * The names that objects of a kind have for themselves alone: addresses, ports. No other object gets the same name, whichever
 * server of a store is asked; the name is free again when the write that allocated it fails, and when its object does not have
 * it any more. The pools know no kind.
 */
export interface Allocations<T extends ApiObject = ApiObject> {
  readonly pools: readonly Pool[];
  /** The allocations of an object. Pure. */
  of(object: T): readonly Allocation[];
  /**
   * Allocates what an object asks for and does not have yet, and writes into the object what it got. Runs before the rules of
   * the kind, so any member may be wrong: it leaves to the rules what it does not understand. Changes `object`.
   */
  allocate(object: T, old: T | undefined, allocator: Allocator, errors: FieldErrors, ctx: WriteContext): Promise<void>;
}

/** The names and rules of one kind in one group and version; they see its objects as `T`. */
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
  /** How its objects are walked, where that does not follow from the vocabulary of `meta/types`; called on first use. */
  readonly walker?: () => Walker;
  readonly published?: PublishedSchemas;
  readonly verbs?: readonly Verb[];
  /** The ways to patch it; all by default. A kind without merge keys has no strategic merge. */
  readonly patches?: readonly PatchType[];
  /** Not served unless this says so (a feature gate, a dialect). */
  readonly served?: boolean;
  /** Never stored: a create asks something of the server, and nothing else is possible (a review, a request for a token). */
  readonly asked?: true;
  /** Never stored: what a server knows is made into objects when they are read, and nothing else is possible. */
  readonly shown?: true;
  /**
   * Whether clients have no type of their own for it (a custom kind): bodies must say what they are, lists and their items
   * do, a cell of a table may be empty, and finalizers need not be known ones.
   */
  readonly untyped?: true;
  /** Whether a qualified name is enough for a finalizer also where the dialect asks for a domain or a known one (DEC-1). */
  readonly bareFinalizers?: true;
  /** Whether its objects hold secrets: what is wrong with one is told without any value. */
  readonly secret?: true;
  /** The text of the Warning that every answer of a deprecated version carries. */
  readonly deprecated?: string;
  /** The release of Kubernetes that does not serve a deprecated version any more, as `1.39`; audit tells it (AUDIT-19). */
  readonly removedRelease?: string;
  readonly storedAs?: StoredAs<T>;

  /**
   * What decoding turns members into, before anything is owned (a Secret's stringData). Changes `object`, which may be an intent
   * that nobody has looked at yet: any member may be missing or of another type, and is then left to who refuses it.
   */
  convert?(object: T, ctx: WriteContext): void;
  /** Defaults that depend on other members; defaults of the schema are there already. Changes `object`. */
  defaults?(object: T, ctx: WriteContext): void;
  /** Resets what a client may not set on create, drops gated fields. Changes `object`. */
  prepareForCreate?(object: T, ctx: WriteContext): void;
  /** Everything that is wrong with a new object. */
  validate?(object: T, errors: FieldErrors, ctx: WriteContext): void;
  /** Rules that may take long, told after all others: in steps, between which others are served, and beside the event loop. `old` for an update. */
  validateInSteps?(
    object: T,
    old: T | undefined,
    subresource: string,
    errors: FieldErrors,
    ctx: WriteContext,
  ): Steps<void | Promise<void>>;
  /** What its objects take for themselves alone: addresses, ports. */
  readonly allocations?: Allocations<T>;
  /** How objects may be called; a DNS subdomain by default (DEC-2). */
  readonly nameRule?: NameRule;
  /** Whether what is wrong with the metadata of a new object is told only where its rules find nothing else, as Kubernetes tells it. */
  readonly metadataLast?: true;
  /** Whether PUT on a missing name creates (DEC-32). */
  readonly createOnUpdate?: boolean;
  /** Whether PUT must carry a resourceVersion where the dialect demands one (DEC-31). */
  readonly versionedUpdate?: boolean;
  /**
   * Whether a delete without a policy leaves what the object owns: it stays until somebody has seen to that, and says so where
   * there is a warning (KIND-All-7, KIND-All-8).
   */
  readonly orphansDependents?: true | { readonly warning: string };
  /** Whether a new object starts at generation 1, counts from its first change, or has none (DEC-3). */
  readonly generation?: "fromOne" | "fromFirstChange";
  /** Whether a change counts, in what `generation` counts; by default one of `spec`. */
  counts?(object: T, old: T, ctx: WriteContext): boolean;
  /** Seconds that a delete waits before the object goes, by default 0: at once (SUP-5). */
  gracePeriod?(object: T, requested: number | undefined): number;
  /**
   * `twoSteps`: the first delete only marks the object, a later one (or the change that takes its last hold away)
   * removes it. Namespaces go that way (DEC-34).
   */
  readonly deletion?: "twoSteps";
  /** Changes an object when its deletion begins (a Namespace becomes Terminating). Changes `object`. */
  beginDelete?(object: T, ctx: WriteContext): void;
  /** Whether something beside `metadata.finalizers` keeps a deleted object (a Namespace's `spec.finalizers`). */
  isHeld?(object: T): boolean;
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;
  readonly ways?: Readonly<Record<string, Way<T>>>;
  /** Fields that selectors may name beside `metadata.name` and `metadata.namespace`, and how to read them (DEC-25). */
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
  /** What a finished delete answers (EP-30..51). */
  readonly deleteAnswers: "object" | "status";
}

/** A family of kinds: made for a dialect, so that names and switches are decided once. */
export type DefinitionFactory = (ctx: ApiContext) => readonly ResourceDefinition[];
