/**
 * What a controller is: a value that can be started many times, on many managers, and shares nothing.
 *
 *     const greeter = defineController({
 *       name: "greeter",
 *       for: ConfigMap,
 *       async reconcile({ object, apply }) {
 *         await apply(ConfigMap, { metadata: { name: `${object.metadata.name}-greeting` }, data: { text: "hello" } });
 *       },
 *     });
 *
 * @module
 */
import type {
  ApiObject,
  ApplyConfiguration,
  Client,
  Duration,
  Key,
  Kind,
  NewObject,
  Scope,
  StatusOf,
} from "../client/index.ts";
import type { Condition } from "../client/kinds/index.ts";
import type { Clock } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import type { GetInformer, InformerSpec } from "./informer.ts";
import type { SourceParts } from "./sources.ts";
import type { Predicate } from "./object-event.ts";
import type { ServedKinds } from "./served-kinds.ts";
import type { Source } from "./sources.ts";

/**
 * How a reconcile ends: nothing to do before the next change; again after a time; or `terminal`, not again before a change
 * although it failed, with the reason. What is thrown is tried again, with backoff.
 */
export type Result = void | { readonly requeueAfter: Duration } | { readonly terminal: string };

/** Time as a controller sees it. */
export interface ControllerClock extends Pick<Clock, "now" | "steady"> {
  /** Resolves after a time of this clock, or as soon as the signal is aborted. */
  readonly sleep: (time: Duration, signal?: AbortSignal) => Promise<void>;
}

/** Records an event about the object: it never throws and never waits. */
export type RecordEvent = (reason: string, note: string, related?: ApiObject) => void;

/** What every reconcile is given. */
export interface CommonContext {
  /** 1, and one more for each failure since the last success. */
  readonly attempt: number;
  readonly clock: ControllerClock;
  /** Asks the server; its requests are given up when {@link signal} is aborted. */
  readonly client: Client;
  /** Reads memory: informers that the definition names in `for`, `owns`, `uses` and `sources`. */
  readonly informer: GetInformer;
  /** The kinds that the server has, as they come and go. */
  readonly kinds: ServedKinds;
  /** The log of the manager: lines name the controller and the key, and those of one key are of one cause. */
  readonly log: Log;
  /** Aborted on stop, after the timeout and when the lead is lost; from then on every write of this context is refused. */
  readonly signal: AbortSignal;
}

/** What a reconcile of an object is given. */
export interface Context<T extends ApiObject = ApiObject, S extends Scope = Scope> extends CommonContext {
  /** The object as memory has it; frozen. */
  readonly object: T;
  readonly key: Key<S>;
  /** The objects of a kind in `owns` of which this object is the controller, from memory. */
  readonly owned: <U extends ApiObject, S2 extends Scope>(kind: Kind<U, S2>) => readonly U[];
  /**
   * Applies an intent by force, in the name of the controller: what is no longer said goes. Objects of kinds in `owns`
   * get the owner reference; the namespace is that of the object by default.
   */
  readonly apply: <U extends ApiObject, S2 extends Scope>(
    kind: Kind<U, S2>,
    config: ApplyConfiguration<U>,
  ) => Promise<U>;
  /** Creates, likewise: for `generateName`. */
  readonly create: <U extends ApiObject, S2 extends Scope>(kind: Kind<U, S2>, object: NewObject<U>) => Promise<U>;
  /** Deletes that very object; that it is gone already is fine. */
  readonly delete: <U extends ApiObject, S2 extends Scope>(kind: Kind<U, S2>, object: U) => Promise<void>;
  /** Applies the whole of what this controller says in the status; what it leaves out it gives up. */
  readonly status: (status: StatusOf<T>) => Promise<T>;
  /** A condition for {@link status}: its time moves only with its status. */
  readonly condition: (type: string, status: boolean | "Unknown", reason: string, message?: string) => Condition;
  /** Events for people, in series where something happens again. */
  readonly events: Readonly<Record<"normal" | "warning", RecordEvent>>;
}

/** What a reconcile of a key is given. */
export interface KeyContext<M extends Disposable = Disposable> extends CommonContext {
  readonly key: string;
  /** What the term has made for itself. */
  readonly memory: M;
  /** Records an event about an object. */
  readonly event: (type: "Normal" | "Warning", regarding: ApiObject, ...told: Parameters<RecordEvent>) => void;
}

/** What all controllers say of themselves. */
interface CommonDefinition {
  /** Field manager, user agent, source of events and label of metrics; unique in its manager. */
  readonly name: string;
  /** Who its events say that they are from. Default its name. */
  readonly eventSource?: string;
  /** What is only read. */
  readonly uses?: readonly InformerSpec[];
  /** Keys side by side. Default 4. */
  readonly concurrency?: number;
  /** How long a reconcile may take before its signal is aborted. Default 2 m. */
  readonly timeout?: Duration;
  /** The waits after failures. Default 50 ms, doubled up to 5 m. */
  readonly backoff?: { readonly first?: Duration; readonly most?: Duration };
  /** Whether only a leader runs it. Default true. */
  readonly needLeaderElection?: boolean;
}

/** A controller whose keys are no objects of one kind: objects of many, or what lies between them. */
export interface KeyControllerDefinition<M extends Disposable = Disposable> extends CommonDefinition {
  /**
   * Made whenever it begins to work, disposed of when that ends: what it follows beside `uses`, what it remembers. It adds
   * the keys that are to be reconciled; it is there before the first of them.
   */
  readonly begin: (this: void, parts: SourceParts, add: (key: string) => void) => M;
  reconcile(this: void, context: KeyContext<M>): Result | Promise<Result>;
}

/** A controller as it is written. */
export interface ControllerDefinition<
  T extends ApiObject = ApiObject,
  S extends Scope = Scope,
> extends CommonDefinition {
  /** The kind whose objects are looked after, each by its key. */
  readonly for: Kind<T, S> | InformerSpec<T, S>;
  /** Which events of those objects count; all by default. It never hides the beginning of a deletion from a finalizer. */
  readonly predicate?: Predicate<NoInfer<T>>;
  /** Kinds whose objects are made by this controller: a change of one starts its owner. */
  readonly owns?: readonly (Kind | InformerSpec)[];
  /** What else starts a reconcile. */
  readonly sources?: readonly Source<Key<S>>[];
  /** Looks at every object again after this time, from memory. Default never. */
  readonly resync?: Duration;
  /** Kept on every object until {@link cleanup} is done; it is there before the first reconcile. */
  readonly finalizer?: string;
  reconcile(this: void, context: Context<T, S>): Result | Promise<Result>;
  /** Ends what the object stood for; done when it ends without `requeueAfter`. It may run twice, or without reconcile. */
  cleanup?(this: void, context: Context<T, S>): Result | Promise<Result>;
  /** An object that was reconciled is gone: drop what memory held of it. */
  gone?(this: void, key: Key<S>): void | Promise<void>;
}

/** What a controller looks after: objects of a kind, or keys. */
export type AnyDefinition = ControllerDefinition | KeyControllerDefinition;

/** A controller as a manager takes it. */
export interface Controller {
  readonly name: string;
  readonly definition: AnyDefinition;
}

/** Makes a controller; wrong definitions are refused here, not when they run. */
export function defineController<T extends ApiObject, S extends Scope>(
  definition: ControllerDefinition<T, S>,
): Controller {
  const { name, finalizer, cleanup } = definition;
  if ((finalizer === undefined) !== (cleanup === undefined)) {
    throw new TypeError(`expected finalizer and cleanup together in controller ${name}`);
  }
  return controllerOf(definition as unknown as ControllerDefinition);
}

/** Makes a controller of keys, likewise. */
export const defineKeyController = <M extends Disposable>(definition: KeyControllerDefinition<M>): Controller =>
  controllerOf(definition as unknown as KeyControllerDefinition);

function controllerOf(definition: AnyDefinition): Controller {
  const { name, concurrency = 1 } = definition;
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/.test(name)) {
    throw new TypeError(
      `expected the name of a controller to be a word such as replica-sets, got ${JSON.stringify(name)}`,
    );
  }
  if (!(concurrency >= 1)) throw new RangeError(`expected concurrency to be at least 1 in controller ${name}`);
  return { name, definition };
}
