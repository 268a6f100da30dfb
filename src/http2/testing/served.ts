import type { ResponseHeaders } from "../header-encoder.ts";
import { ERROR, type Http2Stream } from "../index.ts";
import { bodyBytes } from "./client-bytes.ts";
import { type ModelStream, Violation } from "./model.ts";

/** What a handler does in the callbacks of a body. */
interface Reactions {
  readonly data: () => void;
  readonly whole: () => void;
  readonly broken: () => void;
}

/** The state outside of the stream. */
interface Told {
  /** Whether the connection has failed. */
  readonly isDead: () => boolean;
  /** Whether the body is not {@link bodyBytes}. */
  readonly isForeign: () => boolean;
}

/** Properties of a response. */
interface ResponseOptions {
  /** The pieces of its body. */
  readonly pieces?: number;
  /** Whether it has an invalid header. */
  readonly bad?: boolean;
  /** The bytes of one of its headers. */
  readonly headers?: number;
}

/** A request with the callbacks and the actions of its handler. */
export class Served {
  readonly stream: Http2Stream;
  readonly asked: ModelStream;
  /** How often the callback of the end was called. */
  overs = 0;
  readonly #told: Told;
  #isOpen = false;
  #isStarted = false;
  #got = 0;
  #wholes = 0;
  #brokens = 0;
  /** The largest number of bytes of the body. */
  #allowed = 0;
  #status = 0;
  #bytes = 0;
  #isEnded = false;
  /** The waiter for space in the window. */
  #waiting = 0;
  #taken = 0;
  #given = 0;

  constructor(stream: Http2Stream, asked: ModelStream, told: Told) {
    this.stream = stream;
    this.asked = asked;
    this.#told = told;
  }

  /** Whether a response has begun. */
  get isResponding(): boolean {
    return this.#status > 0;
  }

  /** Whether the response is complete. */
  get hasResponded(): boolean {
    return this.#isEnded;
  }

  /** The received bytes of the body that wait for the handler. */
  get unread(): number {
    return this.stream.isClosed || this.#isStarted ? 0 : this.asked.sent;
  }

  get canStart(): boolean {
    return this.#isOpen && !this.#isStarted && this.#brokens === 0;
  }

  get canOpen(): boolean {
    return !this.#isOpen;
  }

  respond(
    status: number,
    bytes: number,
    { pieces = 1, bad: isBad = false, headers: more = 0 }: ResponseOptions = {},
  ): void {
    const { id } = this.stream;
    const isTaken = !this.stream.isClosed && this.#status === 0;
    const body = bodyBytes(id, 0, bytes);
    const size = Math.ceil(bytes / pieces);
    const parts = Array.from({ length: pieces }, (_, i) => body.subarray(i * size, (i + 1) * size));
    const headers: ResponseHeaders = {
      "content-length": bytes,
      ...(isBad ? { x: "a\nb" } : {}),
      y: ["1", "z".repeat(more)],
    };
    const sent = this.asked.method === "HEAD" ? undefined : pieces === 1 ? body : parts;
    this.#trySend(() => this.stream.respond(status, headers, sent));
    if (!isTaken || isBad) return;
    this.#status = status;
    this.#bytes = sent === undefined ? 0 : bytes;
    this.#isEnded = true;
  }

  begin(status: number): void {
    const isTaken = !this.stream.isClosed && this.#status === 0;
    if (this.asked.method === "HEAD") {
      this.respond(status, 0);
      return;
    }
    this.#trySend(() => this.stream.begin(status, { y: "z".repeat(20) }));
    if (isTaken) this.#status = status;
  }

  write(bytes: number, taken: () => void): void {
    if (this.#status === 0) return;
    const isTaken = !this.stream.isClosed && !this.#isEnded;
    const own = Buffer.from(bodyBytes(this.stream.id, this.#bytes, bytes));
    if (isTaken) {
      this.#bytes += bytes;
      this.#given++;
    }
    let isCalled = false;
    const mayGoOn = this.stream.write(own, () => {
      if (isCalled) throw new Violation("bytes that were taken twice");
      isCalled = true;
      this.#taken++;
      // The test may use the bytes again.
      own.fill(0xdd);
      if (bytes > 0) taken();
    });
    if (mayGoOn) return;
    this.#waiting++;
    void this.stream.drained().then(() => this.#waiting--);
  }

  end(): void {
    if (this.#status === 0) return;
    this.#isEnded ||= !this.stream.isClosed;
    this.stream.end();
  }

  open({ data, whole, broken }: Reactions): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.stream.open({
      data: (piece) => {
        if (!this.#isStarted || this.#wholes + this.#brokens > 0) throw new Violation("a piece that nobody waits for");
        const { id } = this.stream;
        if (!this.#told.isForeign() && !bodyBytes(id, this.#got, piece.length).equals(piece))
          throw new Violation("another body than was sent");
        this.#got += piece.length;
        data();
      },
      end: () => {
        if (!this.#isStarted || this.#brokens > 0) throw new Violation("an end behind a break");
        this.#wholes++;
        whole();
      },
      broken: () => {
        if (this.#wholes > 0) throw new Violation("a break behind the end");
        this.#brokens++;
        broken();
      },
    });
  }

  start(): void {
    if (!this.canStart) return;
    this.#isStarted = true;
    this.stream.start();
  }

  allow(bytes: number): void {
    if (!this.stream.isClosed) this.#allowed = Math.max(this.#allowed, bytes);
    this.stream.allow(bytes);
  }

  reset(code: number): void {
    if (!this.stream.isClosed) this.asked.told.add(code);
    this.stream.reset(code);
  }

  /** Checks the invariants. */
  check(): void {
    const what = (): string => ` on stream ${this.stream.id}`;
    if (this.overs > 1) throw new Violation(`over, and over again,${what()}`);
    if (this.#wholes > 1 || this.#brokens > 1) throw new Violation(`told of an end twice,${what()}`);
    if (this.#got > this.asked.sent) throw new Violation(`more of a body than was sent,${what()}`);
    if (this.#told.isDead() || this.asked.status === 0) return;
    if (this.asked.status !== this.#status)
      throw new Violation(`${this.asked.status} where ${this.#status} was sent,${what()}`);
    if (this.asked.hasResponded && (!this.#isEnded || this.asked.responseBytes !== this.#bytes))
      throw new Violation(`${this.asked.responseBytes} bytes where ${this.#bytes} were sent,${what()}`);
  }

  /** The client can send as much as announced: padding is returned to the window. */
  checkWindow(streamWindow: number): void {
    const { asked } = this;
    if (!asked.isOpen || asked.isBroken || this.stream.isClosed) return;
    const right = Math.max(streamWindow, this.#allowed) - asked.sent;
    if (asked.window !== right)
      throw new Violation(`a window of ${asked.window} on stream ${asked.id}, where ${right} bytes may come`);
  }

  /** Checks the end of an idle connection with open windows. */
  mustHaveResponse(): void {
    const { asked } = this;
    const isBroken = asked.resetAt > 0 || asked.resetCode !== undefined || asked.isVoid;
    if (!isBroken && !asked.hasResponded) throw new Violation(`no response on stream ${asked.id}`);
    if (!isBroken && this.#isStarted && asked.endedAt > 0 && this.#wholes + this.#brokens === 0)
      throw new Violation(`nobody was told of the end of a body, on stream ${asked.id}`);
    if (asked.hasResponded && this.#taken !== this.#given)
      throw new Violation(`bytes that were not taken, on stream ${asked.id}`);
  }

  /** Checks the end of a closed connection. */
  mustBeOver(): void {
    const { id } = this.stream;
    if (this.overs !== 1) throw new Violation(`over ${this.overs} times, on stream ${id}`);
    if (!this.stream.isClosed) throw new Violation(`stream ${id} is open on a connection that is closed`);
    if (this.#isOpen && this.#wholes + this.#brokens === 0 && (this.#isStarted || this.asked.endedAt === 0))
      throw new Violation(`nobody was told of the end of a body, on stream ${id}`);
    if (this.#waiting > 0) throw new Violation(`somebody still waits for room on stream ${id}`);
  }

  /** Sends a response; an invalid one ends the stream. */
  #trySend(send: () => void): void {
    try {
      send();
    } catch {
      this.reset(ERROR.internal);
    }
  }
}
