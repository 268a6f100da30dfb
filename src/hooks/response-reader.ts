/**
 * Reads one response of HTTP/1.1 with the status 200 from the bytes of a connection, as they come.
 *
 * It is strict, since nobody needs to be understood who writes HTTP in another way: what it does not know is an error, and the
 * connection is closed then. It knows the lengths of RFC 9112: `Content-Length`, chunks, and a body up to the end of the
 * connection. It holds no more than the head and the body may have.
 *
 * @module
 */

/** The longest head, with the lines between the chunks and behind them. */
const MAX_LINES_BYTES = 16 << 10;

const OK = 200;
const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);
const MILLIS = 1000;

type Part = "status" | "fields" | "body" | "untilEnd" | "size" | "chunk" | "chunkEnd" | "trailers" | "complete";

/** See the head of this file. */
export class ResponseReader {
  /** Whether the connection may be used for another request. */
  isKept = true;
  /** How long the other side keeps the connection without use, in ms; undefined where it has not said so. */
  keptMillis: number | undefined = undefined;

  readonly #maxBytes: number;
  /** 0 before it has come. */
  #status = 0;
  #part: Part = "status";
  /** The beginning of a line whose end has not come. */
  #line = "";
  #linesBytes = 0;
  #length: number | undefined = undefined;
  #isChunked = false;
  /** The bytes that are missing of the body or of a chunk. */
  #missing = 0;
  /** How many bytes of the body have come or are announced. */
  #size = 0;
  /** The body, and behind it place for more. */
  #body: Buffer = NOTHING;
  #filled = 0;

  /** @param maxBytes the longest body */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether nothing has come. */
  get isEmpty(): boolean {
    return this.#status === 0 && this.#line === "";
  }

  /** Reads bytes, and keeps a copy of what is the body of them; returns whether the response is complete. Throws where it is none. */
  read(bytes: Buffer): boolean {
    let at = 0;
    while (at < bytes.length && this.#part !== "complete") at = this.#readPart(bytes, at);
    // Nobody has asked for more.
    if (at < bytes.length) this.isKept = false;
    return this.#part === "complete";
  }

  /** The connection has ended; returns whether that completes the response. */
  end(): boolean {
    return this.#part === "untilEnd";
  }

  /** The body of a complete response. */
  body(): Buffer {
    return this.#body.subarray(0, this.#filled);
  }

  #readPart(bytes: Buffer, at: number): number {
    switch (this.#part) {
      case "body":
      case "chunk":
        return this.#readMissing(bytes, at);
      case "untilEnd":
        this.#expect(bytes.length - at);
        return this.#keep(bytes, at, bytes.length);
      default:
        return this.#readLine(bytes, at);
    }
  }

  #readMissing(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#missing);
    this.#missing -= end - at;
    if (this.#missing === 0) this.#part = this.#part === "body" ? "complete" : "chunkEnd";
    return this.#keep(bytes, at, end);
  }

  #keep(bytes: Buffer, at: number, end: number): number {
    const filled = this.#filled + end - at;
    if (filled > this.#body.length) {
      const larger = Buffer.allocUnsafe(Math.max(filled, 2 * this.#body.length));
      this.#body.copy(larger, 0, 0, this.#filled);
      this.#body = larger;
    }
    bytes.copy(this.#body, this.#filled, at, end);
    this.#filled = filled;
    return end;
  }

  /** More bytes of the body are about to come. */
  #expect(bytes: number): void {
    this.#size += bytes;
    if (this.#size > this.#maxBytes) throw new Error(`expected an answer of at most ${this.#maxBytes} bytes, got more`);
    this.#missing = bytes;
  }

  #readLine(bytes: Buffer, at: number): number {
    const found = bytes.indexOf(LINE_FEED, at);
    const end = found === -1 ? bytes.length : found + 1;
    this.#linesBytes += end - at;
    if (this.#linesBytes > MAX_LINES_BYTES) throw invalid(`a head of at most ${MAX_LINES_BYTES} bytes, got more`);
    this.#line += bytes.toString("latin1", at, end);
    if (found !== -1) {
      const line = this.#line;
      if (!line.endsWith("\r\n")) throw invalid(`lines that end with CRLF, got ${shown(line)}`);
      this.#line = "";
      this.#take(line.slice(0, -2));
    }
    return end;
  }

  #take(line: string): void {
    switch (this.#part) {
      case "status":
        return this.#takeStatus(line);
      case "fields":
        return line === "" ? this.#endHead() : this.#takeField(line);
      case "size":
        return this.#takeSize(line);
      case "chunkEnd":
        if (line !== "") throw invalid(`the end of a chunk, got ${shown(line)}`);
        this.#part = "size";
        return undefined;
      default:
        if (line === "") this.#part = "complete";
    }
  }

  #takeStatus(line: string): void {
    const code = line.slice(9, 12);
    if (!/^HTTP\/1\.[01] [1-9]\d\d(?: |$)/.test(line)) throw invalid(`HTTP/1.1 and a status, got ${shown(line)}`);
    this.isKept = line.charAt(7) === "1";
    this.#status = Number(code);
    this.#part = "fields";
  }

  #takeField(line: string): void {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (name === "" || name.includes(" ") || name.includes("\t"))
      throw invalid(`a name and a value, got ${shown(line)}`);
    const value = line.slice(colon + 1).trim();
    if (name === "content-length") this.#takeLength(value);
    else if (name === "transfer-encoding") this.#takeEncoding(value);
    else if (name === "connection") this.#takeConnection(value.toLowerCase());
    else if (name === "keep-alive") this.keptMillis = keptMillisOf(value) ?? this.keptMillis;
  }

  #takeLength(value: string): void {
    const length = Number(value);
    if (!/^\d{1,15}$/.test(value) || (this.#length ?? length) !== length)
      throw invalid(`one length, got ${shown(value)}`);
    this.#length = length;
  }

  #takeEncoding(value: string): void {
    if (value.toLowerCase() !== "chunked" || this.#isChunked) throw invalid(`chunks, got ${shown(value)}`);
    this.#isChunked = true;
  }

  #takeConnection(value: string): void {
    if (value.includes("close")) this.isKept = false;
    else if (value.includes("keep-alive")) this.isKept = true;
  }

  #endHead(): void {
    const length = this.#length;
    if (this.#isChunked && length !== undefined) throw invalid("a length or chunks, got both");
    if (isInterim(this.#status)) {
      if (this.#isChunked || length !== undefined) throw invalid(`no body with the status ${this.#status}, got one`);
      this.#part = "status";
      return;
    }
    if (this.#status !== OK) throw new Error(`expected the status 200, got ${this.#status}`);
    if (this.#isChunked) {
      this.#part = "size";
    } else if (length === undefined) {
      this.isKept = false;
      this.#part = "untilEnd";
    } else {
      this.#expect(length);
      this.#part = length === 0 ? "complete" : "body";
    }
  }

  /** What follows the size and a semicolon says nothing that has to be known. */
  #takeSize(line: string): void {
    const semicolon = line.indexOf(";");
    const digits = (semicolon === -1 ? line : line.slice(0, semicolon)).trim();
    if (!/^[\da-fA-F]{1,8}$/.test(digits)) throw invalid(`the size of a chunk, got ${shown(line)}`);
    const size = Number.parseInt(digits, 16);
    this.#expect(size);
    // As in Go: what is not the body may be a little more than that.
    this.#linesBytes = Math.max(0, this.#linesBytes - 2 * size - 16);
    this.#part = this.#missing === 0 ? "trailers" : "chunk";
  }
}

/** Whether another response follows: 100 Continue, 103 Early Hints. */
const isInterim = (status: number): boolean => status >= 100 && status < 200 && status !== 101;

/** `timeout=5`, in ms. */
function keptMillisOf(value: string): number | undefined {
  const seconds = /^timeout=(\d{1,6})/.exec(value)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * MILLIS;
}

const invalid = (what: string): Error => new Error(`expected a response of HTTP with ${what}`);

const shown = (text: string): string => JSON.stringify(text.slice(0, 40));
