import type { Placed } from "../util/heap.ts";
import type { Ticket } from "./ticket.ts";

/** What a request is taken to need before it has ended, in ms. */
const GUESS_MS = 3;

/** One queue of a level. Its turn comes by what its requests have had, in seats times ms (APF-18). */
export class Queue implements Placed {
  place = -1;
  readonly index: number;
  /** First come, first served. */
  readonly tickets = new Set<Ticket>();
  /** Seats of those that wait and of those that run. */
  work = 0;
  executing = 0;
  seats = 0;
  /** What it has had: the queue that has had least is served next. */
  had: number;

  constructor(index: number, had: number) {
    this.index = index;
    this.had = had;
  }

  get first(): Ticket | undefined {
    const [first] = this.tickets;
    return first;
  }

  get isIdle(): boolean {
    return this.tickets.size === 0 && this.executing === 0;
  }

  join(ticket: Ticket): void {
    ticket.queue = this.index;
    this.tickets.add(ticket);
    this.work += ticket.width;
  }

  leave(ticket: Ticket): void {
    this.tickets.delete(ticket);
    this.work -= ticket.width;
  }

  /** A request of it runs, and counts as if it needed what most do. */
  begin(ticket: Ticket): void {
    this.tickets.delete(ticket);
    this.executing++;
    this.seats += ticket.width;
    this.had += ticket.width * GUESS_MS;
  }

  /** It has ended, and counts with the time that it has taken. */
  end(ticket: Ticket, millis: number): void {
    this.executing--;
    this.seats -= ticket.width;
    this.work -= ticket.width;
    this.had += ticket.width * (millis - GUESS_MS);
  }
}
