import { isLongRunning } from "../../meta/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import { timedOut } from "../request/timeout.ts";
import type { Filter } from "./contract.ts";

/**
 * Refuses a `timeout` that is no duration, and a request whose time is over when it is read (LIMIT-3). A watch has `timeoutSeconds`
 * instead, and other long responses have none.
 */
export const readTimeout: Filter = {
  name: "read timeout",
  enter: ({ clock }, { incoming: { query, startedAt }, info }) => {
    if (!query.has("timeout") || isLongRunning(info)) return;
    const millis = query.timeoutMillis;
    if (millis === undefined) {
      const text = query.text("timeout");
      throw badRequest(
        `invalid timeout specified in the request URL: expected a duration such as 30s, got ${JSON.stringify(text.slice(0, 100))}`,
      );
    }
    if (millis > 0 && clock.steady() - startedAt >= millis) throw timedOut(millis);
  },
};
