/**
 * What starts a reconcile beside the objects themselves.
 *
 * @module
 */
import type { ApiObject, Key, Kind, Scope } from "../client/index.ts";
import { type GetInformer, type InformerSpec, specOf } from "./informer.ts";
import type { Predicate } from "./object-event.ts";

/** Objects that are watched, and the keys that each of them concerns. */
export interface WatchSource {
  readonly spec: InformerSpec;
  readonly keys: (object: ApiObject, informer: GetInformer) => Iterable<Key>;
  readonly predicate: Predicate<ApiObject> | undefined;
}

/** Where keys come from. */
export interface Source<K extends Key = Key> {
  readonly watch?: WatchSource;
  /** Keys of another world; asked anew when it ends with an error. */
  readonly poll?: (signal: AbortSignal) => AsyncIterable<K>;
}

/** Keys from a poll, a queue or a webhook. */
export const keysFrom = <K extends Key>(keys: (signal: AbortSignal) => AsyncIterable<K>): Source<K> => ({ poll: keys });

/**
 * Keys from changes of other objects: of each that changes, `keys` says which objects it concerns; of a change both what
 * it was and what it is are asked.
 */
export const watches = <T extends ApiObject, S extends Scope, K extends Key>(
  kind: Kind<T, S> | InformerSpec<T, S>,
  keys: (object: T, informer: GetInformer) => Iterable<K>,
  predicate?: Predicate<NoInfer<T>>,
): Source<K> => ({
  watch: { spec: specOf(kind), keys: keys as WatchSource["keys"], predicate },
});
