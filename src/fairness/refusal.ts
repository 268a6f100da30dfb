/** Why a request is not run, as the metrics have it (APF-23). */
export type RefusalReason = "concurrency-limit" | "queue-full" | "time-out" | "cancelled";

/** How many requests were refused, by why. */
export type Refusals = Record<RefusalReason, number>;

/** None yet. */
export const noRefusals = (): Refusals => ({
  "concurrency-limit": 0,
  "queue-full": 0,
  "time-out": 0,
  cancelled: 0,
});

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
