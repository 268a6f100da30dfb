/**
 * What is asked of the server to explain an object: page by page, in turns, in the name of whoever wants to know.
 *
 * @module
 */
import { type ApiObject, type Client, type Kind, type ListQuery, type Scope, isStatus } from "../client/index.ts";
import { binderNames, type BinderNames } from "../controllers/binder/names.ts";
import { type Migration, migrationOf } from "../controllers/binder/migration.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { ReportedObject } from "../meta/ownership-reports.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { turn } from "../util/clock.ts";
import { TurnLimit } from "../util/turn-limit.ts";

/** How many objects a page has at first, and at most: it grows while pages are read in no time. */
const PAGE = { first: 4, most: 500 };
/** So many objects are read for one report. */
const MOST_READ = 50_000;

/** How facts are asked for. */
export interface FactsOptions {
  /** Gives it up. */
  readonly signal?: AbortSignal | undefined;
  /** So many objects are read at most, 50,000 by default. */
  readonly mostRead?: number | undefined;
}

/** See the head of this file. */
export class Facts {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly signal: AbortSignal | undefined;
  readonly names: BinderNames;
  readonly migration: Migration;
  /** How many objects may be read in all. */
  readonly mostRead: number;
  #read = 0;
  #isCut = false;

  constructor(client: Client, dialect: Dialect, { signal, mostRead = MOST_READ }: FactsOptions = {}) {
    this.mostRead = mostRead;
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

  /** The objects of a kind one after the other, without holding the event loop, as long as more may be read. */
  async *each<T extends ApiObject, S extends Scope>(kind: Kind<T, S>, query: ListQuery = {}): AsyncGenerator<T> {
    const limit = new TurnLimit();
    let size = PAGE.first;
    for (let next: string | undefined = ""; next !== undefined;) {
      const left = this.mostRead - this.#read;
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
  async tell(reasons: () => Promise<readonly ReportedReason[]>): Promise<readonly ReportedReason[]> {
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

/** How many objects are named for one reason. */
export const MOST_NAMED = 10;

/** The reasons for some objects, of many the first ones and how many more there are. */
export function firstOf<T>(objects: First<T>, reason: (object: T) => ReportedReason): readonly ReportedReason[] {
  const { items, more } = objects;
  const first = items.map(reason);
  return more > 0 ? [...first, { says: `and ${more} more of them` }] : first;
}
