import type { ApiObject, Client } from "../client/index.ts";
import { CoreEvent } from "../client/kinds/index.ts";

/** An Event, reduced to the members that tests compare. */
export interface ReportedEvent {
  /** `Normal` or `Warning`. */
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  /** The number of its occurrences. */
  readonly count: number;
}

/** Lists the Events of a cluster, or those about one object, in the order of their first occurrence. */
export async function eventsOf(client: Client, about?: ApiObject): Promise<readonly ReportedEvent[]> {
  const fieldSelector = about === undefined ? {} : { fieldSelector: `involvedObject.uid=${about.metadata.uid}` };
  const { items } = await client.resource(CoreEvent).list(fieldSelector);
  // Times in this format have the order of their texts.
  const time = ({ eventTime, metadata }: CoreEvent): string => eventTime ?? metadata.creationTimestamp;
  return items
    .toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0))
    .map(({ type = "", reason = "", message: note = "", series, count }) => {
      return { type, reason, note, count: series?.count ?? count ?? 1 };
    });
}
