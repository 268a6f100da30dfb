import type { ServerRequest } from "../request/request.ts";
import { logFields } from "../request/log-fields.ts";
import type { Filter } from "./contract.ts";

/** Counts requests with their time and size. */
export const measure: Filter = {
  name: "measure",
  leave: ({ metrics, clock }, request) =>
    metrics.responded(request, clock.steady() - request.incoming.startedAt, () => clock.now()),
};

/** Logs requests that took long, with where the time went. */
export const slow: Filter = {
  name: "slow",
  leave: (server, request) => {
    const { clock, limits, log } = server;
    const now = clock.steady();
    if (now - request.incoming.startedAt < limits.slowMillis || request.response.longRunning) return;
    const { auditId, code } = request.response;
    const about = { ...logFields(request), code, auditId, ...partsOf(request, now) };
    log.warn("a request was slow", about, `${about.method} ${about.route}`);
  },
};

/** Ms that a request took: until it was read (with its waiting time), until its response began, until that was made. */
function partsOf(
  { incoming: { startedAt }, response: { readAt, respondedAt } }: ServerRequest,
  now: number,
): Record<string, number> {
  const read = Math.max(readAt, startedAt);
  const responded = Math.max(respondedAt, read);
  const [millis, reading, handling, responding] = [
    now - startedAt,
    read - startedAt,
    responded - read,
    now - responded,
  ];
  return Object.fromEntries(
    Object.entries({ millis, reading, handling, responding }).map(([k, v]) => [k, Math.round(v)]),
  );
}
