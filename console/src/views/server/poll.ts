/**
 * Reads `/metrics` and the health of the server again and again, while the view is shown and the page is seen.
 *
 * @module
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import { ApiFailure, requestText } from "../../api/http.ts";
import { browserTimers, type Timers } from "../../api/timers.ts";
import { parseExposition, type Samples } from "./exposition.ts";
import { figuresBetween, type HealthCheck, parseHealth, type Reading, Ring, WANTED } from "./figures.ts";

/** The time between two readings. */
export const INTERVAL_MS = 2000;
/** What the user may not read is asked for again after this time. */
const REFUSED_MS = 30_000;
/** As many readings as two minutes have. */
const READINGS = 60;

/** What is known of the server. */
export interface ServerState {
  readonly ring: Ring;
  /** Grows with each reading, since the ring stays the same. */
  readonly readings: number;
  readonly before?: Samples;
  readonly after?: Samples;
  /** Milliseconds between the last two readings. */
  readonly millis: number;
  readonly isCut: boolean;
  readonly health: readonly HealthCheck[];
  /** Why `/metrics` could not be read the last time. */
  readonly failure?: ApiFailure;
}

/** A server that is read again and again. */
export interface Poll {
  readonly value: ReadonlySignal<ServerState>;
  close(): void;
}

/** What the poll needs of the browser, so that tests have their own. */
export interface PollParts {
  readonly timers: Timers;
  /** Milliseconds of a clock that only moves forward. */
  readonly steady: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly isSeen: () => boolean;
  readonly read: (path: string, signal: AbortSignal) => Promise<string>;
}

const browser: PollParts = {
  timers: browserTimers,
  steady: () => performance.now(),
  now: () => Date.now(),
  isSeen: () => document.visibilityState === "visible",
  read: async (path, abort) => (await requestText(path, { accept: "text/plain, */*", signal: abort })).text,
};

/** Begins to read, at once and then every {@link INTERVAL_MS}; a reading begins when the last one has ended. */
export function pollServer(parts: PollParts = browser): Poll {
  const value = signal<ServerState>({ ring: new Ring(READINGS), readings: 0, millis: 0, isCut: false, health: [] });
  const aborter = new AbortController();
  let last: Reading | undefined;
  let stop: (() => void) | undefined;
  let askAgainAt = -Infinity;

  const readMetrics = async (): Promise<Partial<ServerState>> => {
    const text = await parts.read("/metrics", aborter.signal);
    const { samples, isCut } = parseExposition(text, WANTED);
    const reading: Reading = { at: parts.steady(), samples };
    const before = last;
    last = reading;
    if (!before) return { after: samples, isCut };
    const { ring } = value.peek();
    ring.push(parts.now() / 1000, figuresBetween(before, reading));
    return { before: before.samples, after: samples, millis: reading.at - before.at, isCut };
  };
  const readHealth = async (): Promise<readonly HealthCheck[]> => {
    try {
      return parseHealth(await parts.read("/readyz?verbose", aborter.signal));
    } catch (error) {
      return error instanceof ApiFailure ? parseHealth(error.status.message ?? "") : [];
    }
  };
  const step = async (): Promise<void> => {
    if (parts.isSeen()) {
      const isRefused = parts.steady() < askAgainAt;
      const [metrics, health] = await Promise.all([
        isRefused
          ? undefined
          : readMetrics().catch((error: unknown) => {
              if (!(error instanceof ApiFailure)) throw error;
              if (error.code === 403) askAgainAt = parts.steady() + REFUSED_MS;
              return { failure: error };
            }),
        readHealth(),
      ]);
      if (aborter.signal.aborted) return;
      const { failure, ...old } = value.peek();
      const read = metrics ?? (failure ? { failure } : {});
      value.value = { ...old, ...read, health, readings: old.readings + 1 };
    }
    stop = parts.timers.after(INTERVAL_MS, next);
  };
  const next = (): void => void step().catch(() => undefined);
  next();
  return {
    value,
    close() {
      aborter.abort();
      stop?.();
    },
  };
}
