/**
 * The memory that bodies of requests take together, from their first byte until their requests have their responses.
 *
 * It has three parts, which a body takes from in this order. A body that holds memory of a part never waits for more of it, nor
 * for a part before it, so bodies that hold memory never wait for each other.
 *
 *     start       up to 64 KiB, before anything is read     all of most bodies
 *     rest        the bytes after those                     as many as are announced, or the limit
 *     inflated    a compressed body after inflation         the limit
 * So a body that announces much and is not sent holds only a start. Where there is no memory, the body is not read further, and the flow
 * control of its connection pauses its sender.
 *
 * Of the bodies that wait, the one whose connection holds least continues, so that one connection cannot exclude others. A body
 * that the server keeps waiting is not displaced, but refused after a while. A body that keeps the server waiting, and has
 * taken long for 64 KiB, is refused for those whose connection holds less; and for all where nothing else comes on its
 * connection either, since bodies that are sent at once share its bandwidth.
 *
 * @module
 */
import { tooManyRequests } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";
import { Deadlines } from "../../util/deadlines.ts";
import type { Collector } from "../../util/exposition.ts";

/** The bytes of a start, which a sender must send within {@link STEP_MS}. */
export const STEP = 65_536;
const STEP_MS = 2_000;
/** How long a body may wait for memory. */
const WAIT_MS = 30_000;
const RETRY_SECONDS = 5;

/** Allocates the memory of bodies; the head of this file has the rules. */
type Part = "start" | "rest" | "inflated";

const PARTS: Readonly<Record<Part, number>> = { start: 1 / 4, rest: 1 / 2, inflated: 1 / 4 };

/** One part of the memory. */
class Pool {
  readonly most: number;
  held = 0;
  /** The bodies that wait, in the order in which they came, and the bytes that each needs. */
  readonly waiting = new Map<BodyReservation, number>();

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

/** The memory that one body holds. */
export class BodyReservation implements Disposable {
  readonly sender: Sender;
  /** The bytes that it holds of each part. */
  readonly held: Record<Part, number> = nothing();
  /** Whether more bytes of it are expected from its sender. */
  reading = true;
  /** Resolves when there is memory for it; set while it waits. */
  wake: PromiseWithResolvers<void> | undefined = undefined;
  /** Called when it is refused while it is read. */
  onRefused: ((why: Error) => void) | undefined = undefined;
  readonly #memory: BodyMemory;
  #sent = 0;

  constructor(memory: BodyMemory, sender: Sender) {
    this.#memory = memory;
    this.sender = sender;
  }

  /** Reserves bytes of a part; undefined where they are free at once. Rejects with 429. */
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

  /** The sender has sent everything: `bytes` of it. */
  whole(bytes: number): void {
    this.reading = false;
    this.#memory.follow(this);
    this.keep("rest", Math.max(0, bytes - STEP));
    this.keep("start", bytes);
  }

  /** Releases what it holds of a part beyond `bytes`. */
  keep(part: Part, bytes: number): void {
    this.#memory.keep(this, part, bytes);
  }

  /** Releases everything; it does not wait any more. */
  [Symbol.dispose](): void {
    this.#memory.leave(this);
  }
}

/** The memory of the bodies of a server. */
export class BodyMemory implements Disposable {
  /** The steady counter of the clock. */
  readonly now: () => number;
  readonly #pools: Readonly<Record<Part, Pool>>;
  readonly #senders = new WeakMap<object, Sender>();
  readonly #reading: Deadlines<BodyReservation>;
  /** The bodies that the server waits for, the longest-waiting one first. */
  readonly #slow = new Set<BodyReservation>();
  readonly #waits: Deadlines<BodyReservation>;
  #refused = 0;

  /** @param most the bytes that all may hold */
  constructor(clock: Clock, most: number) {
    this.now = () => clock.steady();
    const pool = (part: Part): Pool => new Pool(most * PARTS[part]);
    this.#pools = { start: pool("start"), rest: pool("rest"), inflated: pool("inflated") };
    const owner = "bodies";
    this.#reading = new Deadlines({ clock, millis: STEP_MS, owner, over: (body) => this.#isSlow(body) });
    this.#waits = new Deadlines({ clock, millis: WAIT_MS, owner, over: (body) => this.#refuse(body) });
  }

  /** The bytes that bodies hold, how many bodies wait, and how many were refused. */
  readonly metrics: Collector = () => {
    const pools = Object.values(this.#pools);
    return [
      {
        name: "keelson_request_body_bytes",
        type: "gauge",
        help: "Memory of request bodies that are being handled.",
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

  /** A reservation for a body that will be read; it holds nothing yet. */
  open(connection: object): BodyReservation {
    let sender = this.#senders.get(connection);
    if (!sender) this.#senders.set(connection, (sender = new Sender(this.now())));
    return new BodyReservation(this, sender);
  }

  /** See {@link BodyReservation.take}. */
  take(body: BodyReservation, part: Part, bytes: number): Promise<void> | undefined {
    const pool = this.#pools[part];
    const wanted = Math.min(bytes, pool.most);
    if (pool.waiting.size === 0 && pool.fits(wanted)) {
      this.#give(body, part, wanted);
      return undefined;
    }
    this.#unfollow(body);
    body.wake = Promise.withResolvers();
    pool.waiting.set(body, wanted);
    this.#waits.add(body);
    const { promise } = body.wake;
    this.#serve(part);
    return promise;
  }

  /** Starts or stops the time in which the sender of a body must send. */
  follow(body: BodyReservation): void {
    this.#unfollow(body);
    if (body.reading) this.#reading.add(body);
  }

  /** See {@link BodyReservation.keep}. */
  keep(body: BodyReservation, part: Part, bytes: number): void {
    if (body.held[part] <= bytes) return;
    this.#hold(body, part, bytes);
    this.#serve(part);
  }

  /** Ends a reservation in any state. */
  leave(body: BodyReservation): void {
    this.#unfollow(body);
    this.#waits.delete(body);
    for (const part of PART_NAMES) {
      const waited = this.#pools[part].waiting.delete(body);
      this.keep(body, part, 0);
      if (waited) this.#serve(part);
    }
  }

  [Symbol.dispose](): void {
    this.#reading[Symbol.dispose]();
    this.#waits[Symbol.dispose]();
  }

  /** Its sender is not waited for. */
  #unfollow(body: BodyReservation): void {
    this.#reading.delete(body);
    this.#slow.delete(body);
  }

  #give(body: BodyReservation, part: Part, bytes: number): void {
    this.#hold(body, part, bytes);
    this.follow(body);
  }

  #hold(body: BodyReservation, part: Part, bytes: number): void {
    const more = bytes - body.held[part];
    body.held[part] = bytes;
    body.sender.held[part] += more;
    this.#pools[part].held += more;
  }

  /** Resumes bodies for which there is memory, or for which others are refused. */
  #serve(part: Part): void {
    const pool = this.#pools[part];
    while (pool.waiting.size > 0) {
      const next = this.#next(part);
      const wanted = pool.waiting.get(next) ?? 0;
      if (pool.fits(wanted)) this.#wake(next, part, wanted);
      else if (!this.#displace(next, part)) return;
    }
  }

  /** Of the bodies that wait, the one whose connection holds least. */
  #next(part: Part): BodyReservation {
    const waiting = this.#pools[part].waiting.keys();
    return waiting.reduce((least, body) => (body.sender.held[part] < least.sender.held[part] ? body : least));
  }

  #wake(body: BodyReservation, part: Part, bytes: number): void {
    const { wake } = body;
    this.#pools[part].waiting.delete(body);
    this.#waits.delete(body);
    body.wake = undefined;
    this.#give(body, part, bytes);
    wake?.resolve();
  }

  /** Whether a body that holds memory of a part was refused for another one. */
  #displace({ sender }: BodyReservation, part: Part): boolean {
    for (const body of this.#slow) {
      if (body.held[part] === 0) continue;
      if (body.sender.held[part] <= sender.held[part] && this.#moves(body)) continue;
      this.#refuse(body);
      return true;
    }
    return false;
  }

  #moves({ sender }: BodyReservation): boolean {
    return this.now() - sender.moved < STEP_MS;
  }

  #isSlow(body: BodyReservation): void {
    this.#slow.add(body);
    if (this.#moves(body)) this.#reading.add(body);
    for (const part of PART_NAMES) this.#serve(part);
  }

  #refuse(body: BodyReservation): void {
    this.#refused++;
    const { wake, onRefused } = body;
    const message = "the server reads as many bodies as it has memory for; try again";
    const why = tooManyRequests(message, "body memory", RETRY_SECONDS);
    body.wake = undefined;
    body.reading = false;
    this.leave(body);
    if (wake) wake.reject(why);
    else onRefused?.(why);
  }
}

const PART_NAMES = Object.keys(PARTS) as readonly Part[];
