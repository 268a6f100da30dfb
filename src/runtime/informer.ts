/**
 * Informers: what is watched, as a value, and the view of what was seen.
 *
 * A spec says which objects to follow. Equal specs in one manager are one list, one watch and one parse, whoever asks.
 *
 * @module
 */
import type { ApiObject, Key, Kind, ObjectIn, Query, Scope, ScopeIn } from "../client/index.ts";
import type { ObjectEvent } from "./object-event.ts";

/** Under which values an object is found in an index; none, one or several. */
export type Index<T> = {
  // A method: an index of any object is one of pods, too.
  of(object: T): string | readonly string[] | undefined;
}["of"];

/** Which objects an informer follows. */
export type Selection = Pick<Query, "namespace" | "labelSelector" | "fieldSelector">;

/** What is kept of an object: a function of the module, so that those who keep the same share it. */
export type Keep<T> = {
  // A method, as that of an index.
  of(object: T): T;
}["of"];

/** Keeps all but who wrote what, which is a third of most objects; an update without it leaves it as it is. */
export function withoutManagedFields<T extends ApiObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Which objects to follow, what to keep of them, and by what they are to be found. */
export interface InformerSpec<T extends ApiObject = ApiObject, S extends Scope = Scope, X extends string = string> {
  readonly kind: Kind<T, S>;
  readonly indexes: Readonly<Record<X, Index<T>>>;
  readonly selection: Selection;
  /** What the manager says by default. */
  readonly keep?: Keep<T> | undefined;
}

/** What a spec says beside its kind. */
export interface InformerOptions<T extends ApiObject = ApiObject, X extends string = string> extends Selection {
  readonly indexes?: Readonly<Record<X, Index<T>>>;
  readonly keep?: Keep<T>;
}

/** The spec of an informer; all objects of the kind unless a namespace or a selector says otherwise. */
export function sharedInformer<T extends ApiObject, S extends Scope, X extends string = never>(
  kind: Kind<T, S>,
  options?: InformerOptions<T, X>,
): InformerSpec<T, S, X>;
/** The spec of an informer of one of several kinds: what all of them have in common is known. */
export function sharedInformer<K extends Kind, X extends string = never>(
  kind: K,
  options?: InformerOptions<ObjectIn<K>, X>,
): InformerSpec<ObjectIn<K>, ScopeIn<K>, X>;
export function sharedInformer(kind: Kind, options: InformerOptions = {}): InformerSpec {
  const { indexes = {}, keep, ...selection } = options;
  return { kind, indexes, selection, keep };
}

/** The spec of a kind, or the spec itself. */
export const specOf = <T extends ApiObject, S extends Scope>(
  from: Kind<T, S> | InformerSpec<T, S>,
): InformerSpec<T, S> => ("indexes" in from ? from : { kind: from, indexes: {}, selection: {} });

/**
 * How far an informer is: the kind is not served (yet), the first list is on its way, it follows, or its watch is
 * broken and memory may be behind.
 */
export type InformerState = "absent" | "syncing" | "synced" | "behind";

/** What an informer has seen. What it gives out is shared and frozen. */
export interface Informer<T extends ApiObject = ApiObject, S extends Scope = Scope, X extends string = string> {
  readonly state: InformerState;
  get(key: Key<S>): T | undefined;
  list(filter?: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> }): readonly T[];
  /** The objects that an index of the spec has under a value. */
  by(index: X, value: string): readonly T[];
  /** Hears what is there as added, then each change. */
  on(listener: (event: ObjectEvent<T>) => void): Disposable;
}

/** Gives the informer of a spec. */
export type GetInformer = <T extends ApiObject, S extends Scope, X extends string>(
  spec: InformerSpec<T, S, X>,
) => Informer<T, S, X>;
