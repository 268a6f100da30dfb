import type { Collector } from "./exposition.ts";
import type { Log, LogFacts } from "./log.ts";

/** What ends by a failure: one request, one connection, or some work that neither of them waits for. */
export type FaultOf = "request" | "connection" | "process";

const MESSAGES: Readonly<Record<FaultOf, string>> = {
  request: "a request was broken off: the server has failed while it answered",
  connection: "a stream or a connection was ended: the server has failed while it read or wrote",
  process: "some work has failed, and nothing waited for it",
};

/** Failures that the program did not expect: each is logged with its stack, and counted. They are always mistakes of ours. */
export class Faults {
  readonly #log: Pick<Log, "error">;
  readonly #counts: Record<FaultOf, number> = { request: 0, connection: 0, process: 0 };

  constructor(log: Pick<Log, "error">) {
    this.#log = log;
  }

  /** Logs and counts a failure. */
  report(of: FaultOf, error: unknown, facts: LogFacts = {}): void {
    this.#counts[of]++;
    const stack = stackOf(error);
    this.#log.error(MESSAGES[of], { ...facts, stack }, stack.slice(0, 500));
  }

  /** How many there were. */
  readonly metrics: Collector = () => [
    {
      name: "keelson_uncaught_total",
      type: "counter",
      help: "Failures that the program did not expect, by what they have ended; process: some work that nothing waits for.",
      samples: Object.entries(this.#counts).map(([of, value]) => ({ labels: { of }, value })),
    },
  ];
}

const stackOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error);

/**
 * Lets a failure reach the process, where it is reported: for work that goes on for others when one has failed. A program that
 * has no handler for uncaught exceptions ends by it.
 */
export function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
