import type { Filter } from "./contract.ts";

/** Counts requests with their time and size. */
export const measure: Filter = {
  name: "measure",
  leave: (server, request) => server.metrics.answered(request, server.clock.steady() - request.incoming.startedAt),
};
