import { badRequest } from "../../meta/status.ts";
import type { Filter } from "./contract.ts";

/** A duration as Go reads it: `1m30s`, `1.5h`, `0`; of nanoseconds up to hours. */
const DURATION = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

/**
 * Refuses a `timeout` that is no duration. A client that sets one stops waiting by itself, so nothing else comes of it; a
 * watch has `timeoutSeconds` in its place.
 */
export const readTimeout: Filter = {
  name: "read timeout",
  enter: (_server, { query, info }) => {
    const timeout = query.text("timeout");
    if (timeout === "" || info!.verb === "watch" || (timeout.length <= 100 && DURATION.test(timeout))) return;
    throw badRequest(`expected timeout to be a duration such as 30s, got ${JSON.stringify(timeout.slice(0, 100))}`);
  },
};
