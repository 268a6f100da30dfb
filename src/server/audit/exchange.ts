import type { Connection, Identity } from "../../auth/contract.ts";
import type { BodyRoom } from "../shared/body-memory.ts";
import type { Exchange, OutHeaders, OutStream } from "../request/exchange.ts";

/** Hears of an answer before it leaves. */
export interface AnswerListener {
  /** Bytes that are there are about to be sent; they wait for what is given back. */
  answering(code: number): Promise<unknown> | undefined;
  /** An answer that comes in pieces is about to begin. */
  streaming(code: number): void;
  /** An answer in pieces is over. */
  streamed(): void;
}

/** An exchange whose answers somebody hears of before they leave. */
export class AuditedExchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly connection: Connection;
  readonly identity: Identity | undefined;
  readonly #exchange: Exchange;
  readonly #listener: AnswerListener;
  readonly #onFault: (error: unknown) => void;
  /** An answer has been made, and waits. */
  #waits = false;

  /** @param onFault is told what went wrong where the listener fails; the request is broken off then */
  constructor(exchange: Exchange, listener: AnswerListener, onFault: (error: unknown) => void) {
    this.#exchange = exchange;
    this.#listener = listener;
    this.#onFault = onFault;
    this.method = exchange.method;
    this.url = exchange.url;
    this.connection = exchange.connection;
    this.identity = exchange.identity;
  }

  get hasBody(): boolean {
    return this.#exchange.hasBody;
  }

  get answered(): boolean {
    return this.#waits || this.#exchange.answered;
  }

  header(name: string): string {
    return this.#exchange.header(name);
  }

  lines(name: string): readonly string[] {
    return this.#exchange.lines(name);
  }

  hasHeaders(prefix: string): boolean {
    return this.#exchange.hasHeaders(prefix);
  }

  headerNames(): readonly string[] {
    return this.#exchange.headerNames();
  }

  readBody(limit: number, room?: BodyRoom): Promise<Uint8Array> {
    return this.#exchange.readBody(limit, room);
  }

  respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    if (this.answered) return;
    const wait = this.#listener.answering(code);
    if (!wait) {
      this.#exchange.respond(code, headers, body);
      return;
    }
    this.#waits = true;
    wait.then(
      () => this.#exchange.respond(code, headers, body),
      (error: unknown) => {
        this.#onFault(error);
        this.#exchange.destroy();
      },
    );
  }

  stream(code: number, headers: OutHeaders): OutStream {
    this.#listener.streaming(code);
    const stream = this.#exchange.stream(code, headers);
    this.#exchange.onOver(() => this.#listener.streamed());
    return stream;
  }

  destroy(): void {
    this.#exchange.destroy();
  }

  onOver(listener: () => void): void {
    this.#exchange.onOver(listener);
  }

  closeAfterAnswer(): void {
    this.#exchange.closeAfterAnswer();
  }

  trust(owner: Identity): void {
    this.#exchange.trust(owner);
  }
}
