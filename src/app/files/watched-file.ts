/**
 * A configuration file that is watched while a server runs.
 *
 *     every interval:  read  ->  unchanged  nothing
 *                            ->  changed    use it; if that fails, the previous content stays in use
 *
 * Contents are compared, not times: a file that was replaced by the same text has not changed, and mounted volumes may not report
 * changes. A refused text is logged and counted once.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Timer } from "../../util/clock.ts";
import { fileError } from "../../util/file-error.ts";
import type { SystemParts } from "../process/system-parts.ts";
import { messageOf } from "../../util/error.ts";

/** What a watched file is built from. */
export interface WatchedFileParts extends Pick<SystemParts, "clock" | "log"> {
  readonly file: string;
  /** Its name for the log: `encryption configuration`. */
  readonly what: string;
  /** The content that is in use. */
  readonly text: Uint8Array;
  readonly intervalMs: number;
  /**
   * Uses a changed text. If it throws, the error is logged, so it must contain no secret, and the previous content stays in use;
   * after {@link RetryLater} the same text is tried again.
   */
  readonly use: (text: Buffer) => void | Promise<void>;
}

/** A valid text cannot be used at the moment. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
}

/** The number of changes that were used, and of those that were refused or could not be read. */
export interface Reloads {
  readonly success: number;
  readonly failure: number;
}

/** Watches a file until it is disposed of. */
export class WatchedFile implements Disposable {
  readonly #parts: WatchedFileParts;
  readonly #reloads = { success: 0, failure: 0 };
  /** The hashes of the text in use, and of the last refused text. */
  #used: string;
  #refused: string | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(parts: WatchedFileParts) {
    this.#parts = parts;
    this.#used = hashOf(parts.text);
    this.#checkLater();
  }

  /** The counters of changes. */
  get reloads(): Reloads {
    return this.#reloads;
  }

  /** Checks the file now. */
  async check(): Promise<void> {
    const { file, what, log, use } = this.#parts;
    try {
      const text = await read(file);
      const hash = hashOf(text);
      if (this.#isClosed || hash === this.#used || hash === this.#refused) return;
      this.#refused = hash;
      await use(text);
      this.#used = hash;
      this.#refused = undefined;
    } catch (error) {
      if (error instanceof RetryLater) this.#refused = undefined;
      this.#reloads.failure++;
      log.error(
        "a changed file is not valid; the previous content is used",
        { what, file, error: messageOf(error) },
        file,
      );
      return;
    }
    this.#reloads.success++;
    log.info("a changed file is used", { what, file, hash: this.#used }, file);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #checkLater(): void {
    if (this.#isClosed) return;
    const { clock, intervalMs, what } = this.#parts;
    const work = (): void => void this.check().then(() => this.#checkLater());
    this.#timer = clock.after(intervalMs, work, { owner: what, upkeep: true });
  }
}

/** The hash of a text for metrics and logs: `sha256:` and hexadecimal digits. */
export const hashOf = (text: Uint8Array): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** A text that changes when the file is replaced or written; empty if there is no file. */
export function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino}:${found.mtimeMs}:${found.size}` : "";
}

async function read(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw fileError(file, "readable", error);
  }
}
