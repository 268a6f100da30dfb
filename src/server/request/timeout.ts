/**
 * How long a request may take: as long as the server lets it, or as its client says by `timeout`, whatever is less
 * (LIMIT-3).
 *
 * @module
 */
import type { ServerLimits } from "../shared/limits.ts";
import type { Query } from "./query.ts";

/** The ms that a request may take. A `timeout` that is none, zero or less says nothing. */
export function requestMillis(query: Query, { requestMillis: most }: Pick<ServerLimits, "requestMillis">): number {
  const asked = query.timeoutMillis ?? 0;
  return asked > 0 ? Math.min(asked, most) : most;
}
