/**
 * The seats that one request holds while it runs: those of its priority level (APF-9..21), or one of the read or write seats (APF-22).
 *
 * @module
 */
import { type Fairness, type Flow, Refused, type Ticket, afterWrite, listWidth } from "../../fairness/index.ts";
import type { ResourceLoad } from "../../registry/contract.ts";
import type { ServerContext } from "../request/context.ts";
import { logFields } from "../request/log-fields.ts";
import type { ServerRequest } from "../request/request.ts";
import type { Seats } from "../request/seats.ts";
import { requestMillis } from "../request/timeout.ts";
import { AlreadyResponded } from "./contract.ts";

/** The seats of one request. */
export class RequestSeats implements Seats {
  keptWaiting = 0;
  readonly #server: ServerContext;
  readonly #request: ServerRequest;
  readonly #kind: 1 | 2;
  /** Whether it counts among the running requests, and whether it did when it was admitted. */
  #runs = false;
  #ran = false;
  /** Whether its position in the queue is taken later, when the body is complete. */
  #isBodyAwaited = false;
  #ticket: Ticket | undefined = undefined;

  constructor(server: ServerContext, request: ServerRequest) {
    const { method } = request.incoming.sent;
    this.#server = server;
    this.#request = request;
    this.#kind = method === "GET" || method === "HEAD" ? 1 : 2;
  }

  /** Takes seats, then the position in the queue; the request waits for both, or is refused. */
  begin(): void | Promise<void> {
    const wait = this.#take();
    return wait ? wait.then(() => this.#queue()) : this.#queue();
  }

  get holdsSeats(): boolean {
    return this.#runs && !this.#flow?.level.settings.isExempt;
  }

  get areSeatsWanted(): boolean {
    if (this.#flow) return this.#flow.level.isSaturated;
    return this.#runs && this.#server.running[this.#kind] >= this.#most;
  }

  get areForInitialEvents(): boolean {
    return this.#ticket !== undefined && this.#beginsWithState;
  }

  initialEventsSent(): void {
    this.#ticket?.end();
  }

  giveSeatsBack(): void {
    this.#stop();
    this.#ticket?.end();
  }

  breakOff(): void {
    const about = { limit: "unread response", ...logFields(this.#request) };
    this.#server.log.warn(
      "a response was broken off: the client does not read it, and other requests wait for its seats",
      about,
      about.route,
    );
    this.#request.response.responder.destroy();
    this.giveSeatsBack();
  }

  afterBody(): void | Promise<void> {
    if (!this.#isBodyAwaited) return undefined;
    // A request whose body was slow has lost its seat.
    return this.#runs === this.#ran ? this.#admit() : this.#takeAgain();
  }

  left(): void {
    const { longRunning, changed } = this.#request.response;
    this.#stop();
    // A watch that has begun holds its seats until it has sent its initial events.
    if (longRunning && this.areForInitialEvents) return;
    const flow = changed ? this.#flow : undefined;
    this.#ticket?.end(flow && afterWrite(this.#load?.watchers ?? 0, flow.level.maxWidth));
  }

  get #flow(): Flow | undefined {
    return this.#request.response.flow;
  }

  /** How many requests of its kind may run; 0 for no limit. */
  get #most(): number {
    const { reads, writes } = this.#server.limits;
    return this.#kind === 1 ? reads : writes;
  }

  get #load(): ResourceLoad | undefined {
    const { isResource, group, version, resource } = this.#request.info;
    return isResource ? this.#server.registry.find(group, version, resource)?.load() : undefined;
  }

  /** Whether it is a watch that begins with the existing objects. */
  get #beginsWithState(): boolean {
    const { info, incoming } = this.#request;
    if (info.verb !== "watch") return false;
    const version = incoming.query.text("resourceVersion");
    return incoming.query.flag("sendInitialEvents") || version === "" || version === "0";
  }

  #take(): void | Promise<void> {
    if (this.#server.fairness) return this.#enter(this.#server.fairness);
    this.#count();
  }

  /** The plain limits: a number of reads and a number of writes. */
  #count(): void {
    const { isPublic, identity, info } = this.#request;
    if (isPublic || identity.groups.includes("system:masters") || info.verb === "watch") return;
    const isFull = this.#most > 0 && this.#server.running[this.#kind] >= this.#most;
    if (isFull) this.#refuse(this.#kind === 1 ? "reads" : "writes", 1);
    else this.#run();
  }

  #enter(fairness: Fairness): void | Promise<void> {
    const { identity, info, incoming, response } = this.#request;
    const flow = fairness.classify(identity, info);
    response.flow = flow;
    try {
      // A request waits for a quarter of its time (APF-19).
      const millis = requestMillis(incoming.query, this.#server.limits) / 4;
      this.#ticket = fairness.enter(flow, identity, info, this.#widthIn(flow), millis);
    } catch (error) {
      return this.#refuseAs(error);
    }
    const { waiting } = this.#ticket;
    if (!waiting) return this.#run();
    const ticket = this.#ticket;
    response.responder.onOver(() => ticket.cancel());
    response.recorder?.spendWhile("apf-queue-wait", waiting.promise);
    return waiting.promise.then(
      () => this.#run(),
      (error: unknown) => {
        this.#ticket = undefined;
        this.#refuseAs(error);
      },
    );
  }

  /** The number of seats that it takes: more than one where it reads many objects (APF-15). */
  #widthIn({ level }: Flow): number {
    const { info, incoming } = this.#request;
    const isList = info.verb === "list" || this.#beginsWithState;
    if (!isList || level.settings.isExempt || info.name !== "") return 1;
    if (incoming.query.text("fieldSelector").startsWith("metadata.name=")) return 1;
    const load = this.#load;
    return load ? listWidth(load, Number.parseInt(incoming.query.text("limit"), 10) || 0) : 1;
  }

  #run(): void {
    this.#runs = true;
    this.#server.running[this.#kind]++;
  }

  #stop(): void {
    if (this.#runs) this.#server.running[this.#kind]--;
    this.#runs = false;
  }

  /**
   * Many requests may arrive at once and get seats. Those that read much begin one after the other, each in a pass of its own; of the
   * others each user has one at a time. A request with a body takes its position when the body is complete.
   */
  #queue(): void | Promise<void> {
    const { incoming, response } = this.#request;
    if (response.responded) return;
    if (this.#ticket && this.#ticket.width > 1) return this.#server.clock.loop.yield();
    if (!incoming.sent.hasBody) return this.#admit();
    this.#isBodyAwaited = true;
    this.#ran = this.#runs;
  }

  /** Takes seats as if the request arrived now: others were served before it meanwhile. */
  async #takeAgain(): Promise<void> {
    await this.#take();
    // Refused; or it has timed out while it waited.
    if (this.#request.response.responded) throw new AlreadyResponded();
    await this.#admit();
  }

  /** Waits while other users are next on the event loop. */
  #admit(): Promise<void> | undefined {
    return this.#server.clock.loop.admit(this.#request.identity.user);
  }

  #refuseAs(error: unknown): void {
    if (!(error instanceof Refused)) throw error;
    if (error.reason === "cancelled") this.#request.response.responder.destroy();
    else this.#refuse(error.reason, error.seconds);
  }

  /** Asks the client to retry after this many seconds; as a text, in the form that clients know (APF-20). */
  #refuse(limit: string, seconds: number): void {
    const { response } = this.#request;
    const about = { limit, code: 429, ...logFields(this.#request) };
    this.#server.log.warn("a request was refused by a limit", about, limit);
    response.reason = "TooManyRequests";
    const headers = response.headers("text/plain; charset=utf-8");
    response.respond(429, { ...headers, "retry-after": String(seconds), "x-content-type-options": "nosniff" }, TEXT);
  }
}

const TEXT = Buffer.from("Too many requests, please try again later.\n");
