/**
 * Not more requests at a time than the server can do, and everybody in turn: by priority and fairness where the server has
 * it (APF-9..21), else by counting reads and writes (APF-22).
 *
 * Clients of the same process are part of the server and need no seats, only turns of the event loop; watches, once they have begun, and what else
 * goes on for as long as its reader wants count nowhere.
 *
 * @module
 */
import { isLongRunning, type RequestInfo } from "../../meta/request-info.ts";
import { type Fairness, type Flow, Refused, afterWrite, listWidth } from "../../fairness/index.ts";
import type { ResourceLoad } from "../../registry/contract.ts";
import type { ServerContext } from "../context.ts";
import { requestMillis } from "../request-time.ts";
import type { ServerRequest } from "../request.ts";
import { AlreadyAnswered } from "../already-answered.ts";
import { whoAsks } from "../who-asks.ts";
import type { Filter } from "./contract.ts";

/** Lets requests run, makes them wait or refuses them. */
export const fairness: Filter = {
  name: "fairness",
  enter: (server, request) => {
    if (request.exchange.identity) return server.clock.loop.admitInternal();
    if (isEndless(request.info!)) return undefined;
    const wait = seatFor(server, request);
    return wait ? wait.then(() => turnFor(server, request)) : turnFor(server, request);
  },
  leave: (server, request) => {
    const { flow } = request;
    // A watch that has begun holds its seats until it has sent what there was.
    if (request.longRunning && request.initialSent) request.stopsRunning();
    else if (!flow || !request.changed) request.giveSeatsBack();
    else request.giveSeatsBack(afterWrite(loadOf(server, request)?.watchers ?? 0, flow.level.mostWidth));
  },
};

/** Whether an answer goes on for as long as its reader wants; of watches only the beginning counts. */
const isEndless = (info: RequestInfo): boolean => info.verb !== "watch" && isLongRunning(info);

const isRead = ({ exchange: { method } }: ServerRequest): boolean => method === "GET" || method === "HEAD";

const take = ({ running }: ServerContext, request: ServerRequest): void =>
  request.run(running, isRead(request) ? 1 : 2);

/** Finds a place to run, waits for one or refuses the request. */
function seatFor(server: ServerContext, request: ServerRequest): void | Promise<void> {
  if (server.fairness) return enter(server, request, server.fairness);
  count(server, request);
}

/** The plain limits: so many reads and so many writes. */
function count(server: ServerContext, request: ServerRequest): void {
  const { running, limits } = server;
  const isFree =
    request.isPublic || request.identity.groups.includes("system:masters") || request.info!.verb === "watch";
  if (isFree) return;
  const [now, most] = isRead(request) ? [running[1], limits.reads] : [running[2], limits.writes];
  if (most > 0 && now >= most) refuse(server, request, isRead(request) ? "reads" : "writes", 1);
  else take(server, request);
}

function enter(server: ServerContext, request: ServerRequest, fair: Fairness): void | Promise<void> {
  const { identity } = request;
  const info = request.info!;
  const flow = fair.classify(identity, info);
  request.flow = flow;
  try {
    const ticket = fair.enter(flow, identity, info, widthOf(server, request, flow), patienceOf(server, request));
    request.ticket = ticket;
    if (beginsWithState(request)) request.initialSent = () => ticket.end();
  } catch (error) {
    refuseAs(server, request, error);
    return;
  }
  const { ticket } = request;
  if (!ticket?.waiting) {
    take(server, request);
    return;
  }
  request.exchange.onOver(() => ticket.cancel());
  const { promise } = ticket.waiting;
  request.spendWhile("apf-queue-wait", promise);
  return promise.then(
    () => take(server, request),
    (error: unknown) => {
      request.ticket = undefined;
      refuseAs(server, request, error);
    },
  );
}

/**
 * Many requests may come at once and find seats: those that read much begin one after the other, each in a pass of its own;
 * of the others everybody has one after the other. One with a body takes its turn when that is there.
 */
function turnFor(server: ServerContext, request: ServerRequest): void | Promise<void> {
  const { ticket, exchange, identity, seat } = request;
  const { loop } = server.clock;
  if (exchange.answered) return;
  if (ticket && ticket.width > 1) return loop.yield();
  if (!exchange.hasBody) return loop.admit(identity.user);
  // A body that was long in coming has lost its seat.
  request.turn = () => (request.seat === seat ? loop.admit(identity.user) : seatAgain(server, request));
}

/** The body of a request is there that others have passed meanwhile: it asks for a seat as if it came now. */
async function seatAgain(server: ServerContext, request: ServerRequest): Promise<void> {
  await seatFor(server, request);
  // Refused; or it has been answered while it waited that it has taken too long.
  if (request.exchange.answered) throw new AlreadyAnswered();
  await server.clock.loop.admit(request.identity.user);
}

/** Whether a watch begins with what there is. */
function beginsWithState({ info, query }: ServerRequest): boolean {
  if (info!.verb !== "watch") return false;
  const version = query.text("resourceVersion");
  return query.flag("sendInitialEvents") || version === "" || version === "0";
}

/** How many seats a request would take: more than one where it reads many objects (APF-15). */
function widthOf(server: ServerContext, request: ServerRequest, { level }: Flow): number {
  const { info, query } = request;
  const isList = info!.verb === "list" || beginsWithState(request);
  if (!isList || level.settings.isExempt || info!.name !== "") return 1;
  if (query.text("fieldSelector").startsWith("metadata.name=")) return 1;
  const load = loadOf(server, request);
  return load ? listWidth(load, Number.parseInt(query.text("limit"), 10) || 0) : 1;
}

function loadOf(server: ServerContext, { info }: ServerRequest): ResourceLoad | undefined {
  return info?.isResource ? server.registry.find(info.group, info.version, info.resource)?.load() : undefined;
}

/** A quarter of the time of the request (APF-19). */
const patienceOf = ({ limits }: ServerContext, { query }: ServerRequest): number => requestMillis(query, limits) / 4;

function refuseAs(server: ServerContext, request: ServerRequest, error: unknown): void {
  if (!(error instanceof Refused)) throw error;
  if (error.reason === "cancelled") request.exchange.destroy();
  else refuse(server, request, error.reason, error.seconds);
}

const TEXT = Buffer.from("Too many requests, please try again later.\n");

/** Asks the sender to come back in so many seconds; as a text, as clients know it (APF-20). */
function refuse(server: ServerContext, request: ServerRequest, limit: string, seconds: number): void {
  server.log.warn("a request was refused by a limit", { limit, code: 429, ...whoAsks(request) }, limit);
  request.reason = "TooManyRequests";
  const headers = request.headers("text/plain; charset=utf-8");
  request.respond(429, { ...headers, "retry-after": String(seconds), "x-content-type-options": "nosniff" }, TEXT);
}
