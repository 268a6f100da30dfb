import type { ResponseHolder } from "../shared/slow-clients.ts";

/** What a request holds while it runs: seats of its priority level, or its share of a plain limit (`filters/seats.ts`). */
export interface Seats extends ResponseHolder {
  /** Whether the seats are held for the initial events of a watch alone. */
  readonly areForInitialEvents: boolean;
  /** Called when the initial events have been sent, or never will be. */
  initialEventsSent(): void;
  /** Waits for the request's position in the queue, once its body is there. */
  afterBody(): void | Promise<void>;
  /** Called when the response is complete, or a watch has begun. */
  left(): void;
}

const nothing = (): void => {};

/** The seats of a request that needs none. */
export const NO_SEATS: Seats = {
  holdsSeats: false,
  areSeatsWanted: false,
  keptWaiting: 0,
  areForInitialEvents: false,
  giveSeatsBack: nothing,
  breakOff: nothing,
  initialEventsSent: nothing,
  afterBody: nothing,
  left: nothing,
};
