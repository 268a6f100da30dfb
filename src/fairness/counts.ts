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
  /** Seconds that requests waited: those that were run, and those that were not. */
  readonly waits = new Histogram(WAIT_BOUNDS);
  readonly vainWaits = new Histogram(WAIT_BOUNDS);
}
