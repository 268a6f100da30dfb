/** Why a request is not run, as the metrics have it (APF-23). */
export type RefusalReason = "concurrency-limit" | "queue-full" | "time-out" | "cancelled";

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
