/**
 * One request and its response over any transport: HTTP/2 (`http/h2.ts`), HTTP/1.1 (`http/h1.ts`) or a call in the same process
 * (`http/inject.ts`). Other rooms do not know which.
 * An exchange has exactly one response: by {@link Responder.respond} for bytes that exist, or by {@link Responder.stream} for bytes that
 * are made later.
 *
 * @module
 */
import type { Connection, Identity } from "../../auth/contract.ts";
import type { BodyReservation } from "../shared/body-memory.ts";

/** Headers of a response by lower-case name; a list for a header that is sent several times. */
export type OutHeaders = Record<string, string | number | string[]>;

/** What exchanges over sockets need of their server. */
export interface Transport {
  /** The time of day as headers have it (RFC 9110 5.6.7). */
  date(): string;
  /** Receives an error of the program; its stream or connection has ended. */
  readonly onFault: (error: unknown) => void;
}

/** A response that is written piece by piece. */
export interface OutStream {
  /**
   * Writes bytes without a copy: do not change them before `taken` is called; it is not called where the bytes may be kept. False when the
   * peer is slower than the writer: wait for {@link OutStream.drained} before writing more than a bounded amount.
   */
  write(bytes: Uint8Array, taken?: () => void): boolean;
  /** Bytes that were written and not yet read by the peer. */
  readonly buffered: number;
  /** Resolves when the peer has read enough or has left. */
  drained(): Promise<void>;
  /** Ends the response in order. */
  end(): void;
  /** Breaks the response off: the peer sees an error, not an end. */
  destroy(): void;
  /** Whether the peer has left, or the response has ended. */
  readonly closed: boolean;
  /** Called once when the response has ended in any way. Set it before the first `await`. */
  onClose: (() => void) | undefined;
}

/** A connection of messages in both directions, which a request was upgraded to. */
export interface Messages {
  /** The sub-protocol that was chosen. */
  readonly protocol: string;
  /**
   * Sends a message of bytes, which must not be changed any more, or of text; resolves when the peer can receive another one, or has left.
   */
  send(message: Uint8Array | string): Promise<void>;
  /**
   * Called with each message of the peer, which does not change any more; a text is bytes of UTF-8. Keep a copy of it: a message may be a
   * small part of what was read at once. Set it before the first `await`.
   */
  onMessage: ((message: Uint8Array) => void) | undefined;
  /** Called once when the connection is over. Set it before the first `await`. */
  onClose: (() => void) | undefined;
  /** Stops reading from the peer until {@link Messages.resume}; bytes that were already read are still delivered. */
  pause(): void;
  resume(): void;
  /** Closes in order, with a close code of RFC 6455 (1000 by default); further messages of the peer are dropped. */
  end(code?: number): void;
  /** Breaks off. */
  destroy(): void;
  readonly closed: boolean;
}

/** A request as it was sent; nothing of it changes. */
export interface SentRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly connection: Connection;
  /** The user, where a caller in the same process vouches for it; a request over a socket has none. */
  readonly identity?: Identity | undefined;
  /** Whether a body was announced; a GET has none. */
  readonly hasBody: boolean;
  /**
   * The body of a request from this process, where it is a text that `JSON.stringify` has made from values whose numbers are doubles: it
   * has no duplicate member, and no other form of a number than that function prints.
   */
  readonly ownJson?: string | undefined;
  /** The value of a header by its lower-case name, empty when it was not sent. */
  header(name: string): string;
  /** The values of a header by its lower-case name, one for each line in which it was sent: a comma does not split them. */
  lines(name: string): readonly string[];
  /** Whether a header was sent whose name, in lower case, begins so. */
  hasHeaders(prefix: string): boolean;
  /** The names of the headers that were sent, in lower case. */
  headerNames(): readonly string[];
  /**
   * The whole body. Rejects with 413 as soon as more than `limit` bytes have come (the rest is not read), with 400 when
   * the client breaks off, and with 429 when there is no `memory` for it; a body from this process needs none.
   */
  readBody(limit: number, memory?: BodyReservation): Promise<Uint8Array>;
}

/** The way to respond to a request. */
export interface Responder {
  /** Whether a response has begun. */
  readonly responded: boolean;
  /**
   * Responds with bytes that are there. `body` is one piece, several, or undefined. Never throws: a response that cannot
   * be sent is dropped, and its stream or connection ends.
   */
  respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void;
  /** Begins a response whose headers are sent at once; in the same way. */
  stream(code: number, headers: OutHeaders): OutStream;
  /**
   * Upgrades to a connection of messages, by the first sub-protocol of the client that is one of `protocols`; undefined where the
   * request does not ask for that or offers none of them. Absent where no request can be upgraded.
   */
  upgrade?(protocols: readonly string[], headers: OutHeaders): Messages | undefined;
  /** Breaks off, in place of a response or before its end: the client sees a lost connection. */
  destroy(): void;
  /** Calls `listener` once, when the exchange is over: the last byte was sent (in process: read), or one of the two broke off. */
  onOver(listener: () => void): void;
  /** Asks the client to open a new connection for further requests: sent to clients without a credential. */
  closeAfterResponse(): void;
  /** Reports that the request has a valid credential: its connection may stay, as one of `owner`. 429 where the owner is at the limit. */
  trust(owner: Identity): void;
}

/** A request and the way to respond to it. */
export interface Exchange extends SentRequest, Responder {}

/** The length of a body in pieces. */
export const lengthOf = (body: Uint8Array | readonly Uint8Array[] | undefined): number => {
  if (body === undefined) return 0;
  if (body instanceof Uint8Array) return body.length;
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
};
