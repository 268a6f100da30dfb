import { type Collector, single } from "../util/exposition.ts";

/** How often tokens of service accounts were judged good, by the names that dashboards know (AUTHN-29, AUTHN-33). */
export class AccountTokenMetrics {
  #valid = 0;
  #stale = 0;
  #ofSecrets = 0;

  /** A token that goes on to work after its time was used, before that or after it. */
  extended(isStale: boolean): void {
    if (isStale) this.#stale++;
    else this.#valid++;
  }

  /** A token of a Secret was used. */
  ofSecret(): void {
    this.#ofSecrets++;
  }

  /** The counts as metrics. */
  readonly collector: Collector = () => [
    single(
      "counter",
      "serviceaccount_stale_tokens_total",
      "Tokens of service accounts that were used after the time that their bearers know of.",
      this.#stale,
    ),
    single(
      "counter",
      "serviceaccount_valid_tokens_total",
      "Tokens of service accounts that work longer than their bearers know, used within the time that they know of.",
      this.#valid,
    ),
    single(
      "counter",
      "serviceaccount_legacy_tokens_total",
      "Tokens of Secrets of service accounts that were used.",
      this.#ofSecrets,
    ),
  ];
}
