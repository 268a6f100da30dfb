/**
 * Whether others want the seats of a request, and how its answer is broken off for them.
 *
 * @module
 */
import type { ServerContext } from "./request/context.ts";
import type { ServerRequest } from "./request/request.ts";
import { whoAsks } from "./request/log-fields.ts";

/** Whether others want the seats of a request: they wait in its level, or are refused where nobody can wait. */
export function areSeatsWanted(
  { running, limits }: Pick<ServerContext, "running" | "limits">,
  { flow, seat }: ServerRequest,
): boolean {
  if (flow) return flow.level.isWanted;
  return seat !== 0 && running[seat] >= (seat === 1 ? limits.reads : limits.writes);
}

/** Breaks an answer off that nobody takes, for those who want its seats. */
export function breakOff({ log }: Pick<ServerContext, "log">, request: ServerRequest): void {
  const about = { limit: "untaken answer", ...whoAsks(request) };
  log.warn("an answer was broken off: nobody takes it, and others want its seats", about, about.route);
  request.exchange.destroy();
  request.giveSeatsBack();
}
