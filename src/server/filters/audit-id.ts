import type { Filter } from "./contract.ts";

/** Gives each request an id, by which its answer is found again in the logs: the sender's own, or a new one. */
export const auditId: Filter = {
  name: "audit id",
  enter: ({ random }, request) => {
    const sent = request.exchange.header("audit-id");
    request.auditId = /^[\w-]{1,64}$/.test(sent) ? sent : random.uuid();
  },
};
