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

const PAGE = 500;

/** See the head of this file. */
export class Facts {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly signal: AbortSignal | undefined;
  readonly names: BinderNames;
  readonly migration: Migration;

  constructor(client: Client, dialect: Dialect, signal: AbortSignal | undefined) {
    this.client = client;
    this.dialect = dialect;
    this.signal = signal;
    this.names = binderNames(dialect);
    this.migration = migrationOf(dialect);
  }

  /** The objects of a kind one after the other, without holding the event loop. */
  async *each<T extends ApiObject, S extends Scope>(kind: Kind<T, S>, query: ListQuery = {}): AsyncGenerator<T> {
    const limit = new TurnLimit();
    for (let next: string | undefined = ""; next !== undefined;) {
      const page = next === "" ? { limit: PAGE } : { limit: PAGE, continue: next };
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const { items, metadata } = await this.client.resource(kind).list({ ...query, ...page, signal: this.signal });
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
