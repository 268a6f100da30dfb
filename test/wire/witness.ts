/**
 * What those who play a script share, whatever the protocol: what they see, and what they hold back.
 *
 * @module
 */
import { Violation } from "../../src/http2/testing/model.ts";
import type { Line } from "./line.ts";

/** Sees what comes on a line. Whoever hears of bytes has nobody to throw at: what was wrong first is thrown at the next look. */
export class Witness {
  #wrong: Error | undefined;

  /** Looks at something that has come. */
  see(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#wrong ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  /** @throws what was wrong first */
  check(): void {
    if (this.#wrong) throw this.#wrong;
  }

  /** Waits until something is so. @throws what was wrong first */
  async until(line: Line, isSo: () => boolean): Promise<void> {
    await line.until(() => this.#wrong !== undefined || isSo());
    this.check();
  }
}

/** What a client is to send. */
export class Outgoing {
  #pieces: Buffer[] = [];

  add(bytes: Buffer): void {
    this.#pieces.push(bytes);
  }

  /** Takes all but the last bytes. */
  take(keep = 0): Buffer {
    const all = Buffer.concat(this.#pieces);
    const length = Math.max(0, all.length - keep);
    this.#pieces = length === all.length ? [] : [all.subarray(length)];
    return all.subarray(0, length);
  }
}

/** Runs a player; returns the violation. */
export async function violationOf(player: { play(): Promise<void>; end(): void }): Promise<string | undefined> {
  try {
    await player.play();
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  } finally {
    player.end();
  }
}
