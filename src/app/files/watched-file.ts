/**
 * A file that is followed while a server runs: what it says changes, the server does not stop.
 *
 *     every so often:  read  ->  as it was?  nothing
 *                            ->  changed     used from now on, or refused: then the one of before stays
 *
 * Contents are compared, not times: a file that was replaced by the same text has not changed, and volumes that are mounted
 * from elsewhere need not tell when they do. A text that was refused is told and counted once, however long it stays.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Clock, Timer } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { fileError } from "../../util/file-error.ts";

/** What it takes to follow a file. */
export interface WatchedFileParts {
  readonly file: string;
  /** What it is, for the log: `encryption configuration`. */
  readonly what: string;
  /** What was read of it when it was first used. */
  readonly text: Uint8Array;
  /** How often it is looked at, in ms. */
  readonly lookMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Puts a changed text to use. What it throws is told, so it names no secret, and leaves the one of before in use; after
   * {@link NotYet} the same text is tried again.
   */
  readonly use: (text: Buffer) => void | Promise<void>;
}

/** Why a text cannot be used at the moment, though nothing is wrong with it. */
export class NotYet extends Error {
  override readonly name = "NotYet";
}

/** How often a changed file was used, and how often it was refused or could not be read. */
export interface Reloads {
  readonly success: number;
  readonly failure: number;
}

/** See the head of this file; it looks until it is disposed of. */
export class WatchedFile implements Disposable {
  readonly #parts: WatchedFileParts;
  readonly #reloads = { success: 0, failure: 0 };
  /** The hashes of the text in use, and of the last one that was refused. */
  #used: string;
  #refused: string | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(parts: WatchedFileParts) {
    this.#parts = parts;
    this.#used = hashOf(parts.text);
    this.#lookLater();
  }

  /** How often a change was used, and how often not. */
  get reloads(): Reloads {
    return this.#reloads;
  }

  /** Looks at the file now. */
  async look(): Promise<void> {
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
      if (error instanceof NotYet) this.#refused = undefined;
      this.#reloads.failure++;
      log.error("a changed file is not used, the one of before stays", { what, file, error: messageOf(error) }, file);
      return;
    }
    this.#reloads.success++;
    log.info("a changed file is used from now on", { what, file, hash: this.#used }, file);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    const { clock, lookMs, what } = this.#parts;
    const work = (): void => void this.look().then(() => this.#lookLater());
    this.#timer = clock.after(lookMs, work, { owner: what, upkeep: true });
  }
}

/** The hash of a file's text, as metrics and the log tell it: `sha256:` and hexadecimal digits. */
export const hashOf = (text: Uint8Array): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** What a file is without reading it: it changes when the file is replaced or written. Empty for one that is not there. */
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
