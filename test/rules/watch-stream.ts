/**
 * A watch that tests read event by event.
 *
 * @module
 */
import type { InjectResponse } from "../../src/server/http/inject.ts";
import { type Members, at, headersOf } from "./answer.ts";

/** One line of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: Members;
}

/** A watch stream; close it when done, `using` does. */
export class Watch {
  readonly status: number;
  readonly headers: Headers;
  readonly #answer: InjectResponse;
  readonly #settled: () => Promise<void>;
  readonly #events: WatchEvent[] = [];
  readonly #lines: string[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  /** @param settled resolves when nothing is under way in the cluster, so that nothing more can come by itself */
  constructor(answer: InjectResponse, settled: () => Promise<void>) {
    this.status = answer.code;
    this.headers = headersOf(answer.headers);
    this.#answer = answer;
    this.#settled = settled;
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

  /** The next event; undefined when the stream has ended, or nothing is under way that could bring one. */
  async next(): Promise<WatchEvent | undefined> {
    if (this.#events.length === 0 && !this.#ended) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([woken, this.#settled()]);
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

  close(): void {
    this.#answer.cancel();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #read(): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.#answer.pieces()) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#line(line);
      }
      if (rest) this.#line(rest);
    } catch {
      // The server broke the stream off.
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
