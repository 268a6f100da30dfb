import type { Clock, Random } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import type { Progress } from "../../util/progress.ts";
import type { CurrentSpan, InTrace } from "../../util/span.ts";

/** What a program gets from its process; tests pass in others. */
export interface SystemParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Receives the progress of a start; none by default. */
  readonly progress?: Progress;
}

/** The same in a server whose requests may be traced. */
export interface TracedSystemParts extends SystemParts {
  /** The span of which calls of other servers are parts; none where requests are not traced. */
  readonly currentSpan?: CurrentSpan;
  /** Traces calls that are parts of no request; absent where nothing is traced. */
  readonly inTrace?: InTrace;
}
