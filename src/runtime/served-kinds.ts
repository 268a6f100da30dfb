import { type Client, Discovery, type Kind, type ServedKind } from "../client/index.ts";
import { type Activity, ActivityCount, runCounted, pauseCount } from "../util/activity.ts";
import { backoff } from "../util/backoff.ts";
import { type Clock, type Random, sleep } from "../util/clock.ts";

/** The parts of {@link ServedKinds}. */
export interface ServedKindsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly activity?: Pick<Activity, "begin"> | undefined;
  /** Called for errors of discovery and listeners. */
  readonly failed: (error: unknown) => void;
}

interface Waiter {
  readonly id: string;
  readonly wake: () => void;
}

const POLL_BACKOFF = { first: 1000, most: 30_000 };
/** The timeout of a read. */
const RESPONSE_TIMEOUT_MS = 60_000;
/** It yields once for so many kinds: after a read, or after a look in the same process. */
const KINDS_PER_SLICE = { read: 10, seen: 100 };

/**
 * The served kinds: one reader of discovery for a manager.
 *
 * It reads while it has listeners or waiters. A server in the same process notifies it of changes and returns its kinds
 * without documents; other servers are polled, 1 to 30 s after the last change. Unchanged documents are not sent again.
 * Concurrent reads share a response. After each read it yields in proportion to the number of kinds.
 */
export class ServedKinds {
  readonly #options: ServedKindsOptions;
  readonly #discovery: Discovery;
  readonly #listeners = new Set<(kinds: readonly ServedKind[]) => void>();
  readonly #waiters = new Set<Waiter>();
  /** The kinds of the last read. */
  #kinds: readonly ServedKind[] = [];
  /** The same by {@link idOf}. */
  #served: ReadonlySet<string> = new Set();
  /** Resolves after the last read and its yields. */
  #yielded: Promise<void> = Promise.resolve();
  /** The next read, which has not begun. */
  #next: Promise<readonly ServedKind[]> | undefined;
  /** The next read in the same process. */
  #nextRefresh: Promise<void> | undefined;
  #isRunning = false;
  readonly #stop = new AbortController();
  /** Reads without a change since the last one. */
  #unchangedReads = 0;
  /** Aborted when it is time to read again. */
  #pause = new AbortController();

  constructor(options: ServedKindsOptions) {
    this.#options = options;
    this.#discovery = new Discovery(options.client);
    if (!options.client.local?.kinds) this.#discovery.on((kinds) => this.#take(kinds));
  }

  /** Reads every kind in every version; `preferredKinds` has each once. */
  async read(): Promise<readonly ServedKind[]> {
    // The read is pending, not each of its callers.
    using _parked = pauseCount();
    return await (this.#next ??= this.#ask());
  }

  /** Reads and returns whether a kind is served in its version. */
  async serves(kind: Kind): Promise<boolean> {
    await this.#refresh();
    return this.#served.has(idOf(kind));
  }

  /** Resolves when a kind is served in its version, or `signal` is aborted. */
  async comes(kind: Kind, signal: AbortSignal): Promise<void> {
    const id = idOf(kind);
    if (signal.aborted || this.#served.has(id)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const waiter = { id, wake };
    this.#waiters.add(waiter);
    signal.addEventListener("abort", wake);
    this.#follow();
    await promise;
    signal.removeEventListener("abort", wake);
    this.#waiters.delete(waiter);
  }

  /** Calls a listener with the served kinds once they are known, then after each change. */
  on(listener: (kinds: readonly ServedKind[]) => void): Disposable {
    const own = (kinds: readonly ServedKind[]): void => listener(kinds);
    this.#listeners.add(own);
    if (this.#kinds.length > 0) this.#call(own, this.#kinds);
    this.#follow();
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  /** Stops reading. */
  stop(): void {
    this.#stop.abort();
    this.#listeners.clear();
    this.#pause.abort(LOOK);
  }

  async #ask(): Promise<readonly ServedKind[]> {
    const { activity, clock } = this.#options;
    const count = activity && new ActivityCount(() => activity.begin("discovery"));
    await this.#yielded;
    const late = new AbortController();
    const onTimeout = (): void => late.abort(new Error(`discovery got no response within ${RESPONSE_TIMEOUT_MS} ms`));
    const timer = clock.after(RESPONSE_TIMEOUT_MS, onTimeout, { owner: "discovery" });
    const signal = AbortSignal.any([late.signal, this.#stop.signal]);
    const asked = runCounted(count, () => this.#discovery.read({ signal }));
    this.#next = undefined;
    this.#yielded = this.#yieldSlices(KINDS_PER_SLICE.read, asked);
    try {
      return await asked;
    } finally {
      timer.cancel();
      count?.end();
    }
  }

  /** Refreshes the kinds: without a request in the same process. */
  #refresh(): Promise<unknown> {
    const { kinds } = this.#options.client.local ?? {};
    if (!kinds) return this.read();
    return (this.#nextRefresh ??= this.#readLocal(kinds));
  }

  async #readLocal(kinds: () => readonly ServedKind[]): Promise<void> {
    const end = this.#options.activity?.begin("kinds");
    await this.#yielded;
    this.#nextRefresh = undefined;
    const seen = kinds();
    if (seen !== this.#kinds && !this.#stop.signal.aborted) this.#take(seen);
    this.#yielded = this.#yieldSlices(KINDS_PER_SLICE.seen);
    end?.();
  }

  async #yieldSlices(kindsPerSlice: number, asked?: Promise<unknown>): Promise<void> {
    await asked?.catch(() => {});
    for (let left = this.#kinds.length; left > 0; left -= kindsPerSlice) await this.#options.clock.loop.pass();
  }

  #take(kinds: readonly ServedKind[]): void {
    this.#unchangedReads = 0;
    this.#kinds = kinds;
    this.#served = new Set(kinds.map(idOf));
    for (const { id, wake } of this.#waiters) if (this.#served.has(id)) wake();
    for (const listener of this.#listeners) this.#call(listener, kinds);
  }

  #call(listener: (kinds: readonly ServedKind[]) => void, kinds: readonly ServedKind[]): void {
    try {
      listener(kinds);
    } catch (error) {
      this.#options.failed(error);
    }
  }

  /** Starts reading, as there is a listener or waiter. */
  #follow(): void {
    this.#unchangedReads = 0;
    this.#pause.abort(LOOK);
    if (!this.#isRunning && !this.#stop.signal.aborted) void this.#run();
  }

  async #run(): Promise<void> {
    const { client, clock, random, failed } = this.#options;
    this.#isRunning = true;
    using _told = client.local?.onKindsChange(() => this.#pause.abort(LOOK));
    while (!this.#stop.signal.aborted && this.#listeners.size + this.#waiters.size > 0) {
      // A change during the read triggers another one.
      const { signal } = (this.#pause = new AbortController());
      const isSeen = await this.#refresh().then(
        () => true,
        (error: unknown) => (failed(error), false),
      );
      if (isSeen && client.local) await aborted(signal);
      else await sleep(clock, backoff(this.#unchangedReads, POLL_BACKOFF, random), signal, { owner: "discovery" });
      if (!signal.aborted) this.#unchangedReads++;
    }
    this.#isRunning = false;
  }
}

/** No code reads the reason of a pause's end, and an error with a stack trace is expensive. */
const LOOK = "there is something to look at";

const idOf = ({ group, version, plural }: Kind): string => `${plural}.${group}/${version}`;

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
}
