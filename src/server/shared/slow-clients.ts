/**
 * What clients that keep the server waiting take from others: nothing for long.
 *
 *     a body that does not come, a reader           after 1 s altogether its seats are given back; a body that is there
 *     without room for the next piece               then asks for them again before it is worked on
 *     a large answer that nobody takes              keeps its seats, which bound how many copies there are; after 5 s
 *                                                   it is broken off as soon as others want them
 *
 * Exempt requests and those of this process take nothing from anybody.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";
import { Deadlines } from "../../util/deadlines.ts";

/** How long a client may keep us waiting, altogether, before its seats go to others. */
const PATIENCE_MS = 1_000;
/** How long nobody need take a large answer while others want its seats. */
const UNTAKEN_MS = 5_000;

/** Who holds seats while a client keeps us waiting. */
export interface SeatHolder {
  readonly holdsSeats: boolean;
  /** Ms that its client has kept us waiting. */
  keptWaiting: number;
  giveSeatsBack(): void;
}

/** What is done about requests whose large answers nobody takes. */
export interface SlowClientsOptions<Request extends SeatHolder> {
  readonly clock: Clock;
  /** Whether others want its seats. */
  readonly isWanted: (request: Request) => boolean;
  /** Breaks its answer off and gives its seats back. */
  readonly breakOff: (request: Request) => void;
}

/** A large answer that is under way. */
interface Answer<Request> {
  readonly request: Request;
  readonly since: number;
}

/** See the head of this file. */
export class SlowClients<Request extends SeatHolder> implements Disposable {
  readonly #options: SlowClientsOptions<Request>;
  readonly #waits: Deadlines<SeatHolder>;
  readonly #answers: Deadlines<Answer<Request>>;

  constructor(options: SlowClientsOptions<Request>) {
    const each = { clock: options.clock, millis: PATIENCE_MS, owner: "slow clients" };
    this.#options = options;
    this.#waits = new Deadlines({ ...each, over: (holder) => holder.giveSeatsBack() });
    this.#answers = new Deadlines({ ...each, over: (answer) => this.#look(answer) });
  }

  /** Waits for something that a client does; its seats do not wait for long. */
  async waitFor<T>(holder: SeatHolder, done: Promise<T>): Promise<T> {
    if (!holder.holdsSeats) return done;
    const { clock } = this.#options;
    const since = clock.steady();
    this.#waits.add(holder);
    try {
      return await done;
    } finally {
      this.#waits.delete(holder);
      holder.keptWaiting += clock.steady() - since;
      if (holder.keptWaiting >= PATIENCE_MS) holder.giveSeatsBack();
    }
  }

  /** Waits until a large answer was taken; its seats are kept, and the answer is broken off where that starves others. */
  async waitUntilTaken(request: Request, taken: Promise<void>): Promise<void> {
    if (!request.holdsSeats) return taken;
    const answer = { request, since: this.#options.clock.steady() };
    this.#answers.add(answer);
    try {
      await taken;
    } finally {
      this.#answers.delete(answer);
    }
  }

  [Symbol.dispose](): void {
    this.#waits[Symbol.dispose]();
    this.#answers[Symbol.dispose]();
  }

  #look(answer: Answer<Request>): void {
    const { clock, isWanted, breakOff } = this.#options;
    const { request, since } = answer;
    if (clock.steady() - since >= UNTAKEN_MS && isWanted(request)) breakOff(request);
    else this.#answers.add(answer);
  }
}
