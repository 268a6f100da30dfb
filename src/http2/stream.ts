/**
 * A request and its response on an HTTP/2 connection (RFC 9113 5.1), for the server.
 *
 * All methods can be called in any state: bytes that cannot be sent any more are dropped, and nothing throws. A stream has two halves,
 * {@link Inbound} and {@link Outbound}; it is closed when both have ended or one side has reset it, and over when none of its bytes
 * wait for the socket.
 *
 * @module
 */
import { attempt } from "../util/attempt.ts";
import { ERROR } from "./constants.ts";
import { type ResponseHeaders, encodeHeaders } from "./header-encoder.ts";
import { type BodyListener, Inbound } from "./inbound.ts";
import { Outbound } from "./outbound.ts";
import type { RequestHead } from "./request-head.ts";

/** The connection of a stream. */
export interface StreamOwner {
  /** Sends what the stream has. */
  send(stream: Http2Stream): void;
  /** Sends an interim response. */
  sendInterim(stream: Http2Stream, block: string): void;
  reset(stream: Http2Stream, code: number): void;
  /** Extends the peer's window of the stream. */
  extend(stream: Http2Stream, bytes: number): void;
  /** Called when unread bytes of the body were read. */
  consumed(stream: Http2Stream): void;
  /** Called with an error of a listener. */
  fault(error: unknown): void;
}

/** See the head of this file. */
export class Http2Stream {
  readonly id: number;
  readonly head: RequestHead;
  /** Whether a body may follow. */
  readonly hasBody: boolean;
  /** For the connection only. */
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  /** Unread bytes of the body that the connection has counted. */
  counted = 0;
  readonly #owner: StreamOwner;
  #isClosed = false;
  /** Called when the stream is over; undefined afterwards. */
  #listeners: (() => void)[] | undefined = [];

  constructor(
    id: number,
    head: RequestHead,
    windows: { readonly inbound: number; readonly outbound: number },
    hasBody: boolean,
    owner: StreamOwner,
  ) {
    this.id = id;
    this.head = head;
    this.hasBody = hasBody;
    this.inbound = new Inbound(head.contentLength, windows.inbound, (error) => this.fault(error));
    this.outbound = new Outbound(windows.outbound);
    this.#owner = owner;
  }

  /** Whether nothing can be sent or read any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sets the listener of the body, once; {@link Http2Stream.start} begins the delivery. */
  open(listener: BodyListener): void {
    this.inbound.open(listener);
  }

  /** Delivers the body. */
  start(): void {
    this.inbound.start();
    this.#owner.consumed(this);
  }

  /** Allows a sum of bytes of the body. */
  allow(bytes: number): void {
    const more = this.inbound.allow(bytes);
    if (more > 0 && !this.#isClosed) this.#owner.extend(this, more);
  }

  /** Sends an interim response, such as 100. */
  interim(status: number): void {
    if (!this.#isClosed && !this.outbound.isBegun) this.#owner.sendInterim(this, encodeHeaders(status, {}));
  }

  /** Sends a complete response. @throws Error where a header is invalid; nothing was sent then */
  respond(status: number, headers: ResponseHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    if (!this.#begin(status, headers)) return;
    if (body instanceof Uint8Array) this.outbound.add(body);
    else if (body) for (const piece of body) this.outbound.add(piece);
    this.outbound.isEnding = true;
    this.#owner.send(this);
  }

  /** Begins a response whose bytes follow. @throws Error where a header is invalid; nothing was sent then */
  begin(status: number, headers: ResponseHeaders): void {
    if (this.#begin(status, headers)) this.#owner.send(this);
  }

  /** Adds bytes, which must not change before `taken` is called; returns false when the writer should wait for {@link Http2Stream.drained}. */
  write(bytes: Uint8Array, taken?: () => void): boolean {
    if (this.#isClosed || this.outbound.isEnding) return false;
    const mayGoOn = this.outbound.add(bytes, taken);
    this.#owner.send(this);
    return mayGoOn;
  }

  /** Unsent bytes. */
  get buffered(): number {
    return this.outbound.buffered;
  }

  /** Resolves when the writer can go on, or the stream was closed. */
  drained(): Promise<void> {
    return this.outbound.drained();
  }

  /** Ends the response. */
  end(): void {
    if (this.#isClosed || this.outbound.isEnding) return;
    this.outbound.isEnding = true;
    this.#owner.send(this);
  }

  /** Resets the stream. */
  reset(code: number): void {
    if (!this.#isClosed) this.#owner.reset(this, code);
  }

  /** Calls a listener once, when the last byte was sent or the stream was reset; asynchronously where that is so already. */
  onOver(listener: () => void): void {
    if (this.#listeners) this.#listeners.push(listener);
    else queueMicrotask(() => this.#call(listener));
  }

  /** Closes both halves; for the connection. */
  close(): void {
    this.#isClosed = true;
    this.outbound.drop();
    this.inbound.break();
  }

  /** Handles an error of a listener; for the connection. */
  fault(error: unknown): void {
    this.#owner.fault(error);
    this.reset(ERROR.internal);
  }

  /** Calls the listeners when the stream is over; for the connection. */
  over(): void {
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners) for (const listener of listeners) this.#call(listener);
  }

  #call(listener: () => void): void {
    void attempt(listener, (error) => this.#owner.fault(error));
  }

  #begin(status: number, headers: ResponseHeaders): boolean {
    const { outbound } = this;
    if (this.#isClosed || outbound.isBegun) return false;
    outbound.head = encodeHeaders(status, headers);
    outbound.isBegun = true;
    return true;
  }
}
