/**
 * The memory that bodies of requests take together, from their first byte until they are answered.
 *
 * It has three parts, which a body takes from in this order. Who holds something of a part never waits for more of it, nor
 * for one before it, so those who hold never wait for each other.
 *
 *     start       up to 64 KiB, before anything is read     all of most bodies
 *     rest        the others, when there are more           as many as are announced, or as there may be
 *     inflated    what becomes of a compressed one          as many as there may be
 *
 * So who announces much and sends nothing holds a start. Where there is no room a body is not read on, and the flow
 * control of its connection holds its sender up.
 *
 * Of those who wait, the one goes on whose connection holds least, so that one connection cannot shut others out. Whom
 * we keep waiting is not driven out, but refused after a while. Who keeps us waiting, and has taken long for 64 KiB, makes
 * way for those whose connection holds less; and for all where nothing else comes on his connection either, since bodies
 * that are sent at once share its bandwidth.
 *
 * @module
 */
import { tooManyRequests } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import { Deadlines } from "../../util/deadlines.ts";
import type { Collector } from "../../util/exposition.ts";

/** The bytes of a start, and those that a sender has {@link STEP_MS} for. */
export const STEP = 65_536;
const STEP_MS = 2_000;
/** How long a body may wait for room. */
const WAIT_MS = 30_000;
const RETRY_SECONDS = 5;

/** See the head of this file. */
type Part = "start" | "rest" | "inflated";

const PARTS: Readonly<Record<Part, number>> = { start: 1 / 4, rest: 1 / 2, inflated: 1 / 4 };

/** One part of the memory. */
class Pool {
  readonly most: number;
  held = 0;
  /** Those who wait, in the order in which they came, and the bytes that each wants. */
  readonly waiting = new Map<BodyRoom, number>();

  constructor(most: number) {
    this.most = most;
  }

  fits(bytes: number): boolean {
    return this.held + bytes <= this.most;
  }
}

/** A connection on which bodies come. */
class Sender {
  /** The bytes that its bodies hold of each part. */
  readonly held: Record<Part, number> = nothing();
  /** When it had last sent {@link STEP} bytes, and what it has sent since. */
  moved: number;
  #sent = 0;

  constructor(now: number) {
    this.moved = now;
  }

  sends(bytes: number, now: () => number): void {
    this.#sent += bytes;
    if (this.#sent < STEP) return;
    this.#sent = 0;
    this.moved = now();
  }
}

const nothing = (): Record<Part, number> => ({ start: 0, rest: 0, inflated: 0 });

/** The room that one body has. */
export class BodyRoom implements Disposable {
  readonly sender: Sender;
  /** The bytes that it holds of each part. */
  readonly held: Record<Part, number> = nothing();
  /** Whether more of it is to come from its sender. */
  reading = true;
  /** Wakes who waits for room; there while somebody does. */
  wake: PromiseWithResolvers<void> | undefined = undefined;
  /** Called when it has to make way while it is read. */
  onRefused: ((why: Error) => void) | undefined = undefined;
  readonly #memory: BodyMemory;
  #sent = 0;

  constructor(memory: BodyMemory, sender: Sender) {
    this.#memory = memory;
    this.sender = sender;
  }

  /** Takes bytes of a part; undefined where there is room at once. Rejects with 429. */
  take(part: Part, bytes: number): Promise<void> | undefined {
    return this.#memory.take(this, part, bytes);
  }

  /** So many bytes have come. */
  sent(bytes: number): void {
    this.sender.sends(bytes, this.#memory.now);
    this.#sent += bytes;
    if (this.#sent < STEP) return;
    this.#sent = 0;
    this.#memory.follow(this);
  }

  /** Nothing more comes from the sender; `bytes` are there. */
  whole(bytes: number): void {
    this.reading = false;
    this.#memory.follow(this);
    this.keep("rest", Math.max(0, bytes - STEP));
    this.keep("start", bytes);
  }

  /** Gives back what it holds of a part beyond `bytes`. */
  keep(part: Part, bytes: number): void {
    this.#memory.keep(this, part, bytes);
  }

  /** Gives all back, and the place of who waits. */
  [Symbol.dispose](): void {
    this.#memory.leave(this);
  }
}

/** See the head of this file. */
export class BodyMemory implements Disposable {
  /** The steady counter of the clock. */
  readonly now: () => number;
  readonly #pools: Readonly<Record<Part, Pool>>;
  readonly #senders = new WeakMap<object, Sender>();
  readonly #reading: Deadlines<BodyRoom>;
  /** Those whose sender takes long; the first for longest. */
  readonly #slow = new Set<BodyRoom>();
  readonly #patience: Deadlines<BodyRoom>;
  #refused = 0;

  /** @param most the bytes that all may hold */
  constructor(clock: Clock, most: number) {
    this.now = () => clock.steady();
    const pool = (part: Part): Pool => new Pool(most * PARTS[part]);
    this.#pools = { start: pool("start"), rest: pool("rest"), inflated: pool("inflated") };
    const owner = "bodies";
    this.#reading = new Deadlines({ clock, millis: STEP_MS, owner, over: (room) => this.#isSlow(room) });
    this.#patience = new Deadlines({ clock, millis: WAIT_MS, owner, over: (room) => this.#refuse(room) });
  }

  /** What bodies hold, how many wait, and how many were refused. */
  readonly metrics: Collector = () => {
    const pools = Object.values(this.#pools);
    return [
      {
        name: "keelson_request_body_bytes",
        type: "gauge",
        help: "Memory that bodies of requests take until they are answered.",
        samples: [{ value: pools.reduce((sum, { held }) => sum + held, 0) }],
      },
      {
        name: "keelson_request_bodies_waiting",
        type: "gauge",
        help: "Bodies of requests that are not read on until there is memory for them.",
        samples: [{ value: pools.reduce((sum, { waiting }) => sum + waiting.size, 0) }],
      },
      {
        name: "keelson_request_bodies_refused_total",
        type: "counter",
        help: "Bodies of requests that were refused because there was no memory for them.",
        samples: [{ value: this.#refused }],
      },
    ];
  };

  /** The room of a body that is about to be read; it holds nothing yet. */
  open(connection: object): BodyRoom {
    let sender = this.#senders.get(connection);
    if (!sender) this.#senders.set(connection, (sender = new Sender(this.now())));
    return new BodyRoom(this, sender);
  }

  /** See {@link BodyRoom.take}. */
  take(room: BodyRoom, part: Part, bytes: number): Promise<void> | undefined {
    const pool = this.#pools[part];
    const wanted = Math.min(bytes, pool.most);
    if (pool.waiting.size === 0 && pool.fits(wanted)) {
      this.#give(room, part, wanted);
      return undefined;
    }
    this.#rest(room);
    room.wake = Promise.withResolvers();
    pool.waiting.set(room, wanted);
    this.#patience.add(room);
    const { promise } = room.wake;
    this.#serve(part);
    return promise;
  }

  /** Waits for the sender of a body from now on, or not any more. */
  follow(room: BodyRoom): void {
    this.#rest(room);
    if (room.reading) this.#reading.add(room);
  }

  /** See {@link BodyRoom.keep}. */
  keep(room: BodyRoom, part: Part, bytes: number): void {
    if (room.held[part] <= bytes) return;
    this.#hold(room, part, bytes);
    this.#serve(part);
  }

  /** Takes a body out, wherever it is. */
  leave(room: BodyRoom): void {
    this.#rest(room);
    this.#patience.delete(room);
    for (const part of PART_NAMES) {
      const waited = this.#pools[part].waiting.delete(room);
      this.keep(room, part, 0);
      if (waited) this.#serve(part);
    }
  }

  [Symbol.dispose](): void {
    this.#reading[Symbol.dispose]();
    this.#patience[Symbol.dispose]();
  }

  /** Nobody waits for its sender. */
  #rest(room: BodyRoom): void {
    this.#reading.delete(room);
    this.#slow.delete(room);
  }

  #give(room: BodyRoom, part: Part, bytes: number): void {
    this.#hold(room, part, bytes);
    this.follow(room);
  }

  #hold(room: BodyRoom, part: Part, bytes: number): void {
    const more = bytes - room.held[part];
    room.held[part] = bytes;
    room.sender.held[part] += more;
    this.#pools[part].held += more;
  }

  /** Lets those go on who have room, or for whom others make way. */
  #serve(part: Part): void {
    const pool = this.#pools[part];
    while (pool.waiting.size > 0) {
      const next = this.#next(part);
      const wanted = pool.waiting.get(next)!;
      if (pool.fits(wanted)) this.#wake(next, part, wanted);
      else if (!this.#makeWay(next, part)) return;
    }
  }

  /** Of those who wait, the one whose connection holds least. */
  #next(part: Part): BodyRoom {
    const waiting = this.#pools[part].waiting.keys();
    return waiting.reduce((least, room) => (room.sender.held[part] < least.sender.held[part] ? room : least));
  }

  #wake(room: BodyRoom, part: Part, bytes: number): void {
    const { wake } = room;
    this.#pools[part].waiting.delete(room);
    this.#patience.delete(room);
    room.wake = undefined;
    this.#give(room, part, bytes);
    wake!.resolve();
  }

  /** Whether somebody who holds something of a part has made way for another one. */
  #makeWay({ sender }: BodyRoom, part: Part): boolean {
    for (const room of this.#slow) {
      if (room.held[part] === 0) continue;
      if (room.sender.held[part] <= sender.held[part] && this.#moves(room)) continue;
      this.#refuse(room);
      return true;
    }
    return false;
  }

  #moves({ sender }: BodyRoom): boolean {
    return this.now() - sender.moved < STEP_MS;
  }

  #isSlow(room: BodyRoom): void {
    this.#slow.add(room);
    if (this.#moves(room)) this.#reading.add(room);
    for (const part of PART_NAMES) this.#serve(part);
  }

  #refuse(room: BodyRoom): void {
    this.#refused++;
    const { wake, onRefused } = room;
    const message = "the server reads as many bodies as it has memory for; try again";
    const why = tooManyRequests(message, "body memory", RETRY_SECONDS);
    room.wake = undefined;
    room.reading = false;
    this.leave(room);
    if (wake) wake.reject(why);
    else onRefused?.(why);
  }
}

const PART_NAMES = Object.keys(PARTS) as readonly Part[];
