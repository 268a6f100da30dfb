/** A transport for tests, which respond to each request. */
import type { Transport, TransportResponse, TransportRequest } from "../transport.ts";

/** A pending request. */
export class Call {
  readonly request: TransportRequest;
  readonly #response: PromiseWithResolvers<TransportResponse>;

  constructor(request: TransportRequest, response: PromiseWithResolvers<TransportResponse>) {
    this.request = request;
    this.#response = response;
  }

  /** The path without its query. */
  get path(): string {
    return this.request.path.split("?")[0]!;
  }

  get query(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.request.path.split("?")[1] ?? ""));
  }

  /** The request body as JSON. */
  get body(): unknown {
    return this.request.body === undefined ? undefined : JSON.parse(this.request.body as string);
  }

  /** Responds with JSON. */
  json(body: unknown, status = 200, headers: TransportResponse["headers"] = {}): void {
    this.text(JSON.stringify(body), status, headers);
  }

  /** Responds with text. */
  text(text: string, status = 200, headers: TransportResponse["headers"] = {}): void {
    const body = (async function* () {
      yield Buffer.from(text);
    })();
    this.#response.resolve({ status, headers, body });
  }

  /** Responds with a failed Status. */
  refuse(code: number, reason: string, headers: TransportResponse["headers"] = {}): void {
    this.json({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason }, code, headers);
  }

  /** Breaks the connection. */
  break(): void {
    this.#response.reject(new Error("the connection broke"));
  }

  /** Responds with a stream. */
  stream(): FakeStream {
    const stream = new FakeStream(this.request.signal);
    this.#response.resolve({ status: 200, body: stream.pieces() });
    return stream;
  }
}

/** The body of a watch. */
export class FakeStream {
  #pieces: (Uint8Array | Error)[] = [];
  #ended = false;
  #arrived: (() => void) | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener("abort", () => this.end());
  }

  /** Whether the reader has aborted. */
  get aborted(): boolean {
    return this.#signal?.aborted ?? false;
  }

  write(text: string | Uint8Array): void {
    this.#pieces.push(Buffer.from(text));
    this.#arrived?.();
  }

  event(type: string, object: unknown): void {
    this.write(`${JSON.stringify({ type, object })}\n`);
  }

  /** Ends the stream. */
  end(): void {
    this.#ended = true;
    this.#arrived?.();
  }

  /** Breaks the connection. */
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

/** The server side of the transport: its requests in order. */
export class FakeServer {
  readonly calls: Call[] = [];
  #taken = 0;
  #arrived: (() => void) | undefined;

  readonly transport: Transport = (request) => {
    const response = Promise.withResolvers<TransportResponse>();
    const { signal } = request;
    signal?.addEventListener("abort", () => response.reject(signal.reason as Error));
    this.calls.push(new Call(request, response));
    this.#arrived?.();
    return response.promise;
  };

  /** Returns the next request. */
  async next(): Promise<Call> {
    while (this.calls.length <= this.#taken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#arrived = resolve;
      await promise;
    }
    return this.calls[this.#taken++]!;
  }

  /** The number of requests that were not returned yet. */
  get waiting(): number {
    return this.calls.length - this.#taken;
  }
}

/** Lets pending work run. */
export const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
