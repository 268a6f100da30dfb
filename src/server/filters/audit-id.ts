import type { Filter } from "./contract.ts";

/** Gives each request an id, by which its answer is found again in the logs: the sender's own as it is, or a new one (AUDIT-20). */
export const auditId: Filter = {
  name: "audit id",
  enter: ({ random }, request) => {
    const sent = request.exchange.header("audit-id");
    request.auditId = sent === "" ? random.uuid() : sent;
  },
};
