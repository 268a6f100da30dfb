/**
 * A level: so many seats, requests that have taken some, and queues of those that wait for some (APF-13..19).
 *
 *     asked ──► running ──► ended            while there are seats and nobody waits
 *     asked ──► waiting ──► running          first the queue that has had least
 *               waiting ──► refused          too long, or its sender has gone
 *     asked ──► refused                      no seat and no queue, or the queue is full
 *
 * While nobody waits a request costs a few additions.
 *
 * @module
 */
import type { QueuingSpec } from "../kinds/flowcontrol/v1/priority-level-configuration.ts";
import type { Clock } from "../util/clock.ts";
import { Heap } from "../util/heap.ts";
import { PassingSet } from "../util/passing.ts";
import { Demand } from "./demand.ts";
import { deal } from "./hand.ts";
import { Queue } from "./queue.ts";
import { RetryAfter } from "./retry-after.ts";
import { type RefusalReason, Refused, noRefusals } from "./refusal.ts";
import type { Ticket } from "./ticket.ts";
import { type After, mostWidth } from "./width.ts";

/** The part of a level's seats that requests of more than one seat may take. */
const WIDE_PART = 0.875;

const hadLess = (a: Queue, b: Queue): boolean => a.had < b.had;

/** What a level is told to be. */
export interface LevelSettings {
  readonly name: string;
  /** Empty where there is no object of it. */
  readonly uid: string;
  readonly isExempt: boolean;
  /** Seats by its shares, and the bounds between which they move. */
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
  /** Where requests wait; without it they are refused. */
  readonly queuing: QueuingSpec | undefined;
}

/** See the head of this file. */
export class Level {
  settings: LevelSettings;
  /** How many seats may be taken now. */
  limit: number;
  /** Seats that are taken. */
  seats = 0;
  /** Those of them that requests of more than one seat have taken. */
  #wideSeats = 0;
  waiting = 0;
  readonly running = new PassingSet<Ticket>();
  readonly demand: Demand;
  dispatched = 0;
  readonly refused = noRefusals();
  /** Whether no schema and no object asks for it any more: it goes when it is empty. */
  isLeaving = false;
  readonly #clock: Clock;
  readonly #retry = new RetryAfter();
  readonly #queues = new Map<number, Queue>();
  /** The queues in which somebody waits, by whether the first of them takes more than one seat. */
  readonly #narrow = new Heap<Queue>(hadLess);
  readonly #wide = new Heap<Queue>(hadLess);
  /** What a queue would have had that was always busy: a new one begins there. */
  #reached = 0;

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

  /** Whether there is nothing left for those who come: some wait, or would be refused at once. */
  get isWanted(): boolean {
    return this.waiting > 0 || (!this.settings.queuing && this.seats >= this.limit);
  }

  /** The most seats that one of its requests takes. */
  get mostWidth(): number {
    const { nominal, queuing } = this.settings;
    return mostWidth(nominal, queuing?.handSize);
  }

  /**
   * A request comes. It runs when this returns, but where it is left waiting: then `waiting` says when.
   *
   * @param patience how long it may wait, in ms
   * @throws Refused
   */
  enter(ticket: Ticket, patience: number): void {
    this.demand.add(ticket.width, ticket.arrivedAt);
    if (this.settings.isExempt || (this.waiting === 0 && this.#fits(ticket))) {
      this.#run(ticket, ticket.arrivedAt);
      return;
    }
    const queue = this.#queueFor(ticket);
    if (!(queue instanceof Queue)) throw this.#refuse(ticket, queue);
    this.#wait(ticket, queue, patience);
    // Others wait for more seats than it takes, or have had more.
    this.dispatch();
  }

  /** A request has been answered. */
  ended(ticket: Ticket, after: After | undefined): void {
    const now = this.#clock.steady();
    const { counts } = ticket.flow;
    this.running.delete(ticket);
    counts.executing--;
    counts.seats -= ticket.width;
    if (ticket.width > 1) this.#wideSeats -= ticket.width;
    const queue = this.#queues.get(ticket.queue);
    const millis = now - ticket.startedAt;
    if (queue) this.#settle(queue, () => queue.end(ticket, millis));
    // What was done counts as done for all who wait, in equal parts: who comes now comes after who has waited meanwhile.
    if (this.waiting > 0) this.#reached += (ticket.width * millis) / (this.#narrow.size + this.#wide.size);
    this.#take(-ticket.width, now);
    if (after) this.#takeAWhile(after, now);
    if (this.waiting > 0) this.dispatch();
  }

  /** A request waits no more. */
  giveUp(ticket: Ticket, reason: "time-out" | "cancelled"): void {
    const { waiting } = ticket;
    const queue = this.#queues.get(ticket.queue)!;
    this.#settle(queue, () => queue.leave(ticket));
    this.#leavesQueue(ticket);
    waiting!.reject(this.#refuse(ticket, reason));
    if (this.waiting > 0) this.dispatch();
  }

  /** Runs whoever may run now: called when there may be more seats than before. */
  dispatch(): void {
    for (let queue = this.#next(); queue; queue = this.#next()) {
      const from = queue;
      const ticket = from.first!;
      this.#reached = Math.max(this.#reached, from.had);
      this.#settle(from, () => from.begin(ticket));
      const { resolve } = ticket.waiting!;
      this.#leavesQueue(ticket);
      this.#run(ticket, this.#clock.steady());
      resolve();
    }
  }

  /** The queue whose first request may run now: of those that may, and are not behind one that may soon, the one that has had least. */
  #next(): Queue | undefined {
    const narrow = this.#narrow.first;
    const wide = this.#wide.first;
    if (!wide || (narrow && narrow.had <= wide.had)) return narrow && this.#fits(narrow.first!) ? narrow : undefined;
    const first = wide.first!;
    if (this.#fits(first)) return wide;
    // Where wide ones are in the way of a wide one, a narrow one need not wait for them; else it would be passed for ever.
    return narrow && !this.#hasWideRoom(first) && this.#fits(narrow.first!) ? narrow : undefined;
  }

  /** Whether there are seats for a request. One that is wider than all there are runs alone (APF-16). */
  #fits(ticket: Ticket): boolean {
    if (this.seats === 0) return true;
    return this.seats + ticket.width <= this.limit && (ticket.width === 1 || this.#hasWideRoom(ticket));
  }

  /** Whether it leaves seats to narrow requests, which are over soon: a few lists do not make them wait. */
  #hasWideRoom({ width }: Ticket): boolean {
    return this.#wideSeats + width <= this.limit * WIDE_PART;
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

  /** The queue that a request joins, of those that its flow may use the one with least work; or why none. */
  #queueFor({ flow, user, info }: Ticket): Queue | "concurrency-limit" | "queue-full" {
    const { queuing } = this.settings;
    if (!queuing) return "concurrency-limit";
    const { name, distinguisher } = flow;
    const what = distinguisher === "user" ? user : distinguisher === "namespace" ? info.namespace : "";
    let best: Queue | undefined;
    for (const index of deal(queuing.queues, queuing.handSize, name, what)) {
      const queue = this.#queues.get(index) ?? new Queue(index, this.#reached);
      if (!best || queue.work < best.work) best = queue;
    }
    return best!.tickets.size >= queuing.queueLengthLimit ? "queue-full" : best!;
  }

  #wait(ticket: Ticket, queue: Queue, patience: number): void {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = (): void => this.giveUp(ticket, "time-out");
    const timer = this.#clock.after(patience, late, { owner: "fairness" });
    ticket.waiting = { promise, resolve, reject, timer };
    this.waiting++;
    ticket.flow.counts.waiting++;
    if (queue.isIdle) queue.had = Math.max(queue.had, this.#reached);
    this.#queues.set(queue.index, queue);
    this.#settle(queue, () => queue.join(ticket));
  }

  #leavesQueue(ticket: Ticket): void {
    ticket.waiting!.timer.cancel();
    ticket.waiting = undefined;
    this.waiting--;
    ticket.flow.counts.waiting--;
    // Nobody is before anybody any more: what queues have had is forgotten.
    if (this.waiting === 0)
      for (const queue of this.#queues.values()) if (queue.isIdle) this.#queues.delete(queue.index);
  }

  /** Changes a queue and puts it where it belongs among the others. */
  #settle(queue: Queue, change: () => void): void {
    if (queue.place >= 0) this.#heapOf(queue).delete(queue);
    change();
    if (queue.tickets.size > 0) this.#heapOf(queue).add(queue);
    else if (this.waiting === 0 && queue.isIdle) this.#queues.delete(queue.index);
  }

  #heapOf({ first }: Queue): Heap<Queue> {
    return first!.width > 1 ? this.#wide : this.#narrow;
  }

  #take(seats: number, now: number): void {
    this.seats += seats;
    this.demand.add(seats, now);
  }

  #takeAWhile({ seats, millis }: After, now: number): void {
    this.seats += seats;
    this.demand.add(seats, now);
    const over = (): void => {
      this.#take(-seats, this.#clock.steady());
      if (this.waiting > 0) this.dispatch();
    };
    this.#clock.after(millis, over, { owner: "fairness", upkeep: true });
  }

  #refuse(ticket: Ticket, reason: RefusalReason): Refused {
    const now = this.#clock.steady();
    this.demand.add(-ticket.width, now);
    this.refused[reason]++;
    const { counts } = ticket.flow;
    counts.refused[reason]++;
    counts.vainWaits.observe((now - ticket.arrivedAt) / 1000);
    if (reason !== "cancelled") this.#retry.refused(Math.floor(now / 1000));
    return new Refused(reason, this.#retry.seconds);
  }
}
