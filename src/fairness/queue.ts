import type { HeapItem } from "../util/heap.ts";
import type { Ticket } from "./ticket.ts";

/** The estimated duration of a request until it has ended. */
const ESTIMATE_MS = 3;

/** One queue of a level. The queue whose requests have had the least service is next (APF-18). */
export class Queue implements HeapItem {
  heapIndex = -1;
  readonly index: number;
  /** The waiting requests in their order. */
  readonly tickets = new Set<Ticket>();
  /** The seats of waiting and running requests. */
  work = 0;
  executing = 0;
  seats = 0;
  /** The service so far, in seats times ms. */
  service: number;

  constructor(index: number, service: number) {
    this.index = index;
    this.service = service;
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

  /** Begins a request, which counts with the estimated duration. */
  begin(ticket: Ticket): void {
    this.tickets.delete(ticket);
    this.executing++;
    this.seats += ticket.width;
    this.service += ticket.width * ESTIMATE_MS;
  }

  /** Ends a request, which counts with its real duration. */
  end(ticket: Ticket, millis: number): void {
    this.executing--;
    this.seats -= ticket.width;
    this.work -= ticket.width;
    this.service += ticket.width * (millis - ESTIMATE_MS);
  }
}
