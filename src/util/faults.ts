import type { Collector } from "./exposition.ts";
import type { Log, LogFacts } from "./log.ts";

/** What a failure ends: one request, one connection, or background work of the process. */
export type FaultOf = "request" | "connection" | "process";

const MESSAGES: Readonly<Record<FaultOf, string>> = {
  request: "a request was broken off: the server failed while it handled it",
  connection: "a stream or a connection was ended: the server has failed while it read or wrote",
  process: "some work has failed, and nothing waited for it",
};

/** Logs unexpected errors, which are bugs, with their stacks, and counts them. */
export class Faults {
  readonly #log: Pick<Log, "error">;
  readonly #counts: Record<FaultOf, number> = { request: 0, connection: 0, process: 0 };

  constructor(log: Pick<Log, "error">) {
    this.#log = log;
  }

  /** Logs and counts an error. */
  report(of: FaultOf, error: unknown, facts: LogFacts = {}): void {
    this.#counts[of]++;
    const stack = stackOf(error);
    this.#log.error(MESSAGES[of], { ...facts, stack }, stack.slice(0, 500));
  }

  /** Returns the numbers of errors. */
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
 * Throws an error outside of the running code, for work that continues for others when one call has failed. A program
 * without a handler for uncaught exceptions ends.
 */
export function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
