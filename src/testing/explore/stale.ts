/**
 * Reads of an older state: what a server whose cache is behind answers to a client that does not ask for the latest state.
 *
 * @module
 */

/**
 * Returns the path and query of a list or a watch that shows the state of a revision, where the request has `resourceVersion=0`; the
 * request itself where it asks for the latest state, which no server may answer with an older one.
 */
export function staleUrl(method: string, url: string, revision: number): string {
  const at = url.indexOf("?");
  if (method !== "GET" || at < 0) return url;
  const query = new URLSearchParams(url.slice(at + 1));
  if (query.get("resourceVersion") !== "0") return url;
  query.set("resourceVersion", String(revision));
  const isWatch = query.has("watch") && query.get("watch") !== "false" && query.get("watch") !== "0";
  if (!isWatch) {
    query.set("resourceVersionMatch", "Exact");
    // A list of version 0 is not cut.
    query.delete("limit");
  }
  return `${url.slice(0, at)}?${query.toString()}`;
}
