import { Histogram } from "../util/exposition.ts";
import { noRefusals } from "./refusal.ts";

const WAIT_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

/** Counts the requests of a schema. */
export class FlowCounts {
  dispatched = 0;
  readonly refused = noRefusals();
  executing = 0;
  seats = 0;
  waiting = 0;
  // Made on first use: most schemas of a cluster for tests never have a request.
  #waits: Histogram | undefined = undefined;
  #refusedWaits: Histogram | undefined = undefined;

  /** Seconds for which executed requests waited. */
  get waits(): Histogram {
    return (this.#waits ??= new Histogram(WAIT_BOUNDS));
  }

  /** Seconds for which refused requests waited. */
  get refusedWaits(): Histogram {
    return (this.#refusedWaits ??= new Histogram(WAIT_BOUNDS));
  }
}
