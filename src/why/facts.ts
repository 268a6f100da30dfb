/**
 * What is asked of the server to explain an object: page by page, in turns, in the name of whoever wants to know.
 *
 * @module
 */
import {
  type ApiObject,
  type Client,
  Discovery,
  type Key,
  type Kind,
  type ListQuery,
  type Scope,
  type ServedKind,
  attempt,
  isStatus,
} from "../client/index.ts";
import { binderNames, type BinderNames } from "../claims/annotations.ts";
import { type Migration, migrationOf } from "../claims/plugin-migration.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { ReportedObject } from "../meta/ownership-reports.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { turn } from "../util/clock.ts";
import { TurnLimit } from "../util/turn-limit.ts";

/** How many objects a page has at first, and at most: it grows while pages are read in no time. */
const PAGE = { first: 4, most: 500 };
/** So many objects are read for one report. */
const MAX_OBJECTS_READ = 50_000;
/** A Pod waits for its claim, that for a snapshot, that for another claim. */
const MAX_DEPTH = 4;

/** How facts are asked for. */
export interface FactsOptions {
  /** Gives it up. */
  readonly signal?: AbortSignal | undefined;
  /** So many objects are read at most, 50,000 by default. */
  readonly maxRead?: number | undefined;
}

/** Tells the reasons of an object, whatever its kind is. */
export type Explain = (facts: Facts, object: ApiObject) => Promise<readonly ReportedReason[]>;

/** See the head of this file. */
export class Facts {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly signal: AbortSignal | undefined;
  readonly names: BinderNames;
  readonly migration: Migration;
  /** How many objects may be read in all. */
  readonly maxRead: number;
  #read = 0;
  #isCut = false;
  #depth = 0;
  readonly #refusals = new Set<string>();
  #kinds: Promise<readonly ServedKind[]> | undefined;

  readonly #explain: Explain;

  /** @param explain tells the reasons of other objects that the subject waits for */
  constructor(
    client: Client,
    dialect: Dialect,
    explain: Explain,
    { signal, maxRead = MAX_OBJECTS_READ }: FactsOptions = {},
  ) {
    this.#explain = explain;
    this.maxRead = maxRead;
    this.client = client;
    this.dialect = dialect;
    this.signal = signal;
    this.names = binderNames(dialect);
    this.migration = migrationOf(dialect);
  }

  /** Whether there was more than could be read: that something is not there may not be said then. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** What follows upon "nothing" or "no claim" where there was more than could be read. */
  get thatWasSeen(): string {
    return this.#isCut ? " that was looked at" : "";
  }

  /** What the server said where who asks may not read something that reasons might come from. */
  get refusals(): readonly string[] {
    return [...this.#refusals];
  }

  /** Every kind that is served, read once. */
  kinds(): Promise<readonly ServedKind[]> {
    this.#kinds ??= new Discovery(this.client).read(this.signal ? { signal: this.signal } : {});
    return this.#kinds;
  }

  /** Reads what helps and need not be known; undefined where who asks may not, which is told at the end of the report. */
  async tryRead<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isStatus(error, "Forbidden")) throw error;
      this.#refusals.add(error.status.message ?? "");
      return undefined;
    }
  }

  /**
   * The object of a key: `absent` where there is none, or its kind is not served, `unknown` where who asks may not read it. What names
   * nothing has nothing.
   */
  async find<T extends ApiObject, S extends Scope>(kind: Kind<T, S>, key: Key<S>): Promise<T | "absent" | "unknown"> {
    const { signal } = this;
    if (key.name === "") return "absent";
    const found = await this.tryRead(async () => {
      const one = await attempt(this.client.resource(kind).find(key, { signal }), "NotFound");
      return (one.ok ? one.value : undefined) ?? "absent";
    });
    return found ?? "unknown";
  }

  /** The reasons of an object that another one waits for, no more than {@link MAX_DEPTH} steps away from the subject. */
  async reasonsOf(object: ApiObject): Promise<readonly ReportedReason[]> {
    if (this.#depth >= MAX_DEPTH) return [];
    this.#depth++;
    try {
      return await this.#explain(this, object);
    } finally {
      this.#depth--;
    }
  }

  /** The objects of a kind one after the other, without holding the event loop, as long as more may be read. */
  async *each<T extends ApiObject, S extends Scope>(kind: Kind<T, S>, query: ListQuery = {}): AsyncGenerator<T> {
    const limit = new TurnLimit();
    let size = PAGE.first;
    for (let next: string | undefined = ""; next !== undefined;) {
      const left = this.maxRead - this.#read;
      if (left <= 0) {
        this.#isCut = true;
        return;
      }
      const most = Math.min(size, left);
      const page = next === "" ? { limit: most } : { limit: most, continue: next };
      const reading = new TurnLimit();
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const { items, metadata } = await this.client.resource(kind).list({ ...query, ...page, signal: this.signal });
      size = reading.isOver ? Math.max(1, size >> 1) : Math.min(PAGE.most, size * 2);
      this.#read += items.length;
      for (const item of items) {
        await limit.pause();
        yield item;
      }
      next = metadata.continue || undefined;
      await turn();
    }
  }

  /** Some reasons; where who asks may not read what they come from, that is the reason. */
  async reasonsOrRefusal(reasons: () => Promise<readonly ReportedReason[]>): Promise<readonly ReportedReason[]> {
    try {
      return await reasons();
    } catch (error) {
      if (!isStatus(error, "Forbidden")) throw error;
      return [{ says: `more cannot be told to you: ${error.status.message ?? ""}` }];
    }
  }
}

/** An object in the words of reports. */
export const refOf = ({ apiVersion, kind, metadata: { namespace, name, uid } }: ApiObject): ReportedObject => ({
  apiVersion,
  kind,
  name,
  ...(namespace ? { namespace } : {}),
  uid,
});

/** How an object is told within a sentence: `pod default/web`. */
export const textOf = ({ kind, metadata: { namespace, name } }: ApiObject): string =>
  `${kind} ${namespace ? `${namespace}/` : ""}${name}`;

/** Of many things those that come first, and how many there were: what is kept of them has an end. */
export class First<T> {
  readonly #most: number;
  readonly #compare: ((a: T, b: T) => number) | undefined;
  #kept: T[] = [];
  /** So many were added. */
  count = 0;

  /** @param compare the order; without it they stay in the order in which they were added */
  constructor(most: number, compare?: (a: T, b: T) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  add(item: T): void {
    this.count++;
    const room = this.#compare ? 2 * this.#most : this.#most;
    if (this.#kept.length < room) this.#kept.push(item);
    if (this.#compare && this.#kept.length === room) this.#kept = [...this.items];
  }

  get items(): readonly T[] {
    return this.#compare ? this.#kept.toSorted(this.#compare).slice(0, this.#most) : this.#kept;
  }

  /** How many were added and are not kept. */
  get more(): number {
    return Math.max(0, this.count - this.#most);
  }
}

/** A reference to an object that need not be there. */
export const refTo = (
  { group, version, kind }: Pick<Kind, "group" | "version" | "kind">,
  { namespace, name }: Key,
): ReportedObject => ({
  apiVersion: group === "" ? version : `${group}/${version}`,
  kind,
  name,
  ...(namespace ? { namespace } : {}),
});

/** That an object is not there, and who creates it. */
export const missing = (kind: Pick<Kind, "group" | "version" | "kind">, key: Key): ReportedReason => ({
  says: `${kind.kind.toLowerCase()}${kind.group === "" ? "" : `.${kind.group}`} ${JSON.stringify(key.name)} not found`,
  who: `whoever creates the ${kind.kind} ${key.namespace ? `${key.namespace}/` : ""}${key.name}`,
  about: refTo(kind, key),
});

/** Reasons of another object in a sentence about the subject: the first one with what comes before it, the others as they are. */
export const prefixed = (before: string, reasons: readonly ReportedReason[]): readonly ReportedReason[] =>
  reasons.map((reason) => ({ ...reason, says: `${before}: ${reason.says}` }));

/** As {@link prefixed}; where the other object has no reasons, it is only named. */
export const prefixedOr = (
  before: string,
  object: ApiObject,
  reasons: readonly ReportedReason[],
): readonly ReportedReason[] =>
  reasons.length > 0 ? prefixed(before, reasons) : [{ says: before, about: refOf(object) }];

/** How many objects are named for one reason. */
export const MAX_NAMED = 10;

/** The reasons for some objects, of many the first ones and how many more there are. */
export function firstOf<T>(objects: First<T>, reason: (object: T) => ReportedReason): readonly ReportedReason[] {
  const { items, more } = objects;
  const first = items.map(reason);
  return more > 0 ? [...first, { says: `and ${more} more of them` }] : first;
}
