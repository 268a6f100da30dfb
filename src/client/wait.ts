/**
 * Waits for one object: a list, then a watch, until it meets a condition.
 *
 * A watch that ends is resumed; one whose version has expired (410) is replaced by a new list. Temporary errors are
 * retried with backoff until the timeout; a refusal is thrown.
 */
import { isObject } from "../value/value.ts";
import { pauseCount } from "../util/activity.ts";
import { backoff } from "../util/backoff.ts";
import { type Clock, sleep, systemRandom } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";
import { StatusError, isStatus } from "./errors.ts";
import { type ApiObject, type Key, type Kind, type Scope, keyText, nameOfKind } from "./kind.ts";
import type { Event, List, ListQuery, WatchQuery } from "./queries.ts";
import { messageOf } from "../util/error.ts";

/** The condition: one of the status (`Ready`, which is `Ready=True`, or `Ready=False`), or a function of the object. */
export type Until<T> = string | ((object: T) => boolean);

/** The options of a wait. */
export interface WaitOptions {
  /** `30s` by default. */
  readonly timeout?: Duration;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** The condition was not met: the timeout is over, or the object was deleted. */
export class WaitError extends Error {
  override readonly name = "WaitError";
  readonly reason: "Timeout" | "Deleted";
  /** The last seen state. */
  readonly object: ApiObject | undefined;

  constructor(reason: WaitError["reason"], message: string, object: ApiObject | undefined, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.object = object;
  }
}

interface Followed<T extends ApiObject, S extends Scope> {
  readonly kind: Kind<T, S>;
  list(query: ListQuery): Promise<List<T>>;
  watch(query: WatchQuery): AsyncGenerator<Event<T>>;
}

/** Returns whether a state ends the wait; an absent object is undefined. */
type Check<T> = (object: T | undefined, last: T | undefined) => boolean;

const DEFAULT_TIMEOUT = "30s";
const RETRY_BACKOFF = { first: 100, most: 5000 };

/** See `ResourceClient.waitFor`. */
export async function waitFor<T extends ApiObject, S extends Scope>(
  resource: Followed<T, S>,
  key: Key<S>,
  until: Until<T>,
  clock: Clock,
  options: WaitOptions,
): Promise<T> {
  const meets = typeof until === "string" ? conditionMet(until) : until;
  const what = typeof until === "string" ? `to have the condition ${until}` : "to be as it is waited for";
  const judge: Check<T> = (object, last) => {
    if (object !== undefined) return meets(object);
    if (last === undefined) return false;
    throw new WaitError("Deleted", `expected ${textOf(resource, key)} ${what}, it was deleted`, last);
  };
  return (await follow(resource, key, judge, what, clock, options))!;
}

/** See `ResourceClient.waitForDelete`. */
export async function waitForDelete<T extends ApiObject, S extends Scope>(
  resource: Followed<T, S>,
  key: Key<S>,
  uid: string | undefined,
  clock: Clock,
  options: WaitOptions,
): Promise<void> {
  const judge: Check<T> = (object) => object === undefined || (uid !== undefined && object.metadata.uid !== uid);
  await follow(resource, key, judge, "to be gone", clock, options);
}

const textOf = <T extends ApiObject, S extends Scope>({ kind }: Followed<T, S>, key: Key<S>): string =>
  `${keyText(key)} of ${nameOfKind(kind)}`;

async function follow<T extends ApiObject, S extends Scope>(
  resource: Followed<T, S>,
  key: Key<S>,
  judge: Check<T>,
  what: string,
  clock: Clock,
  { timeout = DEFAULT_TIMEOUT, signal }: WaitOptions,
): Promise<T | undefined> {
  const millis = millisOf(timeout);
  if (key.name === "") throw new TypeError(`expected the name of one of ${nameOfKind(resource.kind)}`);
  if (resource.kind.scope === "Namespaced" && !key.namespace) {
    throw new TypeError(`expected a namespace for ${JSON.stringify(key.name)} of ${nameOfKind(resource.kind)}`);
  }
  signal?.throwIfAborted();
  const over = new AbortController();
  const timer = clock.after(millis, () => over.abort(), { owner: "wait", holds: true });
  const abort = (): void => over.abort();
  signal?.addEventListener("abort", abort);
  const course = new Wait(resource, key, judge, clock, over.signal);
  try {
    const found = await course.run();
    if (found !== "over") return found;
    signal?.throwIfAborted();
    const { last, failure } = course;
    throw new WaitError("Timeout", timeoutText(textOf(resource, key), what, millis, last, failure), last, failure);
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", abort);
    over.abort();
  }
}

function timeoutText(name: string, what: string, millis: number, last: unknown, failure: unknown): string {
  const how = failure === undefined ? (last === undefined ? "; it is not there" : "") : `: ${messageOf(failure)}`;
  return `expected ${name} ${what} within ${millis / 1000} s${how}`;
}

/** An error that ends the wait. */
class FinalError extends Error {}

class Wait<T extends ApiObject, S extends Scope> {
  readonly #resource: Followed<T, S>;
  readonly #query: ListQuery;
  readonly #judge: Check<T>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** The last seen state; undefined while it does not exist. */
  last: T | undefined;
  /** The last temporary error. */
  failure: unknown;
  /** The version to watch from; empty before a list. */
  #from = "";
  #failures = 0;

  constructor(resource: Followed<T, S>, key: Key<S>, judge: Check<T>, clock: Clock, signal: AbortSignal) {
    const { name, namespace } = key;
    this.#resource = resource;
    this.#query = { namespace, fieldSelector: `metadata.name=${escaped(name)}`, signal };
    this.#judge = judge;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Returns the object when it meets the condition; `over` when the signal was aborted. */
  async run(): Promise<T | undefined | "over"> {
    // A wait is no pending work.
    using _parked = pauseCount();
    while (!this.#signal.aborted) {
      try {
        if ((this.#from === "" && (await this.#list())) || (await this.#watch())) return this.last;
      } catch (error) {
        if (error instanceof FinalError) throw error.cause;
        if (this.#signal.aborted) break;
        if (isGone(error)) this.#from = "";
        else if (isRefusal(error)) throw error;
        else this.failure = error;
      }
      // The first retry is immediate.
      const failures = this.#failures++;
      if (failures > 0) await sleep(this.#clock, backoff(failures - 1, RETRY_BACKOFF, systemRandom), this.#signal);
    }
    return "over";
  }

  async #list(): Promise<boolean> {
    const { items, metadata } = await this.#resource.list(this.#query);
    this.failure = undefined;
    this.#from = metadata.resourceVersion;
    return this.#see(items[0]);
  }

  async #watch(): Promise<boolean> {
    for await (const { type, object } of this.#resource.watch({ ...this.#query, resourceVersion: this.#from })) {
      this.#from = object.metadata.resourceVersion;
      this.failure = undefined;
      if (type === "BOOKMARK") continue;
      this.#failures = 0;
      if (this.#see(type === "DELETED" ? undefined : object)) return true;
    }
    return false;
  }

  #see(object: T | undefined): boolean {
    const before = this.last;
    this.last = object;
    try {
      return this.#judge(object, before);
    } catch (error) {
      throw new FinalError("what is waited for threw", { cause: error });
    }
  }
}

/** Whether the version has expired, or the server was reset to an older state. */
const isGone = (error: unknown): boolean => isStatus(error, "Expired", "Gone") || isStatusOf(error, 504);

const isStatusOf = (error: unknown, code: number): boolean =>
  error instanceof StatusError && error.status.code === code;

/** Whether an error is final, not temporary. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StatusError && error.status.code !== 429 && (error.status.code ?? 0) < 500;

const escaped = (value: string): string => value.replaceAll(/[\\,=]/g, (character) => `\\${character}`);

/** Returns a test for a condition. @throws TypeError for an invalid one */
function conditionMet(text: string): (object: ApiObject) => boolean {
  const [type = "", status = "True", ...more] = text.split("=");
  if (type === "" || status === "" || more.length > 0) {
    throw new TypeError(`expected a condition such as Ready or Ready=False, got ${JSON.stringify(text)}`);
  }
  return (object) => conditionsOf(object).some((one) => same(one.type, type) && same(one.status, status));
}

interface Said {
  readonly type?: unknown;
  readonly status?: unknown;
}

function conditionsOf(object: ApiObject & { readonly status?: unknown }): readonly Said[] {
  const conditions = isObject(object.status) ? object.status["conditions"] : undefined;
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}

/** As in kubectl, without regard to case. */
const same = (a: unknown, b: string): boolean => typeof a === "string" && a.toLowerCase() === b.toLowerCase();
