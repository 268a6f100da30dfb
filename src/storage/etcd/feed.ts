/**
 * The one watch that feeds a store: taken up again where it was whenever it breaks, on whatever member is there.
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

/** Who is fed. */
export interface FeedSink {
  /** Where to go on from. */
  readonly revision: number;
  /** Changes of records in order; everything up to `revision` has come. */
  commit(events: readonly StoreEvent[], revision: number): void;
  /** What comes next is no longer kept; resolves when {@link FeedSink.revision} is one to go on from. */
  lost(error: StoreError): Promise<void>;
}

const RETRY: BackoffOptions = { first: 20, most: 2000 };
/** Events come by themselves, so only who waits longer than they take asks how far the watch is, and then every so often. */
const ASK_FIRST_MS = 10;
const ASK_EVERY_MS = 100;
/** The same where asking takes a write. */
const MARK_MS = 250;

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
  #marking = false;
  /** The revision that somebody wants to see, and whether a timer runs to ask for it. */
  #wanted = 0;
  #asking = false;

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

  /** Feeds until stopped or until the client is over. */
  async run(): Promise<void> {
    for (let failures = 0; !this.#stop.signal.aborted;) {
      const before = this.#sink.revision;
      try {
        const error = await this.#follow(await this.#client.member(Infinity));
        if (this.#stop.signal.aborted) return;
        // What is known from elsewhere need not be kept: a watch that was behind goes on from there.
        const isLost = error instanceof StoreError && error.code === "compacted";
        if (isLost && error.revision! > this.#sink.revision) await this.#sink.lost(error);
        else this.#log.warn("the watch on etcd broke and is taken up again", { why: error.message });
      } catch (error) {
        if (error instanceof StoreError && (error.code === "closed" || error.code === "failed")) return;
        this.#log.warn("the watch on etcd could not be taken up", { why: String(error) });
      }
      failures = this.#sink.revision > before ? 0 : failures + 1;
      await sleep(this.#clock, backoff(failures, RETRY, this.#random), this.#stop.signal);
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#breakOff("stopped");
  }

  /** Takes the watch up again, because it does not deliver what is known to have happened. */
  restart(why: string): void {
    this.#breakOff(why);
  }

  /** Sees to it that the feed gets to `revision`, although no event of ours may have it. */
  want(revision: number): void {
    this.#wanted = Math.max(this.#wanted, revision);
    if (!this.#asking && this.#wanted > this.#sink.revision)
      this.#askIn(this.#member?.tellsProgress === false ? MARK_MS : ASK_FIRST_MS);
  }

  #askIn(ms: number): void {
    this.#asking = true;
    this.#clock.after(ms, () => {
      this.#asking = false;
      if (this.#stop.signal.aborted || this.#wanted <= this.#sink.revision) return;
      askProgress(this.#stream, this.#member, () => void this.#mark());
      this.#askIn(this.#member?.tellsProgress === false ? MARK_MS : ASK_EVERY_MS);
    });
  }

  async #mark(): Promise<void> {
    if (this.#marking) return;
    this.#marking = true;
    await writeMark(this.#client, this.#layout).catch(() => {});
    this.#marking = false;
  }

  /** Resolves to why it ended. */
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

/** Asks how far a watch is, in the way that its member can answer. */
export function askProgress(stream: WatchStream | undefined, member: Member | undefined, mark: () => void): void {
  if (!stream || !member) return;
  if (member.tellsProgress) stream.requestProgress();
  else mark();
}

/** A write of no meaning: who sees its event has seen everything before. */
export const writeMark = (client: EtcdClient, layout: Layout): Promise<Uint8Array> =>
  client.write(CALLS.put, putRequest(layout.progress, new Uint8Array(0)));
