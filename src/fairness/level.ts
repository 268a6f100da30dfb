/**
 * A priority level: its seats, the running requests that have them, and the queues of the others (APF-13..19).
 *
 *     arrived ──► running ──► ended          while there are seats and no request waits
 *     arrived ──► waiting ──► running        first the queue with the least service so far
 *                 waiting ──► refused        after its timeout, or when the client has disconnected
 *     arrived ──► refused                    no seat and no queue, or the queue is full
 *
 * While no request waits, a request costs a few additions.
 *
 * @module
 */
import type { QueuingSpec } from "../kinds/flowcontrol/v1/priority-level-configuration.ts";
import type { Clock } from "../util/clock.ts";
import { Heap } from "../util/heap.ts";
import { ShortLivedSet } from "../util/short-lived.ts";
import { Demand } from "./demand.ts";
import { deal } from "./shuffle-sharding.ts";
import { Queue } from "./queue.ts";
import { RetryAfter } from "./retry-after.ts";
import { type RefusalReason, Refused, noRefusals } from "./refusal.ts";
import type { Ticket } from "./ticket.ts";
import { type After, maxWidth } from "./width.ts";

/** The share of a level's seats for requests of more than one seat. */
const WIDE_SHARE = 0.875;

const hasLessService = (a: Queue, b: Queue): boolean => a.service < b.service;

/** The settings of a level. */
export interface LevelSettings {
  readonly name: string;
  /** Empty without an object. */
  readonly uid: string;
  readonly isExempt: boolean;
  /** Its seats by its shares, and the bounds of its limit. */
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
  /** The queues; without them requests are refused. */
  readonly queuing: QueuingSpec | undefined;
}

/** See the head of this file. */
export class Level {
  settings: LevelSettings;
  /** The current number of seats. */
  limit: number;
  /** Seats in use. */
  seats = 0;
  /** Seats in use by requests of more than one seat. */
  #wideSeats = 0;
  waiting = 0;
  readonly running = new ShortLivedSet<Ticket>();
  readonly demand: Demand;
  dispatched = 0;
  readonly refused = noRefusals();
  /** Whether its object was deleted: the level is deleted when it is empty. */
  isDraining = false;
  readonly #clock: Clock;
  readonly #retry = new RetryAfter();
  readonly #queues = new Map<number, Queue>();
  /** The queues with requests, by whether the first one takes more than one seat. */
  readonly #narrow = new Heap<Queue>(hasLessService);
  readonly #wide = new Heap<Queue>(hasLessService);
  /** The virtual time: the service of a queue that was always busy, with which a new queue begins. */
  #virtualTime = 0;

  constructor(clock: Clock, settings: LevelSettings) {
    this.#clock = clock;
    this.settings = settings;
    this.limit = settings.nominal;
    this.demand = new Demand(clock.steady());
  }

  get queues(): Iterable<Queue> {
    return this.#queues.values();
  }

  get isIdle(): boolean {
    return this.running.size === 0 && this.waiting === 0;
  }

  /** Whether a new request would wait or be refused. */
  get isSaturated(): boolean {
    return this.waiting > 0 || (!this.settings.queuing && this.seats >= this.limit);
  }

  /** The largest number of seats of one of its requests. */
  get maxWidth(): number {
    const { nominal, queuing } = this.settings;
    return maxWidth(nominal, queuing?.handSize);
  }

  /**
   * Admits a request, which runs at once unless its ticket is waiting.
   *
   * @param maxWaitMs how long it may wait
   * @throws Refused
   */
  enter(ticket: Ticket, maxWaitMs: number): void {
    this.demand.add(ticket.width, ticket.arrivedAt);
    if (this.settings.isExempt || (this.waiting === 0 && this.#fits(ticket))) {
      this.#run(ticket, ticket.arrivedAt);
      return;
    }
    const queue = this.#queueFor(ticket);
    if (!(queue instanceof Queue)) throw this.#refuse(ticket, queue);
    this.#wait(ticket, queue, maxWaitMs);
    // It may run before requests that need more seats, or whose queues have had more service.
    this.dispatch();
  }

  /** Ends a request. */
  ended(ticket: Ticket, after: After | undefined): void {
    const now = this.#clock.steady();
    const { counts } = ticket.flow;
    this.running.delete(ticket);
    counts.executing--;
    counts.seats -= ticket.width;
    if (ticket.width > 1) this.#wideSeats -= ticket.width;
    const queue = this.#queues.get(ticket.queue);
    const millis = now - ticket.startedAt;
    if (queue) this.#update(queue, () => queue.end(ticket, millis));
    // The service counts in equal parts for all waiting queues, so that a new request comes after those that waited.
    if (this.waiting > 0) this.#virtualTime += (ticket.width * millis) / (this.#narrow.size + this.#wide.size);
    this.#addSeats(-ticket.width, now);
    if (after) this.#addTemporarySeats(after, now);
    if (this.waiting > 0) this.dispatch();
  }

  /** Refuses a waiting request. */
  cancel(ticket: Ticket, reason: "time-out" | "cancelled"): void {
    const { waiting } = ticket;
    const queue = this.#queues.get(ticket.queue);
    if (queue) this.#update(queue, () => queue.leave(ticket));
    this.#endWait(ticket);
    waiting?.reject(this.#refuse(ticket, reason));
    if (this.waiting > 0) this.dispatch();
  }

  /** Runs waiting requests for which there are seats. */
  dispatch(): void {
    for (let queue = this.#next(); queue?.first; queue = this.#next()) {
      const [from, ticket] = [queue, queue.first];
      this.#virtualTime = Math.max(this.#virtualTime, from.service);
      this.#update(from, () => from.begin(ticket));
      const { waiting } = ticket;
      this.#endWait(ticket);
      this.#run(ticket, this.#clock.steady());
      waiting?.resolve();
    }
  }

  /** The queue with the least service whose first request may run now, without passing one that may run soon. */
  #next(): Queue | undefined {
    const narrow = this.#narrow.first;
    const wide = this.#wide.first;
    if (!wide || (narrow && narrow.service <= wide.service)) return this.#fits(narrow?.first) ? narrow : undefined;
    if (this.#fits(wide.first)) return wide;
    // A narrow request may pass a wide one that waits for other wide ones; otherwise narrow ones could pass it without end.
    return !this.#hasWideSeats(wide.first) && this.#fits(narrow?.first) ? narrow : undefined;
  }

  /** Whether there are seats for a request. One that needs more than all seats runs alone (APF-16). */
  #fits(ticket: Ticket | undefined): boolean {
    if (!ticket) return false;
    if (this.seats === 0) return true;
    return this.seats + ticket.width <= this.limit && (ticket.width === 1 || this.#hasWideSeats(ticket));
  }

  /** Whether a wide request leaves seats for narrow ones, so that a few lists do not make them wait. */
  #hasWideSeats({ width } = { width: 0 }): boolean {
    return this.#wideSeats + width <= this.limit * WIDE_SHARE;
  }

  #run(ticket: Ticket, now: number): void {
    ticket.startedAt = now;
    this.seats += ticket.width;
    if (ticket.width > 1) this.#wideSeats += ticket.width;
    this.dispatched++;
    this.running.add(ticket);
    const { counts } = ticket.flow;
    counts.dispatched++;
    counts.executing++;
    counts.seats += ticket.width;
    counts.waits.observe((now - ticket.arrivedAt) / 1000);
  }

  /** The queue of the hand of a request with the least work, or the reason for a refusal. */
  #queueFor({ flow, user, info }: Ticket): Queue | "concurrency-limit" | "queue-full" {
    const { queuing } = this.settings;
    if (!queuing) return "concurrency-limit";
    const { name, distinguisher } = flow;
    const value = distinguisher === "user" ? user : distinguisher === "namespace" ? info.namespace : "";
    let best: Queue | undefined;
    for (const index of deal(queuing.queues, queuing.handSize, name, value)) {
      const queue = this.#queues.get(index) ?? new Queue(index, this.#virtualTime);
      if (!best || queue.work < best.work) best = queue;
    }
    return best && best.tickets.size < queuing.queueLengthLimit ? best : "queue-full";
  }

  #wait(ticket: Ticket, queue: Queue, maxWaitMs: number): void {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const expire = (): void => this.cancel(ticket, "time-out");
    const timer = this.#clock.after(maxWaitMs, expire, { owner: "fairness" });
    ticket.waiting = { promise, resolve, reject, timer };
    this.waiting++;
    ticket.flow.counts.waiting++;
    if (queue.isIdle) queue.service = Math.max(queue.service, this.#virtualTime);
    this.#queues.set(queue.index, queue);
    this.#update(queue, () => queue.join(ticket));
  }

  #endWait(ticket: Ticket): void {
    ticket.waiting?.timer.cancel();
    ticket.waiting = undefined;
    this.waiting--;
    ticket.flow.counts.waiting--;
    // The service of idle queues does not matter when no request waits.
    if (this.waiting > 0) return;
    for (const queue of this.#queues.values()) if (queue.isIdle) this.#queues.delete(queue.index);
  }

  /** Changes a queue and its position among the others. */
  #update(queue: Queue, change: () => void): void {
    if (queue.heapIndex >= 0) this.#heapOf(queue).delete(queue);
    change();
    if (queue.tickets.size > 0) this.#heapOf(queue).add(queue);
    else if (this.waiting === 0 && queue.isIdle) this.#queues.delete(queue.index);
  }

  #heapOf({ first }: Queue): Heap<Queue> {
    return first && first.width > 1 ? this.#wide : this.#narrow;
  }

  #addSeats(seats: number, now: number): void {
    this.seats += seats;
    this.demand.add(seats, now);
  }

  #addTemporarySeats({ seats, millis }: After, now: number): void {
    this.#addSeats(seats, now);
    const release = (): void => {
      this.#addSeats(-seats, this.#clock.steady());
      if (this.waiting > 0) this.dispatch();
    };
    this.#clock.after(millis, release, { owner: "fairness", upkeep: true });
  }

  #refuse(ticket: Ticket, reason: RefusalReason): Refused {
    const now = this.#clock.steady();
    this.demand.add(-ticket.width, now);
    this.refused[reason]++;
    const { counts } = ticket.flow;
    counts.refused[reason]++;
    counts.refusedWaits.observe((now - ticket.arrivedAt) / 1000);
    if (reason !== "cancelled") this.#retry.refused(Math.floor(now / 1000));
    return new Refused(reason, this.#retry.seconds);
  }
}
