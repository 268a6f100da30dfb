/**
 * What controllers have reported, as a test wants to see it.
 *
 * @module
 */
import type { ApiObject, Client } from "../client/index.ts";
import { CoreEvent } from "../client/kinds/index.ts";

/** An Event. */
export interface ReportedEvent {
  /** `Normal` or `Warning`. */
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  /** How often it happened. */
  readonly count: number;
}

/** The Events of a cluster, or those about one object, in the order in which they were first told. */
export async function eventsOf(client: Client, about?: ApiObject): Promise<readonly ReportedEvent[]> {
  const fieldSelector = about === undefined ? {} : { fieldSelector: `involvedObject.uid=${about.metadata.uid}` };
  const { items } = await client.resource(CoreEvent).list(fieldSelector);
  // Times of this form are in order where their texts are.
  const time = ({ eventTime, metadata }: CoreEvent): string => eventTime ?? metadata.creationTimestamp;
  return items
    .toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0))
    .map(({ type = "", reason = "", message: note = "", series, count }) => {
      return { type, reason, note, count: series?.count ?? count ?? 1 };
    });
}
