/**
 * Delays a key until memory shows what its last reconcile wrote.
 *
 * Memory is behind the server. A decision on the old state would write twice: a second child, or a status that changes
 * back. So each write is remembered until the informers of its kind have passed it.
 */
import { type ApiObject, type Key, type List, type Write, keyOf, nameOfKind } from "../client/index.ts";
import { parseFieldSelector, parseLabelSelector } from "../meta/selectors.ts";
import type { Clock } from "../util/clock.ts";
import type { Informers } from "./informers.ts";
import type { Reflector } from "./reflector.ts";

/** A pending write; `met` checks memory. */
interface Expectation {
  readonly what: string;
  readonly reflector: Reflector;
  readonly met: () => boolean;
}

/**
 * After this time a key is no longer delayed, and works with the objects in memory.
 * kube-controller-manager waits 5 minutes for the expected events, and meanwhile only stops to create and delete children: it still writes
 * the status and handles changes of users. Here a key waits for each of its writes and with all of its work, so a watch that is 5 minutes
 * behind would stop all work on the key.
 */
const OWN_WRITE_TIMEOUT_MS = 30_000;
const MAX_IDLE_KEYS = 1000;

/** The writes of keys that memory does not show yet. */
export class OwnWrites {
  readonly #informers: Informers;
  readonly #clock: Clock;
  readonly #late: (key: string, what: string) => void;
  readonly #expected = new Map<string, Expectation[]>();
  /** The number of keys after which those without pending writes are dropped. */
  #maxKeys = MAX_IDLE_KEYS;

  /** @param late called for keys whose delay has timed out */
  constructor(informers: Informers, clock: Clock, late: (key: string, what: string) => void) {
    this.#informers = informers;
    this.#clock = clock;
    this.#late = late;
  }

  /** Remembers a write of `key`. */
  add(key: string, write: Write): void {
    // The first list will contain it.
    const reflectors = this.#informers.of(write.kind).filter(({ hasSynced }) => hasSynced);
    const expected = reflectors.flatMap((reflector) => expectationsOf(reflector, write));
    const open = expected.filter(({ met }) => !met());
    const before = this.#expected.get(key);
    if (before) before.push(...open);
    else if (open.length > 0) this.#expected.set(key, open);
    if (this.#expected.size > this.#maxKeys) this.#forgetMet();
  }

  /** Drops keys without pending writes. */
  #forgetMet(): void {
    for (const [key, expected] of this.#expected) if (expected.every(({ met }) => met())) this.#expected.delete(key);
    this.#maxKeys = Math.max(MAX_IDLE_KEYS, 2 * this.#expected.size);
  }

  /** Resolves when memory shows every write of `key`; undefined when it does already. */
  shown(key: string): Promise<void> | undefined {
    const open = (this.#expected.get(key) ?? []).filter(({ met }) => !met());
    this.#expected.delete(key);
    return open.length === 0 ? undefined : this.#wait(key, open);
  }

  #wait(key: string, expected: readonly Expectation[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // Each is waited for one after the other, so that an event does not check all of them.
    let at = 0;
    const watched = new DisposableStack();
    const end = (): void => {
      watched.dispose();
      resolve();
    };
    const look = (): void => {
      while (at < expected.length && expected[at]!.met()) at++;
      if (at === expected.length) end();
    };
    for (const reflector of new Set(expected.map((one) => one.reflector))) watched.use(reflector.onProgress(look));
    const onTimeout = (): void => {
      const open = expected.filter(({ met }) => !met());
      this.#late(key, open.map(({ what }) => what).join(", "));
      end();
    };
    watched.adopt(this.#clock.after(OWN_WRITE_TIMEOUT_MS, onTimeout), (timer) => timer.cancel());
    return promise;
  }
}

function expectationsOf(reflector: Reflector, { verb, kind, key, response }: Write): Expectation[] {
  const what = `${verb} of ${nameOfKind(kind)}`;
  if (verb === "delete") return [{ what, reflector, met: isGoing(reflector, key!, uidIn(response)) }];
  if (verb === "deletecollection") {
    const { items = [] } = response as Partial<List<ApiObject>>;
    return items.map((item) => ({ what, reflector, met: isGoing(reflector, keyOf(item), item.metadata.uid) }));
  }
  const object = response as ApiObject;
  const { resourceVersion } = object.metadata;
  if (!resourceVersion || !concerns(reflector, object)) return [];
  return [{ what, reflector, met: () => reflector.hasEnded || reflector.hasPassed(resourceVersion) }];
}

const uidIn = (response: Write["response"]): string | undefined => (response as Partial<ApiObject>).metadata?.uid;

const isGoing = (reflector: Reflector, key: Key, uid: string | undefined) => (): boolean => {
  const known = reflector.hasEnded ? undefined : reflector.memory.get(key);
  if (!known || (uid !== undefined && known.metadata.uid !== uid)) return true;
  return known.metadata.deletionTimestamp !== undefined;
};

/** Whether a reflector gets an event for an object: it selects or contains it. */
export function concerns(reflector: Reflector, object: ApiObject): boolean {
  const { namespace, labelSelector, fieldSelector } = reflector.selection;
  if (namespace && namespace !== object.metadata.namespace) return false;
  if (reflector.memory.get(keyOf(object))) return true;
  if (fieldSelector && !parseFieldSelector(fieldSelector).matches((field) => memberAt(object, field))) return false;
  return !labelSelector || parseLabelSelector(labelSelector).matches(object.metadata.labels);
}

/** Returns a field such as `spec.nodeName` as field selectors see it. */
function memberAt(object: ApiObject, path: string): string {
  let at: unknown = object;
  for (const name of path.split(".")) at = (at as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof at === "string" || typeof at === "boolean" || typeof at === "number" ? String(at) : "";
}
