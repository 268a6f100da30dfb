import { type Collector, single } from "../util/exposition.ts";

/** Counts accepted tokens of service accounts, by the metric names of kube-apiserver (AUTHN-29, AUTHN-33). */
export class AccountTokenMetrics {
  #valid = 0;
  #stale = 0;
  #ofSecrets = 0;

  /** Counts a token with an extended lifetime; it is stale after the lifetime that its Pod knows. */
  extended(isStale: boolean): void {
    if (isStale) this.#stale++;
    else this.#valid++;
  }

  /** Counts a token of a Secret. */
  ofSecret(): void {
    this.#ofSecrets++;
  }

  /** The counts as metrics. */
  readonly collector: Collector = () => [
    single(
      "counter",
      "serviceaccount_stale_tokens_total",
      "Cumulative stale projected service account tokens used",
      this.#stale,
    ),
    single(
      "counter",
      "serviceaccount_valid_tokens_total",
      "Cumulative valid projected service account tokens used",
      this.#valid,
    ),
    single(
      "counter",
      "serviceaccount_legacy_tokens_total",
      "Cumulative legacy service account tokens used",
      this.#ofSecrets,
    ),
  ];
}
