import type { Filter } from "./contract.ts";

/** Gives each request an id, under which its response is found in the logs: the id that the client has sent, or a new one (AUDIT-20). */
export const auditId: Filter = {
  name: "audit id",
  enter: ({ random }, request) => {
    const sent = request.incoming.sent.header("audit-id");
    request.response.auditId = sent === "" ? random.uuid() : sent;
  },
};
