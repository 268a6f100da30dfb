/**
 * Reads of an older state: the responses of a server whose cache is behind to a client that does not request the latest state.
 *
 * @module
 */
import type { ServerRequest } from "../../server/index.ts";
import type { Query } from "../../server/request/query.ts";
import type { GatedWatch } from "./gates.ts";

/** A parameter of a watch that begins with the state of a revision: `true`, or `end` where a bookmark marks its end. */
const STATE = "keelsonInitialState";

/**
 * Returns the path and query of a list or a watch that shows the state of a revision, where the request has `resourceVersion=0`; the
 * request itself where it requires the latest state, for which no server may return an older one.
 */
export function staleUrl(method: string, url: string, revision: number): string {
  const at = url.indexOf("?");
  if (method !== "GET" || at < 0) return url;
  const query = new URLSearchParams(url.slice(at + 1));
  if (query.get("resourceVersion") !== "0") return url;
  query.set("resourceVersion", String(revision));
  const isWatch = query.has("watch") && query.get("watch") !== "false" && query.get("watch") !== "0";
  if (isWatch) {
    const asked = query.get("sendInitialEvents");
    query.delete("sendInitialEvents");
    query.delete("resourceVersionMatch");
    if (asked !== "false") query.set(STATE, asked === null ? "true" : "end");
  } else {
    query.set("resourceVersionMatch", "Exact");
    // A list of version 0 is not cut.
    query.delete("limit");
  }
  return `${url.slice(0, at)}?${query.toString()}`;
}

/** Whether a list or a watch shows whatever state a server has. */
export const readsOlder = ({ incoming, info }: ServerRequest): boolean =>
  info.verb !== "get" && incoming.query.text("resourceVersion") === "0";

/** The revision of a list: an older one where the request names it exactly. */
export const listedRevision = ({ incoming: { query } }: ServerRequest, latest: number): number =>
  query.text("resourceVersionMatch") === "Exact" ? Number(query.text("resourceVersion")) : latest;

/** Whether a watch begins with the state of its revision. */
export const beginsWithState = (query: Query): boolean => query.has(STATE);

/** Sends the state of the revision of a watch, which is open. */
export async function sendState(watch: GatedWatch, { incoming, info, resource }: ServerRequest): Promise<void> {
  const { query } = incoming;
  const version = query.text("resourceVersion");
  const options = {
    labelSelector: query.text("labelSelector"),
    fieldSelector: query.text("fieldSelector"),
    limit: 0,
    continue: "",
    resourceVersion: version,
    resourceVersionMatch: "Exact",
  } as const;
  let part = await resource!.list(info.namespaced ? info.namespace : "", options);
  const entries = [...part.entries];
  for (let { next } = part; next; { next } = part) {
    part = { ...part, ...(await next()) };
    entries.push(...part.entries);
  }
  watch.begin(entries, Number(version), query.text(STATE) === "end");
}
