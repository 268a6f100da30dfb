import type { RequestInfo } from "../meta/request-info.ts";
import type { Timer } from "../util/clock.ts";
import type { FlowCounts } from "./counts.ts";
import type { Refused } from "./refusal.ts";
import type { After } from "./width.ts";

/** Who hears how the waiting of a request ends. */
export interface Waiting {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (why: Refused) => void;
  readonly timer: Timer;
}

/** What a request tells its level. */
export interface TicketLevel {
  ended(ticket: Ticket, after: After | undefined): void;
  giveUp(ticket: Ticket, reason: "cancelled"): void;
}

/** What a request has to know of the schema that has taken it. */
export interface TicketFlow {
  readonly name: string;
  /** What tells the schema's flows apart. */
  readonly distinguisher: "user" | "namespace" | "none";
  readonly level: TicketLevel;
  readonly counts: FlowCounts;
}

/** One request in its level, from its arrival to its end. */
export class Ticket {
  readonly flow: TicketFlow;
  readonly user: string;
  readonly info: RequestInfo;
  /** Seats that it takes while it runs. */
  readonly width: number;
  /** By the steady clock, in ms; 0 before. */
  readonly arrivedAt: number;
  startedAt = 0;
  /** The queue where it waits, or was taken from; -1 where it never waited. */
  queue = -1;
  /** There while it waits. */
  waiting: Waiting | undefined = undefined;
  #ended = false;

  constructor(flow: TicketFlow, user: string, info: RequestInfo, width: number, now: number) {
    this.flow = flow;
    this.user = user;
    this.info = info;
    this.width = width;
    this.arrivedAt = now;
  }

  /** It has been answered: what it held is given back, but for what it takes for a while after. */
  end(after?: After): void {
    if (this.#ended) return;
    this.#ended = true;
    this.flow.level.ended(this, after);
  }

  /** Its sender has gone away: it waits no more. */
  cancel(): void {
    if (this.waiting) this.flow.level.giveUp(this, "cancelled");
  }
}
