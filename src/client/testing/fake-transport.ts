/**
 * A transport that a test holds by both ends: it sees each request, and answers it with what it likes, when it likes.
 *
 * @module
 */
import type { Transport, TransportAnswer, TransportRequest } from "../transport.ts";

/** A request that waits for its answer. */
export class Call {
  readonly request: TransportRequest;
  readonly #answer: PromiseWithResolvers<TransportAnswer>;

  constructor(request: TransportRequest, answer: PromiseWithResolvers<TransportAnswer>) {
    this.request = request;
    this.#answer = answer;
  }

  /** The path without its query. */
  get path(): string {
    return this.request.path.split("?")[0]!;
  }

  /** The query. */
  get query(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.request.path.split("?")[1] ?? ""));
  }

  /** The body that was sent, as JSON. */
  get body(): unknown {
    return this.request.body === undefined ? undefined : JSON.parse(this.request.body);
  }

  /** Answers with a body that is there at once. */
  json(body: unknown, status = 200, headers: TransportAnswer["headers"] = {}): void {
    this.text(JSON.stringify(body), status, headers);
  }

  /** Answers with a text. */
  text(text: string, status = 200, headers: TransportAnswer["headers"] = {}): void {
    const body = (async function* () {
      yield Buffer.from(text);
    })();
    this.#answer.resolve({ status, headers, body });
  }

  /** Answers with the Status of a failure. */
  refuse(code: number, reason: string, headers: TransportAnswer["headers"] = {}): void {
    this.json({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason }, code, headers);
  }

  /** No answer comes. */
  break(): void {
    this.#answer.reject(new Error("the connection broke"));
  }

  /** Answers with a stream that goes on. */
  stream(): FakeStream {
    const stream = new FakeStream(this.request.signal);
    this.#answer.resolve({ status: 200, body: stream.pieces() });
    return stream;
  }
}

/** The body of a watch, as its server sees it. */
export class FakeStream {
  #pieces: (Uint8Array | Error)[] = [];
  #ended = false;
  #arrived: (() => void) | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener("abort", () => this.end());
  }

  /** Whether the reader has given up. */
  get aborted(): boolean {
    return this.#signal?.aborted ?? false;
  }

  /** Sends bytes as they are. */
  write(text: string | Uint8Array): void {
    this.#pieces.push(Buffer.from(text));
    this.#arrived?.();
  }

  /** Sends an event. */
  event(type: string, object: unknown): void {
    this.write(`${JSON.stringify({ type, object })}\n`);
  }

  /** Ends in order. */
  end(): void {
    this.#ended = true;
    this.#arrived?.();
  }

  /** Breaks off. */
  break(): void {
    this.#pieces.push(new Error("the connection broke"));
    this.#arrived?.();
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece instanceof Error) throw piece;
      if (piece) yield piece;
      else if (this.#ended) return;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#arrived = resolve;
        await promise;
      }
    }
  }
}

/** The server's end of a transport: its requests, in the order in which they came. */
export class FakeServer {
  readonly calls: Call[] = [];
  #taken = 0;
  #arrived: (() => void) | undefined;

  readonly transport: Transport = (request) => {
    const answer = Promise.withResolvers<TransportAnswer>();
    const { signal } = request;
    signal?.addEventListener("abort", () => answer.reject(signal.reason as Error));
    this.calls.push(new Call(request, answer));
    this.#arrived?.();
    return answer.promise;
  };

  /** The next request that nobody has taken yet. */
  async next(): Promise<Call> {
    while (this.calls.length <= this.#taken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#arrived = resolve;
      await promise;
    }
    return this.calls[this.#taken++]!;
  }

  /** Requests that nobody has taken yet. */
  get waiting(): number {
    return this.calls.length - this.#taken;
  }
}

/** Lets everything that is ready run. */
export const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
