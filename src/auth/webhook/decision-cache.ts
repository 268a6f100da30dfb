import { BoundedCache, textBytes } from "../../util/bounded-cache.ts";
import type { Clock } from "../../util/clock.ts";
import type { Decision } from "../contract.ts";

interface Kept {
  readonly decision: Decision;
  /** Milliseconds of the steady counter. */
  readonly until: number;
}

const MOST = { entries: 8192, bytes: 16 << 20 };
/** Whoever asks in longer words, perhaps to fill the memory, is asked about each time. */
const LONGEST_KEY = 4096;

/** What a webhook has decided, each for some time; those that have not been asked for longest go first. */
export class DecisionCache {
  readonly #clock: Pick<Clock, "steady">;
  readonly #kept = new BoundedCache<Kept>({
    ...MOST,
    weigh: ({ decision: { reason, error = "" } }) => textBytes(reason) + textBytes(error),
  });

  constructor(clock: Pick<Clock, "steady">) {
    this.#clock = clock;
  }

  get(key: string): Decision | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    if (kept.until > this.#clock.steady()) return kept.decision;
    this.#kept.delete(key);
    return undefined;
  }

  /** Keeps a decision for so many milliseconds; not at all where that are none. */
  keep(key: string, decision: Decision, millis: number): void {
    if (millis <= 0 || key.length > LONGEST_KEY) return;
    this.#kept.set(key, { decision, until: this.#clock.steady() + millis });
  }
}
