/**
 * The watch that feeds a store: when it breaks, it resumes where it ended, on any member.
 *
 * @module
 */
import { type BackoffOptions, backoff } from "../../util/backoff.ts";
import { type Clock, type Random, sleep } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { StoreError, type StoreEvent } from "../contract.ts";
import type { EtcdClient, Member } from "./client.ts";
import { GrpcError } from "../../grpc/error.ts";
import type { Layout } from "./layout.ts";
import { CALLS, putRequest } from "./messages.ts";
import { WatchStream } from "./watch-stream.ts";

/** Receives the changes. */
export interface FeedSink {
  /** The revision from which the watch resumes. */
  readonly revision: number;
  /** Changes of records in order; all up to `revision` have come. */
  commit(events: readonly StoreEvent[], revision: number): void;
  /** The next changes were compacted; resolves when {@link FeedSink.revision} is one from which a watch can start. */
  lost(error: StoreError): Promise<void>;
}

const RETRY: BackoffOptions = { first: 20, most: 2000 };
/** Progress is requested when a wait takes longer than events usually need, and then at an interval. */
const PROGRESS_DELAY_MS = 10;
const PROGRESS_INTERVAL_MS = 100;
/** The delay and the interval where progress needs a write. */
const MARK_INTERVAL_MS = 250;

/** See the head of this file. */
export class Feed {
  readonly #client: EtcdClient;
  readonly #layout: Layout;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #sink: FeedSink;
  readonly #stop = new AbortController();
  #stream: WatchStream | undefined;
  #member: Member | undefined;
  #breakOff: (why: string) => void = () => {};
  #isMarking = false;
  /** The revision that is waited for, and whether a timer runs to request progress. */
  #awaited = 0;
  #isScheduled = false;

  constructor(
    { client, layout, log }: { client: EtcdClient; layout: Layout; log: Log },
    time: { clock: Clock; random: Random },
    sink: FeedSink,
  ) {
    this.#client = client;
    this.#layout = layout;
    this.#log = log;
    this.#clock = time.clock;
    this.#random = time.random;
    this.#sink = sink;
  }

  /** Follows the watch until it is stopped or the client has ended. */
  async run(): Promise<void> {
    for (let failures = 0; !this.#stop.signal.aborted;) {
      const before = this.#sink.revision;
      try {
        const error = await this.#follow(await this.#client.member(Infinity));
        if (this.#stop.signal.aborted) return;
        // A watch that was behind can continue from a newer revision that is known from responses.
        const isLost = error instanceof StoreError && error.code === "compacted";
        if (isLost && (error.revision ?? 0) > this.#sink.revision) await this.#sink.lost(error);
        else this.#log.warn("the watch on etcd broke and is restarted", { why: error.message });
      } catch (error) {
        if (error instanceof StoreError && (error.code === "closed" || error.code === "failed")) return;
        this.#log.warn("the watch on etcd could not be started", { why: String(error) });
      }
      failures = this.#sink.revision > before ? 0 : failures + 1;
      await sleep(this.#clock, backoff(failures, RETRY, this.#random), this.#stop.signal);
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#breakOff("stopped");
  }

  /** Restarts the watch, because it does not deliver changes that are known to exist. */
  restart(why: string): void {
    this.#breakOff(why);
  }

  /** Makes sure that the watch reports `revision`, even where it delivers no event of that revision. */
  awaitRevision(revision: number): void {
    this.#awaited = Math.max(this.#awaited, revision);
    if (!this.#isScheduled && this.#awaited > this.#sink.revision) this.#schedule(PROGRESS_DELAY_MS);
  }

  #schedule(millis: number): void {
    this.#isScheduled = true;
    this.#clock.after(this.#member?.reportsProgress === false ? MARK_INTERVAL_MS : millis, () => {
      this.#isScheduled = false;
      if (this.#stop.signal.aborted || this.#awaited <= this.#sink.revision) return;
      requestProgress(this.#stream, this.#member, () => void this.#mark());
      this.#schedule(PROGRESS_INTERVAL_MS);
    });
  }

  async #mark(): Promise<void> {
    if (this.#isMarking) return;
    this.#isMarking = true;
    await writeProgressMark(this.#client, this.#layout).catch(() => {});
    this.#isMarking = false;
  }

  /** Follows the watch on a member; resolves to the error that ended it. */
  #follow(member: Member): Promise<StoreError | GrpcError> {
    return new Promise((resolve) => {
      const end = (error: StoreError | GrpcError): void => {
        stream.cancel();
        this.#stream = undefined;
        resolve(error);
      };
      this.#breakOff = (why) => end(new GrpcError(0, why, true));
      const stream = new WatchStream(member, this.#layout.everything, this.#sink.revision, {
        changes: (changes, revision) => {
          const known = this.#sink.revision;
          let events: StoreEvent[];
          try {
            events = this.#layout.events(changes.filter(({ now }) => now.modRevision > known));
          } catch (error) {
            if (!(error instanceof StoreError)) throw error;
            return end(error);
          }
          if (revision > known) this.#sink.commit(events, revision);
        },
        progress: (revision) => {
          if (revision > this.#sink.revision) this.#sink.commit([], revision);
        },
        known: () => this.#sink.revision,
        ended: end,
      });
      this.#stream = stream;
      this.#member = member;
    });
  }
}

/** Requests the progress of a watch; `mark` is called on a member that does not report it reliably. */
export function requestProgress(stream: WatchStream | undefined, member: Member | undefined, mark: () => void): void {
  if (!stream || !member) return;
  if (member.reportsProgress) stream.requestProgress();
  else mark();
}

/** Writes a key without meaning: a watch that delivers its event has delivered all events before. */
export const writeProgressMark = (client: EtcdClient, layout: Layout): Promise<Uint8Array> =>
  client.write(CALLS.put, putRequest(layout.progress, new Uint8Array(0)));
