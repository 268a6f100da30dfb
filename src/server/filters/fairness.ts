import { isLongRunning } from "../../meta/request-info.ts";
import type { Filter } from "./contract.ts";
import { RequestSeats } from "./seats.ts";

/**
 * Lets not more requests run at a time than the server can do, and users one after the other; others wait or are refused.
 * Clients of the same process are part of the server and need no seats, only turns of the event loop; what goes on for as long as
 * its reader wants counts nowhere, and of a watch only its beginning.
 */
export const fairness: Filter = {
  name: "fairness",
  enter: (server, request) => {
    const { info, incoming, response } = request;
    if (incoming.sent.identity) return server.clock.loop.admitInternal();
    if (info.verb !== "watch" && isLongRunning(info)) return undefined;
    const seats = new RequestSeats(server, request);
    response.seats = seats;
    return seats.begin();
  },
  leave: (_server, { response }) => response.seats.left(),
};
