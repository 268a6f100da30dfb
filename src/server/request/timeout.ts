/**
 * How long a request may take: as long as the server allows, or less where its client sends `timeout` (LIMIT-3).
 *
 * @module
 */
import { type ApiError, timeout } from "../../meta/status.ts";
import type { ServerLimits } from "../shared/limits.ts";
import type { Query } from "./query.ts";

/** The ms that a request may take. A `timeout` that is no duration, zero or less does not count. */
export function requestMillis(query: Query, { requestMillis: most }: Pick<ServerLimits, "requestMillis">): number {
  const sent = query.timeoutMillis ?? 0;
  return sent > 0 ? Math.min(sent, most) : most;
}

/** 504, for a request that had so many ms. */
export const timedOut = (millis: number): ApiError =>
  timeout(`expected the request to be done within ${millis / 1000} seconds`);
