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

/** The first and the maximum page size: it grows while pages are read quickly. */
const PAGE = { first: 4, most: 500 };
/** The maximum number of objects read for a report. */
const MAX_OBJECTS_READ = 50_000;
/** The maximum depth: a Pod waits for a claim, that for a snapshot, that for another claim. */
const MAX_DEPTH = 4;

/** The options of {@link Facts}. */
export interface FactsOptions {
  /** Aborts the reads. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum number of objects to read, 50,000 by default. */
  readonly maxRead?: number | undefined;
  /** The names of the built-in controllers that run, as in `--controllers`; unknown by default. */
  readonly controllers?: ReadonlySet<string> | undefined;
}

/** Explains an object of any kind. */
export type Explain = (facts: Facts, object: ApiObject) => Promise<readonly ReportedReason[]>;

/** Reads objects for an explanation: in pages, with yields, with the permissions of the user. */
export class Facts {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly signal: AbortSignal | undefined;
  readonly names: BinderNames;
  readonly migration: Migration;
  /** The maximum number of objects to read. */
  readonly maxRead: number;
  #read = 0;
  #isCut = false;
  #depth = 0;
  readonly #refusals = new Set<string>();
  #kinds: Promise<readonly ServedKind[]> | undefined;

  readonly #explain: Explain;
  /** The built-in controllers that run; undefined where that is unknown. */
  readonly controllers: ReadonlySet<string> | undefined;

  /** @param explain explains other objects that the subject waits for */
  constructor(
    client: Client,
    dialect: Dialect,
    explain: Explain,
    { signal, maxRead = MAX_OBJECTS_READ, controllers }: FactsOptions = {},
  ) {
    this.#explain = explain;
    this.maxRead = maxRead;
    this.controllers = controllers;
    this.client = client;
    this.dialect = dialect;
    this.signal = signal;
    this.names = binderNames(dialect);
    this.migration = migrationOf(dialect);
  }

  /** Whether the limit was reached, so that the absence of an object is uncertain. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Follows "nothing" or "no claim" where the limit was reached. */
  get thatWasSeen(): string {
    return this.#isCut ? " that was read" : "";
  }

  /** The messages of refused reads. */
  get refusals(): readonly string[] {
    return [...this.#refusals];
  }

  /** Returns the served kinds, read once. */
  kinds(): Promise<readonly ServedKind[]> {
    this.#kinds ??= new Discovery(this.client).read(this.signal ? { signal: this.signal } : {});
    return this.#kinds;
  }

  /** Reads optional input; undefined where it is forbidden, which the report mentions. */
  async tryRead<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isStatus(error, "Forbidden")) throw error;
      this.#refusals.add(error.status.message ?? "");
      return undefined;
    }
  }

  /** Reads an object: `absent` where it does not exist or its kind is not served, `unknown` where it is forbidden. */
  async find<T extends ApiObject, S extends Scope>(kind: Kind<T, S>, key: Key<S>): Promise<T | "absent" | "unknown"> {
    const { signal } = this;
    if (key.name === "") return "absent";
    const found = await this.tryRead(async () => {
      const one = await attempt(this.client.resource(kind).find(key, { signal }), "NotFound");
      return (one.ok ? one.value : undefined) ?? "absent";
    });
    return found ?? "unknown";
  }

  /** Explains an object that the subject waits for, within {@link MAX_DEPTH}. */
  async reasonsOf(object: ApiObject): Promise<readonly ReportedReason[]> {
    if (this.#depth >= MAX_DEPTH) return [];
    this.#depth++;
    try {
      return await this.#explain(this, object);
    } finally {
      this.#depth--;
    }
  }

  /** Yields the objects of a kind up to the limit, without blocking the event loop. */
  async *each<T extends ApiObject, S extends Scope>(kind: Kind<T, S>, query: ListQuery = {}): AsyncGenerator<T> {
    const limit = this.client.clock.loop.slice();
    let size = PAGE.first;
    for (let next: string | undefined = ""; next !== undefined;) {
      const left = this.maxRead - this.#read;
      if (left <= 0) {
        this.#isCut = true;
        return;
      }
      const most = Math.min(size, left);
      const page = next === "" ? { limit: most } : { limit: most, continue: next };
      const reading = this.client.clock.loop.slice();
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const { items, metadata } = await this.client.resource(kind).list({ ...query, ...page, signal: this.signal });
      size = reading.isOver ? Math.max(1, size >> 1) : Math.min(PAGE.most, size * 2);
      this.#read += items.length;
      for (const item of items) {
        await limit.pause();
        yield item;
      }
      next = metadata.continue || undefined;
      await this.client.clock.loop.pass();
    }
  }

  /** Returns reasons; where a read is forbidden, that is the reason. */
  async reasonsOrRefusal(reasons: () => Promise<readonly ReportedReason[]>): Promise<readonly ReportedReason[]> {
    try {
      return await reasons();
    } catch (error) {
      if (!isStatus(error, "Forbidden")) throw error;
      return [{ says: `the report is incomplete: ${error.status.message ?? ""}` }];
    }
  }
}

/** Returns a reference for reports. */
export const refOf = ({ apiVersion, kind, metadata: { namespace, name, uid } }: ApiObject): ReportedObject => ({
  apiVersion,
  kind,
  name,
  ...(namespace ? { namespace } : {}),
  uid,
});

/** Returns an object in a sentence: `Pod default/web`. */
export const textOf = ({ kind, metadata: { namespace, name } }: ApiObject): string =>
  `${kind} ${namespace ? `${namespace}/` : ""}${name}`;

/** Keeps the first of many items and counts all. */
export class First<T> {
  readonly #most: number;
  readonly #compare: ((a: T, b: T) => number) | undefined;
  #kept: T[] = [];
  /** The number of added items. */
  count = 0;

  /** @param compare the order; the order of adding by default */
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

  /** The number of added items that are not kept. */
  get more(): number {
    return Math.max(0, this.count - this.#most);
  }
}

/** Returns a reference to an object that may not exist. */
export const refTo = (
  { group, version, kind }: Pick<Kind, "group" | "version" | "kind">,
  { namespace, name }: Key,
): ReportedObject => ({
  apiVersion: group === "" ? version : `${group}/${version}`,
  kind,
  name,
  ...(namespace ? { namespace } : {}),
});

/** An object does not exist. */
export const missing = (kind: Pick<Kind, "group" | "version" | "kind">, key: Key): ReportedReason => ({
  says: `${kind.kind.toLowerCase()}${kind.group === "" ? "" : `.${kind.group}`} ${JSON.stringify(key.name)} not found`,
  who: `a user who creates the ${kind.kind} ${key.namespace ? `${key.namespace}/` : ""}${key.name}`,
  about: refTo(kind, key),
});

/** Returns reasons of another object after a prefix about the subject. */
export const prefixed = (before: string, reasons: readonly ReportedReason[]): readonly ReportedReason[] =>
  reasons.map((reason) => ({ ...reason, says: `${before}: ${reason.says}` }));

/** As {@link prefixed}; without reasons the other object is only named. */
export const prefixedOr = (
  before: string,
  object: ApiObject,
  reasons: readonly ReportedReason[],
): readonly ReportedReason[] =>
  reasons.length > 0 ? prefixed(before, reasons) : [{ says: before, about: refOf(object) }];

/** The maximum number of objects named for one reason. */
export const MAX_NAMED = 10;

/** Returns the first names in a sentence, and how many more there are. */
export const named = (names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? names.join(", ")
    : `${names.slice(0, MAX_NAMED).join(", ")} and ${names.length - MAX_NAMED} more`;

/** Returns a reason for each of the first objects, and how many more there are. */
export function firstOf<T>(objects: First<T>, reason: (object: T) => ReportedReason): readonly ReportedReason[] {
  const { items, more } = objects;
  const first = items.map(reason);
  return more > 0 ? [...first, { says: `and ${more} more of them` }] : first;
}
