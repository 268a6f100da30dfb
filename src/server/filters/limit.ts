import { tooManyRequests } from "../../meta/status.ts";
import type { Filter } from "./contract.ts";

/**
 * Lets no more requests run at a time than the server takes on: reads and writes are counted apart. What anybody may ask
 * takes no seat: a server that is busy is not one that is ill.
 */
export const limit: Filter = {
  name: "limit",
  enter: (server, request) => {
    if (request.isPublic) return;
    const { exchange } = request;
    const seat = exchange.method === "GET" || exchange.method === "HEAD" ? 1 : 2;
    const { running } = server;
    const most = seat === 1 ? server.limits.reads : server.limits.writes;
    if (most > 0 && running[seat] >= most)
      throw tooManyRequests("the server is busy; try again", seat === 1 ? "reads" : "writes");
    running[seat]++;
    request.seat = seat;
  },
  leave: (server, request) => {
    if (request.seat !== 0) server.running[request.seat]--;
  },
};
