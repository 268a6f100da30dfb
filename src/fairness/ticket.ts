import type { RequestInfo } from "../meta/request-info.ts";
import type { Timer } from "../util/clock.ts";
import type { Flow } from "./flow.ts";
import type { Queue } from "./queue.ts";
import type { After } from "./width.ts";

/** Why a request is not run, as the metrics have it (APF-23). */
export type RefusalReason = "concurrency-limit" | "queue-full" | "time-out" | "cancelled";

/** A request is not run (APF-17..19). */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly reason: RefusalReason;
  /** How long its sender is asked to wait. */
  readonly seconds: number;

  constructor(reason: RefusalReason, seconds: number) {
    super(`the request was refused: ${reason}`);
    this.reason = reason;
    this.seconds = seconds;
  }
}

/** Who hears how the waiting of a request ends. */
export interface Waiting {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (why: Refused) => void;
  readonly timer: Timer;
}

/** One request in its level, from its arrival to its end. */
export class Ticket {
  readonly flow: Flow;
  readonly user: string;
  readonly info: RequestInfo;
  /** Seats that it takes while it runs. */
  readonly width: number;
  /** By the steady clock, in ms; 0 before. */
  readonly arrivedAt: number;
  startedAt = 0;
  /** Where it waits, or was taken from. */
  queue: Queue | undefined = undefined;
  /** There while it waits. */
  waiting: Waiting | undefined = undefined;
  #ended = false;

  constructor(flow: Flow, user: string, info: RequestInfo, width: number, now: number) {
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
