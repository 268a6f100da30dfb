/**
 * One watch of etcd over everything that is ours, on a stream of its own.
 *
 * etcd delivers complete revisions in order. A large answer comes in fragments; they are handed on together, so that
 * nobody sees half a revision.
 *
 * @module
 */
import type { StoreError } from "../contract.ts";
import { compactedError } from "../keys.ts";
import type { Member } from "./client.ts";
import { CODES, GrpcError } from "../../grpc/error.ts";
import type { GrpcStream } from "../../grpc/session.ts";
import type { KeyRange } from "./layout.ts";
import { CALLS, type WatchAnswer, type WatchChange, progressRequest, readWatch, watchRequest } from "./messages.ts";

/** Who listens to a watch. */
export interface WatchStreamSink {
  /** Changes in order; with them everything up to `revision` has been delivered. */
  changes(changes: readonly WatchChange[], revision: number): void;
  /** Everything up to `revision` has been delivered. */
  progress(revision: number): void;
  /** The revision up to which nothing need be delivered, since it is known already. */
  known?(): number;
  /** Nothing follows: StoreError `compacted`, or the reason why the stream broke. */
  ended(error: StoreError | GrpcError): void;
}

/** See the head of this file. */
export class WatchStream {
  readonly #member: Member;
  readonly #after: number;
  readonly #sink: WatchStreamSink;
  readonly #stream: GrpcStream;
  #fragments: WatchChange[] = [];
  #over = false;

  /** Delivers what happened after revision `after`. Throws GrpcError when the member is no longer connected. */
  constructor(member: Member, { key, end }: KeyRange, after: number, sink: WatchStreamSink) {
    this.#member = member;
    this.#after = after;
    this.#sink = sink;
    this.#stream = member.session.stream(CALLS.watch, {
      message: (bytes) => this.#receive(bytes),
      ended: (error) => this.#end(error),
    });
    // From `after` itself: etcd refuses that when it is compacted, whereas the change behind it may be half forgotten.
    this.#stream.send(watchRequest(key, end, Math.max(1, after)));
  }

  /** Asks for a word of progress; there is none while events are still on their way. */
  requestProgress(): void {
    this.#stream.send(progressRequest());
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#stream.cancel();
  }

  #receive(bytes: Uint8Array): void {
    if (this.#over) return;
    const known = this.#sink.known?.() ?? 0;
    let answer = readWatch(bytes, known);
    // Its changes wait for the rest of their revision.
    if (answer.fragment) answer = readWatch(Buffer.from(bytes), known);
    if (answer.canceled) return this.#end(this.#refusal(answer));
    if (answer.created) return;
    if (answer.changes.length === 0 && !answer.fragment && this.#fragments.length === 0) {
      if (this.#member.tellsProgress) this.#sink.progress(answer.header.revision);
      return;
    }
    this.#fragments.push(...answer.changes);
    if (answer.fragment) return;
    const changes = this.#fragments.filter(({ now }) => now.modRevision > this.#after);
    this.#fragments = [];
    const last = changes.at(-1);
    if (last) this.#sink.changes(changes, last.now.modRevision);
  }

  #refusal({ compactRevision, reason }: WatchAnswer): StoreError | GrpcError {
    if (compactRevision > 0) return compactedError(this.#after, compactRevision);
    return new GrpcError(CODES.unavailable, reason || "etcd cancelled the watch", true);
  }

  #end(error: StoreError | GrpcError): void {
    if (this.#over) return;
    this.cancel();
    this.#sink.ended(error);
  }
}
