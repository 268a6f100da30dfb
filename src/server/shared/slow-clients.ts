/**
 * Bounds the resources that slow clients hold.
 *
 *     a body that does not come, a reader           after 1 s altogether its seats are given back; once the body is there,
 *     that does not take the next piece             its request waits for seats again
 *     a large response that is not taken            keeps its seats, which bound how many copies there are; after 5 s
 *                                                   it is broken off as soon as others want them
 *
 * Exempt requests and those of this process are not bounded.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";
import { Deadlines } from "../../util/deadlines.ts";

/** How long a client may keep the server waiting, altogether, before its seats go to others. */
const TIMEOUT_MS = 1_000;
/** How long a large response may wait for its reader while others want its seats. */
const UNTAKEN_MS = 5_000;

/** A request that holds seats while its client keeps the server waiting. */
export interface SeatHolder {
  readonly holdsSeats: boolean;
  /** Ms that its client has kept the server waiting. */
  keptWaiting: number;
  giveSeatsBack(): void;
}

/** A request whose large response can be broken off. */
export interface ResponseHolder extends SeatHolder {
  /** Whether others want its seats. */
  readonly areSeatsWanted: boolean;
  /** Breaks its response off and gives its seats back. */
  breakOff(): void;
}

/** A large response that has begun. */
interface UntakenResponse {
  readonly holder: ResponseHolder;
  readonly since: number;
}

/** Bounds the resources that slow clients hold. */
export class SlowClients implements Disposable {
  readonly #clock: Clock;
  readonly #waits: Deadlines<SeatHolder>;
  readonly #responses: Deadlines<UntakenResponse>;

  constructor(clock: Clock) {
    const each = { clock, millis: TIMEOUT_MS, owner: "slow clients" };
    this.#clock = clock;
    this.#waits = new Deadlines({ ...each, over: (holder) => holder.giveSeatsBack() });
    this.#responses = new Deadlines({ ...each, over: (response) => this.#look(response) });
  }

  /** Waits for an action of a client; its seats are released after a short time. */
  async waitFor<T>(holder: SeatHolder, done: Promise<T>): Promise<T> {
    if (!holder.holdsSeats) return done;
    const since = this.#clock.steady();
    this.#waits.add(holder);
    try {
      return await done;
    } finally {
      this.#waits.delete(holder);
      holder.keptWaiting += this.#clock.steady() - since;
      if (holder.keptWaiting >= TIMEOUT_MS) holder.giveSeatsBack();
    }
  }

  /** Waits until a large response was read; its seats are kept, and it is broken off where others need them. */
  async waitUntilTaken(holder: ResponseHolder, taken: Promise<void>): Promise<void> {
    if (!holder.holdsSeats) return taken;
    const response = { holder, since: this.#clock.steady() };
    this.#responses.add(response);
    try {
      await taken;
    } finally {
      this.#responses.delete(response);
    }
  }

  [Symbol.dispose](): void {
    this.#waits[Symbol.dispose]();
    this.#responses[Symbol.dispose]();
  }

  #look(response: UntakenResponse): void {
    const { holder, since } = response;
    if (this.#clock.steady() - since >= UNTAKEN_MS && holder.areSeatsWanted) holder.breakOff();
    else this.#responses.add(response);
  }
}
