/**
 * What starts a reconcile beside the objects themselves.
 *
 * @module
 */
import type { ApiObject, Key, Kind, Scope } from "../client/index.ts";
import type { Clock } from "../util/clock.ts";
import { type GetInformer, type InformerSpec, specOf } from "./informer.ts";
import type { HeldInformer } from "./informers.ts";
import type { Predicate } from "./object-event.ts";
import type { ServedKinds } from "./served-kinds.ts";

/** Objects that are watched, and the keys that each of them concerns. */
export interface WatchSource {
  readonly spec: InformerSpec;
  readonly keys: (object: ApiObject, informer: GetInformer) => Iterable<Key>;
  readonly predicate: Predicate<ApiObject> | undefined;
}

/** What a source may follow beside what its controller names. */
export interface SourceParts {
  /** The kinds that the server has, as they come and go. */
  readonly kinds: ServedKinds;
  /** The informer of a spec; it follows until it is disposed of. */
  readonly informer: <T extends ApiObject, S extends Scope, X extends string>(
    spec: InformerSpec<T, S, X>,
  ) => HeldInformer<T, S, X>;
  /** The informers that its controller names. */
  readonly own: GetInformer;
  readonly clock: Clock;
}

/** Where keys come from. */
export interface Source<K extends Key = Key> {
  readonly watch?: WatchSource;
  /** Begins to add keys, and ends when what it gives back is disposed of. */
  readonly push?: (add: (key: K) => void, parts: SourceParts) => Disposable;
  /** Keys of another world; asked anew when it ends with an error. */
  readonly poll?: (signal: AbortSignal) => AsyncIterable<K>;
}

/** Keys from a poll or a queue. */
export const keysFrom = <K extends Key>(keys: (signal: AbortSignal) => AsyncIterable<K>): Source<K> => ({ poll: keys });

/**
 * Keys that are added from outside: by whoever calls, by informers of kinds that come and go. `start` is called whenever the
 * controller begins to work; what it gives back is disposed of when that ends.
 */
export const keysPushed = <K extends Key>(
  start: (add: (key: K) => void, parts: SourceParts) => Disposable,
): Source<K> => ({
  push: start,
});

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
