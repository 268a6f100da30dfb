import { isLongRunning } from "../../meta/request-info.ts";
import type { Filter } from "./contract.ts";
import { RequestSeats } from "./seats.ts";

/**
 * Limits the number of requests that run at a time, and serves users one after the other; other requests wait or are refused. Clients of
 * the same process are part of the server and need no seats, only slices of the event loop. Long responses are not counted, and of a watch
 * only its beginning is.
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
