import { Histogram } from "../util/exposition.ts";
import { noRefusals } from "./refusal.ts";

const WAIT_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

/** What is counted of the requests of a schema. */
export class FlowCounts {
  dispatched = 0;
  readonly refused = noRefusals();
  executing = 0;
  seats = 0;
  waiting = 0;
  // Made when somebody waits or looks: most schemas of a cluster for tests never have a request.
  #waits: Histogram | undefined = undefined;
  #vainWaits: Histogram | undefined = undefined;

  /** Seconds that requests waited that were run. */
  get waits(): Histogram {
    return (this.#waits ??= new Histogram(WAIT_BOUNDS));
  }

  /** Seconds that requests waited that were not run. */
  get vainWaits(): Histogram {
    return (this.#vainWaits ??= new Histogram(WAIT_BOUNDS));
  }
}
