/** Triggers of a reconcile other than its objects. */
import type { ApiObject, Key, Kind, Scope } from "../client/index.ts";
import type { Clock } from "../util/clock.ts";
import { type GetInformer, type InformerSpec, specOf } from "./informer.ts";
import type { HeldInformer } from "./informers.ts";
import type { Predicate } from "./object-event.ts";
import type { ServedKinds } from "./served-kinds.ts";

/** Watched objects, and the keys that each of them triggers. */
export interface WatchSource {
  readonly spec: InformerSpec;
  readonly keys: (object: ApiObject, informer: GetInformer) => Iterable<Key>;
  readonly predicate: Predicate<ApiObject> | undefined;
}

/** The parts of a source. */
export interface SourceParts {
  /** The served kinds, as they change. */
  readonly kinds: ServedKinds;
  /** Returns the informer of a spec; it runs until it is disposed of. */
  readonly informer: <T extends ApiObject, S extends Scope, X extends string>(
    spec: InformerSpec<T, S, X>,
  ) => HeldInformer<T, S, X>;
  /** Returns an informer of the definition. */
  readonly own: GetInformer;
  readonly clock: Clock;
}

/** A source of keys. */
export interface Source<K extends Key = Key> {
  readonly watch?: WatchSource;
  /** Starts adding keys, until the result is disposed of. */
  readonly push?: (add: (key: K) => void, parts: SourceParts) => Disposable;
  /** Keys of an external source; it is called again after an error. */
  readonly poll?: (signal: AbortSignal) => AsyncIterable<K>;
}

/** Creates a source of keys from a poll or a queue. */
export const keysFrom = <K extends Key>(keys: (signal: AbortSignal) => AsyncIterable<K>): Source<K> => ({ poll: keys });

/**
 * Creates a source of keys that `start` adds: from callers, or informers of changing kinds. It is called at the start
 * of a term; its result is disposed of at the end.
 */
export const keysPushed = <K extends Key>(
  start: (add: (key: K) => void, parts: SourceParts) => Disposable,
): Source<K> => ({
  push: start,
});

/** Creates a source of keys from changes of other objects; of an update both states are mapped. */
export const watches = <T extends ApiObject, S extends Scope, K extends Key>(
  kind: Kind<T, S> | InformerSpec<T, S>,
  keys: (object: T, informer: GetInformer) => Iterable<K>,
  predicate?: Predicate<NoInfer<T>>,
): Source<K> => ({
  watch: { spec: specOf(kind), keys: keys as WatchSource["keys"], predicate },
});
