/**
 * Informers: specs of what to watch, and the view of what was seen. Equal specs in a manager share one list, watch and
 * copy.
 */
import type { ApiObject, Key, Kind, ObjectIn, Query, Scope, ScopeIn } from "../client/index.ts";
import type { ObjectEvent } from "./object-event.ts";

/** Returns the values of an object in an index: none, one or several. */
export type Index<T> = {
  // A method is bivariant: an index of any object is one of Pods, too.
  of(object: T): string | readonly string[] | undefined;
}["of"];

/** Which objects an informer follows. */
export type Selection = Pick<Query, "namespace" | "labelSelector" | "fieldSelector">;

/** Reduces an object before it is stored; informers with the same function share their copy. */
export type Keep<T> = {
  // As for an index.
  of(object: T): T;
}["of"];

/** Drops managedFields, a third of most objects; an update without them keeps them on the server. */
export function withoutManagedFields<T extends ApiObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Which objects to follow, what to keep of them, and their indexes. */
export interface InformerSpec<T extends ApiObject = ApiObject, S extends Scope = Scope, X extends string = string> {
  readonly kind: Kind<T, S>;
  readonly indexes: Readonly<Record<X, Index<T>>>;
  readonly selection: Selection;
  /** The option of the manager by default. */
  readonly keep?: Keep<T> | undefined;
}

/** The options of a spec. */
export interface InformerOptions<T extends ApiObject = ApiObject, X extends string = string> extends Selection {
  readonly indexes?: Readonly<Record<X, Index<T>>>;
  readonly keep?: Keep<T>;
}

/** Creates the spec of an informer; it follows all objects of the kind by default. */
export function sharedInformer<T extends ApiObject, S extends Scope, X extends string = never>(
  kind: Kind<T, S>,
  options?: InformerOptions<NoInfer<T>, X>,
): InformerSpec<T, S, X>;
/** Creates the spec of an informer of one of several kinds, with their common type. */
export function sharedInformer<K extends Kind, X extends string = never>(
  kind: K,
  options?: InformerOptions<ObjectIn<K>, X>,
): InformerSpec<ObjectIn<K>, ScopeIn<K>, X>;
export function sharedInformer(kind: Kind, options: InformerOptions = {}): InformerSpec {
  const { indexes = {}, keep, ...selection } = options;
  return { kind, indexes, selection, keep };
}

/** Returns the spec of a kind, or the spec itself. */
export const specOf = <T extends ApiObject, S extends Scope>(
  from: Kind<T, S> | InformerSpec<T, S>,
): InformerSpec<T, S> => ("indexes" in from ? from : { kind: from, indexes: {}, selection: {} });

/**
 * The state of an informer: the kind is not served, the first list is pending, it follows, or its watch is broken and
 * memory may be stale.
 */
export type InformerState = "absent" | "syncing" | "synced" | "behind";

/** A view of what an informer has seen. Objects are shared and frozen. */
export interface Informer<T extends ApiObject = ApiObject, S extends Scope = Scope, X extends string = string> {
  readonly state: InformerState;
  get(key: Key<S>): T | undefined;
  list(filter?: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> }): readonly T[];
  /** Returns the objects with a value in an index. */
  by(index: X, value: string): readonly T[];
  /** Calls a listener for existing objects as added, then for each change. */
  on(listener: (event: ObjectEvent<T>) => void): Disposable;
}

/** Returns the informer of a spec. */
export type GetInformer = <T extends ApiObject, S extends Scope, X extends string>(
  spec: InformerSpec<T, S, X>,
) => Informer<T, S, X>;
