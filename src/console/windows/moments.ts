/**
 * `GET /console/moments`: which moments the history holds, and how many writes fell between them.
 *
 *     ?group=apps&version=v1&resource=deployments&namespace=n     a list that the user may read
 *     ?time=2026-01-02T03:04:05Z                                  the last moment at or before a time, too
 *
 * Each list says the newest revision, and so how much is written to the whole store. So it is said to those who may read a list,
 * the one that they name; without one the right to `get` the path is needed.
 *
 * @module
 */
import { ANONYMOUS, type Identity } from "../../auth/contract.ts";
import { CONSOLE_MOMENTS_PATH, type ConsoleMoments, type Moment } from "../../meta/console-protocol.ts";
import { NO_REQUEST } from "../../meta/request-info.ts";
import { badRequest, unauthorized, unavailable } from "../../meta/status.ts";
import { parseTime } from "../../meta/time.ts";
import {
  DOCUMENT,
  type ServerContext,
  type ServerRequest,
  respondWithValue,
  negotiate,
  permit,
} from "../../server/index.ts";
import { type Store, StoreError, type StoreMoment } from "../../storage/contract.ts";
import { infoOf } from "./access.ts";
import { readList } from "./requests.ts";
import { notServed } from "./shared-list.ts";

/** What moments are read from. */
export type MomentStore = Pick<Store, "revision" | "stats" | "moments">;

/** Parts of the time of the history for which writes are counted: a slider has no more to show. */
const PARTS = 60;

/** Responds to a user who may read the list that the request names, or get the path; 401 without a credential, 403 for others. */
export async function respondWithMoments(
  server: ServerContext,
  { identity, incoming, response }: ServerRequest,
  store: MomentStore,
): Promise<void> {
  if (identity.user === ANONYMOUS.user) throw unauthorized();
  await permitMoments(server, identity, incoming.query);
  const format = negotiate(incoming, DOCUMENT);
  const text = incoming.query.text("time");
  const time = text === "" ? undefined : parseTime(text);
  if (text !== "" && time === undefined) {
    throw badRequest(`expected time to be a time in RFC 3339, got ${JSON.stringify(text.slice(0, 100))}`);
  }
  await respondWithValue(response, 200, await read(store, server.clock.now(), time), format);
}

async function permitMoments(
  server: ServerContext,
  identity: Identity,
  query: ServerRequest["incoming"]["query"],
): Promise<void> {
  const [group, version, resource, namespace] = ["group", "version", "resource", "namespace"].map((name) =>
    query.text(name),
  ) as [string, string, string, string];
  if (resource === "") return permit(server, identity, { ...NO_REQUEST, path: CONSOLE_MOMENTS_PATH, verb: "get" });
  const list = readList({ group, version, resource, namespace });
  if (!server.registry.find(group, version, resource)) throw notServed(list);
  await permit(server, identity, infoOf(list, "list"));
}

async function read(store: MomentStore, now: number, time: number | undefined): Promise<ConsoleMoments> {
  try {
    return await momentsOf(store, now, time);
  } catch (error) {
    if (error instanceof StoreError) throw unavailable(`the history cannot be read now: ${error.message}`);
    throw error;
  }
}

/** The moments of a store at the time `now`, and the one at `time`. Rejects with StoreError. */
export async function momentsOf(store: MomentStore, now: number, time?: number): Promise<ConsoleMoments> {
  const range = await store.moments?.(time === undefined ? [] : [time]);
  if (!range?.oldest || !range.newest) {
    const since = range?.compactedRevision ?? (await store.stats()).compactedRevision;
    return { newest: shown({ revision: store.revision, time: now }), since: String(since), writes: [] };
  }
  const { oldest, newest, compactedRevision, found } = range;
  const part = (newest.time - oldest.time) / PARTS;
  const ends = Array.from({ length: PARTS }, (_, i) => Math.floor(oldest.time + part * (i + 1)));
  const last = (await store.moments?.(ends))?.found ?? [];
  let before = oldest.revision - 1;
  const writes = ends.map((_, i) => {
    // Where the clock was set back, a later part may end with an earlier write.
    const end = i === PARTS - 1 ? newest.revision : Math.min(newest.revision, last[i]?.revision ?? before);
    const count = Math.max(0, end - before);
    before = Math.max(before, end);
    return count;
  });
  return {
    oldest: shown(oldest),
    newest: shown(newest),
    since: String(compactedRevision),
    writes,
    ...(found[0] && { found: shown(found[0]) }),
  };
}

const shown = ({ revision, time }: StoreMoment): Moment => ({
  resourceVersion: String(revision),
  time: new Date(time).toISOString(),
});
