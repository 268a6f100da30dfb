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

/** The reasons for some objects, of many the first ones and how many more there are. */
export function firstOf(
  objects: readonly ApiObject[],
  reason: (object: ApiObject) => ReportedReason,
): readonly ReportedReason[] {
  const more = objects.length - MOST;
  const first = objects.slice(0, MOST).map(reason);
  return more > 0 ? [...first, { says: `and ${more} more of them` }] : first;
}

const MOST = 10;
