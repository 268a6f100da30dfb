/**
 * A watch that tests read event by event.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Members, at } from "./answer.ts";

/** One line of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: Members;
}

/** A watch stream; close it when done, `await using` does. */
export class Watch {
  readonly response: Response;
  readonly #abort: AbortController;
  readonly #events: WatchEvent[] = [];
  readonly #lines: string[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    void this.#read();
  }

  /** Whether the server ended the stream. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Every line so far, as it was sent. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** The next event; undefined when the stream has ended or nothing came in time. */
  async next(ms = 5000): Promise<WatchEvent | undefined> {
    for (const end = Date.now() + ms; this.#events.length === 0 && !this.#ended;) {
      const left = end - Date.now();
      if (left <= 0) return undefined;
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const timer = new AbortController();
      await Promise.race([woken, pause(left, undefined, { signal: timer.signal }).catch(() => undefined)]);
      timer.abort();
    }
    return this.#events.shift();
  }

  /** The next events as `TYPE name`. */
  async take(count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) {
      const event = await this.next();
      if (!event) break;
      taken.push(`${event.type} ${String(at(event.object, "metadata.name"))}`);
    }
    return taken;
  }

  /** Resolves when the server has ended the stream, or after `ms`. */
  async end(ms = 5000): Promise<boolean> {
    for (const end = Date.now() + ms; !this.#ended && Date.now() < end;) await pause(10);
    return this.#ended;
  }

  close(): void {
    this.#abort.abort();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #read(): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) {
        const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#line(line);
      }
      if (rest) this.#line(rest);
    } catch {
      // The test closed the stream.
    }
    this.#ended = true;
    this.#wake?.();
  }

  #line(line: string): void {
    this.#lines.push(line);
    this.#events.push(JSON.parse(line) as WatchEvent);
    this.#wake?.();
  }
}
