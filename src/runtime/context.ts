/**
 * The context of one reconcile: it refuses writes after the end of the reconcile, and remembers them until memory shows
 * them.
 */
import {
  type ApiObject,
  type Client,
  type Key,
  type Kind,
  type NewObject,
  type Transport,
  type Write,
  attempt,
  nameOfKind,
} from "../client/index.ts";
import { pauseCount } from "../util/activity.ts";
import { type Clock, sleep } from "../util/clock.ts";
import { millisOf } from "../util/duration.ts";
import type { Log } from "../util/log.ts";
import { nextCondition } from "./conditions.ts";
import type { CommonContext, Context, ControllerClock, EventPlace, KeyContext } from "./definition.ts";
import type { GetInformer } from "./informer.ts";
import type { NewEvent } from "./recorder.ts";
import type { ServedKinds } from "./served-kinds.ts";

/** The limits that end a reconcile early. */
export interface ReconcileLimit {
  /** Aborted at the end of the term, and where the reconcile makes no progress. */
  readonly signal: AbortSignal;
  /** Records progress: a write of the reconcile got its response. */
  readonly progressed: () => void;
}

/** The parts of every context. */
export interface CommonParts {
  readonly name: string;
  readonly attempt: number;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly limit: ReconcileLimit;
  readonly informer: GetInformer;
  readonly kinds: ServedKinds;
  readonly wrote: (write: Write) => void;
  readonly record: (
    event: Pick<NewEvent, "type" | "reason" | "note" | "regarding" | "related" | "fieldPath" | "host">,
  ) => void;
}

/** The parts of the context of an object. */
export interface ContextParts extends CommonParts {
  readonly kind: Kind;
  readonly object: ApiObject;
  readonly key: Key;
  /** Returns the owned objects; throws for kinds that are not in `owns`. */
  readonly owned: (kind: Kind, owner: ApiObject) => readonly ApiObject[];
  readonly isOwned: (kind: Kind) => boolean;
}

/** Creates the context of an object. */
export function contextOf(parts: ContextParts): Context {
  const { name, kind: ownKind, object, key, clock } = parts;
  const common = commonOf(parts);
  const { client } = common;
  const placed = <O extends NewObject<ApiObject>>(kind: Kind, body: O): O => withOwner(body, kind, object, parts);
  const record =
    (type: NewEvent["type"]) =>
    (reason: string, note: string, related?: ApiObject, place?: EventPlace): void =>
      parts.record({ type, reason, note, regarding: object, related, ...place });
  const context: Context = {
    ...common,
    object,
    key,
    owned: (kind) => parts.owned(kind, object) as never,
    apply: async (kind, config) =>
      client.resource(kind).apply(placed(kind, config), { fieldManager: name, force: true }),
    create: async (kind, body) => client.resource(kind).create(placed(kind, body), { fieldManager: name }),
    // An object of that name with another uid is not deleted.
    delete: async (kind, target) => void (await attempt(client.resource(kind).delete(target), "NotFound", "Conflict")),
    status: async (status) => {
      const { uid } = object.metadata;
      const intent = { metadata: { ...key, uid }, status } as never;
      return client.resource(ownKind).status.apply(intent, { fieldManager: name, force: true });
    },
    condition: (type, status, reason, message = "") =>
      nextCondition(object, { type, status, reason, message }, clock.now()),
    events: { normal: record("Normal"), warning: record("Warning") },
  };
  return context;
}

/** Creates the context of a key. */
export const keyContextOf = <M extends Disposable>(key: string, memory: M, parts: CommonParts): KeyContext<M> => ({
  ...commonOf(parts),
  key,
  memory,
  event: (type, regarding, reason, note, related, place) =>
    parts.record({ type, reason, note, regarding, related, ...place }),
});

/** Creates the common context: its client refuses writes after the end, and remembers others. */
function commonOf(parts: CommonParts): CommonContext {
  const { name, attempt: nth, client, clock, log, limit, informer, kinds, wrote } = parts;
  const { signal } = limit;
  const before = (): void => signal.throwIfAborted();
  return {
    attempt: nth,
    clock: controllerClock(clock),
    client: client.with({ userAgent: name, writes: { before, after: wrote }, through: within(limit) }),
    informer,
    kinds,
    log,
    signal,
  };
}

/** Returns a transport that also aborts requests with the signal of a limit, and records responses to writes there. */
const within =
  ({ signal, progressed }: ReconcileLimit) =>
  (transport: Transport): Transport =>
  (request) => {
    const own = request.signal;
    const response = transport({ ...request, signal: own && own !== signal ? AbortSignal.any([own, signal]) : signal });
    if (request.method !== "GET") response.then(progressed, () => {});
    return response;
  };

/** The clock of a controller. */
export const controllerClock = (clock: Clock): ControllerClock => ({
  loop: clock.loop,
  now: () => clock.now(),
  steady: () => clock.steady(),
  async sleep(time, signal) {
    using _parked = pauseCount();
    await sleep(clock, millisOf(time), signal);
  },
});

/** Adds the namespace of the owner, and the owner reference for kinds in `owns`. */
function withOwner<O extends NewObject<ApiObject>>(body: O, kind: Kind, owner: ApiObject, parts: ContextParts): O {
  const namespace = kind.scope === "Namespaced" ? (body.metadata.namespace ?? owner.metadata.namespace) : undefined;
  const metadata = { ...body.metadata, ...(namespace === undefined ? {} : { namespace }) };
  if (!parts.isOwned(kind)) return { ...body, metadata };
  const home = owner.metadata.namespace;
  if (home !== undefined && home !== namespace) {
    throw new TypeError(
      `expected an object of ${nameOfKind(kind)} to be in namespace ${home} with its owner, got ${namespace ?? "none"}`,
    );
  }
  const { apiVersion, kind: ownerKind } = owner;
  const { name, uid } = owner.metadata;
  const reference = { apiVersion, kind: ownerKind, name, uid, controller: true, blockOwnerDeletion: true };
  const others = (body.metadata.ownerReferences ?? []).filter((one) => one.uid !== uid);
  return { ...body, metadata: { ...metadata, ownerReferences: [...others, reference] } };
}
