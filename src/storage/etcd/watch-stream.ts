/**
 * One watch of etcd over all of our keys, on a stream of its own.
 *
 * etcd delivers complete revisions in order. The fragments of a large response are joined, so that no watcher sees a part of a
 * revision.
 *
 * @module
 */
import type { StoreError } from "../contract.ts";
import { compactedError } from "../keys.ts";
import type { Member } from "./client.ts";
import { CODES, GrpcError } from "../../grpc/error.ts";
import type { GrpcStream } from "../../grpc/session.ts";
import type { KeyRange } from "./layout.ts";
import { CALLS, type WatchChange, type WatchResponse, progressRequest, readWatch, watchRequest } from "./messages.ts";

/** Receives the changes of a watch. */
export interface WatchStreamSink {
  /** Changes in order; with them all changes up to `revision` are delivered. */
  changes(changes: readonly WatchChange[], revision: number): void;
  /** All changes up to `revision` are delivered. */
  progress(revision: number): void;
  /** The revision up to which changes are known and need no delivery. */
  known?(): number;
  /** The stream ended: StoreError `compacted`, or the error that broke it. */
  ended(error: StoreError | GrpcError): void;
}

/** See the head of this file. */
export class WatchStream {
  readonly #member: Member;
  readonly #after: number;
  readonly #sink: WatchStreamSink;
  readonly #stream: GrpcStream;
  #fragments: WatchChange[] = [];
  #isEnded = false;

  /** Delivers changes after revision `after`. Throws GrpcError when the member is no longer connected. */
  constructor(member: Member, { key, end }: KeyRange, after: number, sink: WatchStreamSink) {
    this.#member = member;
    this.#after = after;
    this.#sink = sink;
    this.#stream = member.session.stream(CALLS.watch, {
      message: (bytes) => this.#receive(bytes),
      ended: (error) => this.#end(error),
    });
    // From `after` itself: etcd refuses that when it is compacted, while it may deliver a part of the next change.
    this.#stream.send(watchRequest(key, end, Math.max(1, after)));
  }

  /** Requests progress; there is no response while events are on their way. */
  requestProgress(): void {
    this.#stream.send(progressRequest());
  }

  cancel(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stream.cancel();
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isEnded) return;
    const known = this.#sink.known?.() ?? 0;
    let response = readWatch(bytes, known);
    // Copied, since its changes wait for the rest of their revision.
    if (response.fragment) response = readWatch(Buffer.from(bytes), known);
    if (response.canceled) return this.#end(this.#errorOf(response));
    if (response.created) return;
    if (response.changes.length === 0 && !response.fragment && this.#fragments.length === 0) {
      if (this.#member.reportsProgress) this.#sink.progress(response.header.revision);
      return;
    }
    this.#fragments.push(...response.changes);
    if (response.fragment) return;
    const changes = this.#fragments.filter(({ now }) => now.modRevision > this.#after);
    this.#fragments = [];
    const last = changes.at(-1);
    if (last) this.#sink.changes(changes, last.now.modRevision);
  }

  #errorOf({ compactRevision, reason }: WatchResponse): StoreError | GrpcError {
    if (compactRevision > 0) return compactedError(this.#after, compactRevision);
    return new GrpcError(CODES.unavailable, reason || "etcd cancelled the watch", true);
  }

  #end(error: StoreError | GrpcError): void {
    if (this.#isEnded) return;
    this.cancel();
    this.#sink.ended(error);
  }
}
