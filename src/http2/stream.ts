/**
 * One request and its answer on a connection of HTTP/2 (RFC 9113 5.1).
 *
 * This is all that the server sees of a stream. Whatever is called, in whatever state: what cannot be sent any more is
 * dropped, and nothing throws. Its states are two halves, what comes ({@link Inbound}) and what goes ({@link Outbound}); it
 * is closed when both have ended or one side has reset it, and over when nothing of it waits for the socket.
 *
 * @module
 */
import { attempt } from "../util/attempt.ts";
import { ERROR } from "./constants.ts";
import { type AnswerHeaders, encodeHeaders } from "./header-encoder.ts";
import { type BodyListener, Inbound } from "./inbound.ts";
import { Outbound } from "./outbound.ts";
import type { RequestHead } from "./request-head.ts";

/** What a stream asks of its connection. */
export interface StreamOwner {
  /** There is something to send. */
  send(stream: Http2Stream): void;
  /** An interim answer, which nothing waits for. */
  sendInterim(stream: Http2Stream, block: string): void;
  /** Resets it. */
  reset(stream: Http2Stream, code: number): void;
  /** Lets the peer send more of its body. */
  extend(stream: Http2Stream, bytes: number): void;
  /** What waited of its body has been read. */
  consumed(stream: Http2Stream): void;
  /** A listener has failed. */
  fault(error: unknown): void;
}

/** See the head of this file. */
export class Http2Stream {
  readonly id: number;
  readonly head: RequestHead;
  /** Whether a body may follow. */
  readonly hasBody: boolean;
  /** These are for the connection alone. */
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  /** Bytes of its body that the connection counts as unread. */
  counted = 0;
  readonly #owner: StreamOwner;
  #isClosed = false;
  /** Who wants to hear that it is over; there while it is not. */
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

  /** Whether nothing more can be sent or read. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Names who reads the body, once; nothing is delivered before {@link Http2Stream.start}. */
  open(listener: BodyListener): void {
    this.inbound.open(listener);
  }

  /** Delivers the body, from its beginning. */
  start(): void {
    this.inbound.start();
    this.#owner.consumed(this);
  }

  /** Lets the body have so many bytes in all. */
  allow(bytes: number): void {
    const more = this.inbound.allow(bytes);
    if (more > 0 && !this.#isClosed) this.#owner.extend(this, more);
  }

  /** Sends an interim answer, as 100. */
  interim(status: number): void {
    if (!this.#isClosed && !this.outbound.isBegun) this.#owner.sendInterim(this, encodeHeaders(status, {}));
  }

  /**
   * Answers with bytes that are there; undefined for none.
   *
   * @throws Error where a header cannot be sent; nothing has been then
   */
  respond(status: number, headers: AnswerHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    if (!this.#begin(status, headers)) return;
    if (body instanceof Uint8Array) this.outbound.add(body);
    else if (body) for (const piece of body) this.outbound.add(piece);
    this.outbound.isEnding = true;
    this.#owner.send(this);
  }

  /**
   * Begins an answer whose bytes come later.
   *
   * @throws Error where a header cannot be sent; nothing has been then
   */
  begin(status: number, headers: AnswerHeaders): void {
    if (this.#begin(status, headers)) this.#owner.send(this);
  }

  /** Adds bytes, which do not change before `taken` is called; false when the writer should wait until it is {@link Http2Stream.drained}. */
  write(bytes: Uint8Array, taken?: () => void): boolean {
    if (this.#isClosed || this.outbound.isEnding) return false;
    const mayGoOn = this.outbound.add(bytes, taken);
    this.#owner.send(this);
    return mayGoOn;
  }

  /** Bytes that wait for the peer. */
  get buffered(): number {
    return this.outbound.buffered;
  }

  /** Resolves when there is room again, or nobody takes anything. */
  drained(): Promise<void> {
    return this.outbound.drained();
  }

  /** Ends the answer. */
  end(): void {
    if (this.#isClosed || this.outbound.isEnding) return;
    this.outbound.isEnding = true;
    this.#owner.send(this);
  }

  /** Breaks off. */
  reset(code: number): void {
    if (!this.#isClosed) this.#owner.reset(this, code);
  }

  /** Calls a listener once, when its last byte was sent or it was broken off; later where that is so already. */
  onOver(listener: () => void): void {
    if (this.#listeners) this.#listeners.push(listener);
    else queueMicrotask(() => this.#call(listener));
  }

  /** For the connection: nothing more can be sent or read. */
  close(): void {
    this.#isClosed = true;
    this.outbound.drop();
    this.inbound.break();
  }

  /** For the connection: whoever was told of something has failed. */
  fault(error: unknown): void {
    this.#owner.fault(error);
    this.reset(ERROR.internal);
  }

  /** For the connection: nothing of it waits for the socket. */
  over(): void {
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners) for (const listener of listeners) this.#call(listener);
  }

  #call(listener: () => void): void {
    void attempt(listener, (error) => this.#owner.fault(error));
  }

  #begin(status: number, headers: AnswerHeaders): boolean {
    const { outbound } = this;
    if (this.#isClosed || outbound.isBegun) return false;
    outbound.head = encodeHeaders(status, headers);
    outbound.isBegun = true;
    return true;
  }
}
