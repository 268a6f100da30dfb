/** The reason for a refusal, as a label of metrics (APF-23). */
export type RefusalReason = "concurrency-limit" | "queue-full" | "time-out" | "cancelled";

/** The number of refused requests by reason. */
export type Refusals = Record<RefusalReason, number>;

/** Returns counters of refusals, all 0. */
export const noRefusals = (): Refusals => ({
  "concurrency-limit": 0,
  "queue-full": 0,
  "time-out": 0,
  cancelled: 0,
});

/** Says that a request was refused (APF-17..19). */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly reason: RefusalReason;
  /** The `Retry-After` of the response. */
  readonly seconds: number;

  constructor(reason: RefusalReason, seconds: number) {
    super(`the request was refused: ${reason}`);
    this.reason = reason;
    this.seconds = seconds;
  }
}
