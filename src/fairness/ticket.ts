import type { RequestInfo } from "../meta/request-info.ts";
import type { Timer } from "../util/clock.ts";
import type { FlowCounts } from "./counts.ts";
import type { Refused } from "./refusal.ts";
import type { After } from "./width.ts";

/** The promise of a waiting request, and its timeout. */
export interface Waiting {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (why: Refused) => void;
  readonly timer: Timer;
}

/** The level of a request. */
export interface TicketLevel {
  ended(ticket: Ticket, after: After | undefined): void;
  cancel(ticket: Ticket, reason: "cancelled"): void;
}

/** The schema of a request. */
export interface TicketFlow {
  readonly name: string;
  /** What distinguishes the flows of the schema. */
  readonly distinguisher: "user" | "namespace" | "none";
  readonly level: TicketLevel;
  readonly counts: FlowCounts;
}

/** One request in its level, from its arrival to its end. */
export class Ticket {
  readonly flow: TicketFlow;
  readonly user: string;
  readonly info: RequestInfo;
  /** Its seats while it runs. */
  readonly width: number;
  /** By the steady clock, in ms. */
  readonly arrivedAt: number;
  /** By the steady clock, in ms; 0 before it runs. */
  startedAt = 0;
  /** The queue in which it waits or waited; -1 where it never waited. */
  queue = -1;
  /** Undefined unless it waits. */
  waiting: Waiting | undefined = undefined;
  #ended = false;

  constructor(flow: TicketFlow, user: string, info: RequestInfo, width: number, now: number) {
    this.flow = flow;
    this.user = user;
    this.info = info;
    this.width = width;
    this.arrivedAt = now;
  }

  /** Ends the request and releases its seats; `after` takes some for a while. */
  end(after?: After): void {
    if (this.#ended) return;
    this.#ended = true;
    this.flow.level.ended(this, after);
  }

  /** Ends the wait of a request whose client has disconnected. */
  cancel(): void {
    if (this.waiting) this.flow.level.cancel(this, "cancelled");
  }
}
