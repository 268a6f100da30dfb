/**
 * A small client of a stream, for tests: it applies each message as a page does.
 *
 * @module
 */
import WebSocket from "ws";
import {
  CONSOLE_STREAM_PATH,
  CONSOLE_STREAM_PROTOCOL,
  type ConsoleRequest,
  type ConsoleResponse,
  type WindowColumn,
  type WindowError,
  type WindowList,
  type WindowRow,
  type WindowState,
} from "../../../meta/console-protocol.ts";

/** What a client knows of a window. */
export interface Shown {
  readonly rows: readonly WindowRow[];
  readonly columns: readonly WindowColumn[];
  readonly matching: number;
  readonly total: number;
  readonly offset: number;
  readonly resourceVersion: number;
  /** Messages with rows so far. */
  readonly messages: number;
}

/** See the head of this file. */
export class StreamClient {
  readonly socket: WebSocket;
  readonly shown = new Map<number, Shown>();
  readonly errors: WindowError[] = [];
  /** Messages that say how far a list is built. */
  progress = 0;
  bytes = 0;
  /** The code with which the stream was closed. */
  readonly closed: Promise<number>;
  readonly #changed = new Set<() => void>();
  onState: ((id: number, shown: Shown) => void) | undefined;

  constructor(port: number, headers: Record<string, string>, options: WebSocket.ClientOptions = {}) {
    const url = `ws://127.0.0.1:${port}${CONSOLE_STREAM_PATH}`;
    this.socket = new WebSocket(url, CONSOLE_STREAM_PROTOCOL, { headers, ...options });
    this.socket.on("message", (data) => this.#take(data as Buffer));
    this.socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code) => {
        resolve(code);
        this.#tell();
      });
    });
  }

  /** Resolves when messages can be sent. */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once("open", resolve);
      this.socket.once("error", reject);
    });
  }

  send(request: ConsoleRequest): void {
    this.socket.send(JSON.stringify(request));
  }

  open(id: number, list: WindowList, offset = 0, size = 50): void {
    this.send({ type: "open", id, list, offset, size });
  }

  /** Resolves when something holds of what is shown; rejects after five seconds by default. */
  async until<T>(read: () => T | undefined | false, what: string, millis = 5000): Promise<T> {
    const end = performance.now() + millis;
    for (;;) {
      const found = read();
      if (found !== undefined && found !== false) return found;
      const left = end - performance.now();
      if (left <= 0) throw new Error(`Expected ${what} within ${millis / 1000} seconds`);
      await this.#change(Math.min(left, 100));
    }
  }

  /** Resolves to a window when that shows rows for which something holds. */
  window(id: number, holds: (shown: Shown) => boolean = () => true, millis = 5000): Promise<Shown> {
    const read = (): Shown | undefined => {
      const shown = this.shown.get(id);
      return shown && holds(shown) ? shown : undefined;
    };
    return this.until(read, `rows of window ${id}`, millis);
  }

  /** Resolves to the error of a window. */
  error(id: number): Promise<WindowError> {
    return this.until(() => this.errors.find((error) => error.id === id), `an error of window ${id}`);
  }

  close(): void {
    this.socket.terminate();
  }

  #change(millis: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#changed.delete(done);
        resolve();
      };
      const timer = setTimeout(done, millis);
      this.#changed.add(done);
    });
  }

  #take(data: Buffer): void {
    this.bytes += data.length;
    const message = JSON.parse(data.toString()) as ConsoleResponse;
    if (message.type === "error") {
      this.errors.push(message);
      this.shown.delete(message.id);
    } else if (message.type === "progress") this.progress++;
    else this.#show(message);
    this.#tell();
  }

  #show(state: WindowState): void {
    const { id, columns, matching, total, offset } = state;
    const last = this.shown.get(id);
    if (!columns && !last) throw new Error(`expected columns in the first message of window ${id}`);
    const rows = state.rows.map((row) => {
      const known = typeof row === "number" ? last?.rows[row] : row;
      if (!known) throw new Error(`expected a row of the last message of window ${id}, got ${JSON.stringify(row)}`);
      return known;
    });
    const shown = {
      rows,
      columns: columns ?? last!.columns,
      matching,
      total,
      offset,
      resourceVersion: Number(state.resourceVersion),
      messages: (last?.messages ?? 0) + 1,
    };
    this.shown.set(id, shown);
    this.onState?.(id, shown);
  }

  #tell(): void {
    for (const done of this.#changed) done();
  }
}
