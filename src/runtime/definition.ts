/**
 * The definition of a controller: a value without state, which several managers can start.
 *
 *     const greeter = defineController({
 *       name: "greeter",
 *       for: ConfigMap,
 *       async reconcile({ object, apply }) {
 *         await apply(ConfigMap, { metadata: { name: `${object.metadata.name}-greeting` }, data: { text: "hello" } });
 *       },
 *     });
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
 * The result of a reconcile: nothing until the next change; `requeueAfter` a time; or `terminal` with the reason, a
 * failure that is not retried before the next change. With `doubles` the time doubles with each such result in a row, up to the longest
 * wait of `backoff`. Thrown errors are retried with backoff.
 */
export type Result =
  | void
  | { readonly requeueAfter: Duration; readonly doubles?: boolean }
  | { readonly terminal: string };

/** The clock of a controller. */
export interface ControllerClock extends Pick<Clock, "now" | "steady" | "loop"> {
  /** Resolves after a time, or when the signal is aborted. */
  readonly sleep: (time: Duration, signal?: AbortSignal) => Promise<void>;
}

/** The place of what an Event reports. */
export interface EventPlace {
  /** The field of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
  /** The node. */
  readonly host?: string | undefined;
}

/** Records an Event about the object; it never throws and never waits. */
export type RecordEvent = (reason: string, note: string, related?: ApiObject, place?: EventPlace) => void;

/** The context of every reconcile. */
export interface CommonContext {
  /** 1, plus one for each failure since the last success. */
  readonly attempt: number;
  readonly clock: ControllerClock;
  /** A client whose requests end with {@link signal}. */
  readonly client: Client;
  /** Returns the informers in `for`, `owns`, `uses` and `sources`. */
  readonly informer: GetInformer;
  /** The served kinds, as they change. */
  readonly kinds: ServedKinds;
  /** A log that adds the controller and the key. */
  readonly log: Log;
  /** Aborted on stop, after the timeout without progress, and on a lost lead; after that every write of this context is refused. */
  readonly signal: AbortSignal;
}

/** The context of the reconcile of an object. */
export interface Context<T extends ApiObject = ApiObject, S extends Scope = Scope> extends CommonContext {
  /** The object in memory; frozen. */
  readonly object: T;
  readonly key: Key<S>;
  /** The objects of a kind in `owns` that this object controls, from memory. */
  readonly owned: <U extends ApiObject, S2 extends Scope>(kind: Kind<U, S2>) => readonly U[];
  /**
   * Applies a configuration by force under the name of the controller. Objects of kinds in `owns` get the owner
   * reference; the default namespace is that of the object.
   */
  readonly apply: <U extends ApiObject, S2 extends Scope>(
    kind: Kind<U, S2>,
    config: ApplyConfiguration<U>,
  ) => Promise<U>;
  /** Creates an object in the same way, for `generateName`. */
  readonly create: <U extends ApiObject, S2 extends Scope>(kind: Kind<U, S2>, object: NewObject<U>) => Promise<U>;
  /** Deletes this object by uid; an absent one is no error. */
  readonly delete: <U extends ApiObject, S2 extends Scope>(kind: Kind<U, S2>, object: U) => Promise<void>;
  /** Applies all status fields of this controller; fields that are left out are removed. */
  readonly status: (status: StatusOf<T>) => Promise<T>;
  /** Creates a condition for {@link status}; its time changes with its status only. */
  readonly condition: (type: string, status: boolean | "Unknown", reason: string, message?: string) => Condition;
  /** Records Events; repeated ones are counted in a series. */
  readonly events: Readonly<Record<"normal" | "warning", RecordEvent>>;
}

/** The context of the reconcile of a key. */
export interface KeyContext<M extends Disposable = Disposable> extends CommonContext {
  readonly key: string;
  /** The result of `begin`. */
  readonly memory: M;
  /** Records an Event about an object. */
  readonly event: (type: "Normal" | "Warning", regarding: ApiObject, ...told: Parameters<RecordEvent>) => void;
}

/** Fields of every definition. */
interface CommonDefinition {
  /** The name: field manager, user agent, source of Events and label of metrics; unique in a manager. */
  readonly name: string;
  /** The source of its Events. Default its name. */
  readonly eventSource?: string;
  /** Informers that are only read. */
  readonly uses?: readonly InformerSpec[];
  /**
   * Whether a key waits while its changes keep coming, for a few passes of the event loop: for owners of many objects, whose status
   * would be written for each of them. Default false.
   */
  readonly together?: boolean;
  /** Concurrent reconciles. Default 4. */
  readonly concurrency?: number;
  /**
   * How long a reconcile may take between its start, the responses to its writes, and its end. Default 2 m: many
   * writes with slow webhooks do not end it, a request without a response does.
   */
  readonly timeout?: Duration;
  /** The backoff after failures. Default 50 ms, doubled up to 5 m. */
  readonly backoff?: { readonly first?: Duration; readonly most?: Duration };
  /** Whether it runs only with the lead. Default true. */
  readonly needLeaderElection?: boolean;
}

/** A controller whose keys are not objects of one kind. */
export interface KeyControllerDefinition<M extends Disposable = Disposable> extends CommonDefinition {
  /** Creates the memory of a term, which is disposed of at its end. It adds the keys to reconcile. */
  readonly begin: (this: void, parts: SourceParts, add: (key: string) => void) => M;
  reconcile(this: void, context: KeyContext<M>): Result | Promise<Result>;
}

/** A controller of the objects of a kind. */
export interface ControllerDefinition<
  T extends ApiObject = ApiObject,
  S extends Scope = Scope,
> extends CommonDefinition {
  /** The kind of the reconciled objects. */
  readonly for: Kind<T, S> | InformerSpec<T, S>;
  /**
   * Which events of those objects trigger a reconcile; all by default. A deletion always does where there is a
   * finalizer.
   */
  readonly predicate?: Predicate<NoInfer<T>>;
  /** Kinds that this controller creates: a change triggers a reconcile of the owner. */
  readonly owns?: readonly (Kind | InformerSpec)[];
  /** Other triggers. */
  readonly sources?: readonly Source<Key<S>>[];
  /** Reconciles every object again after this time. Default never. */
  readonly resync?: Duration;
  /** A finalizer on every object until {@link cleanup} is done; it is set before the first reconcile. */
  readonly finalizer?: string;
  reconcile(this: void, context: Context<T, S>): Result | Promise<Result>;
  /** Cleans up before a deletion; done when it returns no `requeueAfter`. It may run twice, or without a reconcile. */
  cleanup?(this: void, context: Context<T, S>): Result | Promise<Result>;
  /** Called after the deletion of a reconciled object. */
  gone?(this: void, key: Key<S>): void | Promise<void>;
}

/** The definition of any controller. */
export type AnyDefinition = ControllerDefinition | KeyControllerDefinition;

/** A controller for a manager. */
export interface Controller {
  readonly name: string;
  readonly definition: AnyDefinition;
}

/** Creates a controller. @throws for an invalid definition */
export function defineController<T extends ApiObject, S extends Scope>(
  definition: ControllerDefinition<T, S>,
): Controller {
  const { name, finalizer, cleanup } = definition;
  if ((finalizer === undefined) !== (cleanup === undefined)) {
    throw new TypeError(`expected finalizer and cleanup together in controller ${name}`);
  }
  return controllerOf(definition as unknown as ControllerDefinition);
}

/** Creates a controller of keys. @throws for an invalid definition */
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
