/**
 * A file of lines that requests never wait for: they are collected for a moment and written together, by a thread of the
 * system. What a slow file cannot take is dropped and counted, so memory stays bounded.
 *
 * @module
 */
import { type Stats, closeSync, constants, fstatSync, openSync, stat, write, writeSync } from "node:fs";
import type { Clock, Timer } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { OptionError } from "../options/options.ts";

const FLUSH_MS = 200;
const MOST_BYTES = 4 << 20;
const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;

/** What a file of lines is given. */
export interface LineFileParts {
  readonly clock: Clock;
  readonly log: Log;
  /** What is written there, for people: `access log`. */
  readonly what: string;
  /** The option that names the file. */
  readonly option: string;
}

/** See the head of this file. */
export class LineFile implements Disposable {
  readonly #path: string;
  readonly #parts: LineFileParts;
  #fd: number;
  #lines: string[] = [];
  #length = 0;
  /** What is being written. */
  #writing: Buffer | undefined;
  #timer: Timer | undefined;
  #dropped = 0;
  #closed = false;

  /** @param path `-` for standard output @throws OptionError when it cannot be opened */
  constructor(path: string, parts: LineFileParts) {
    this.#path = path;
    this.#parts = parts;
    try {
      this.#fd = path === "-" ? openOutput() : openFile(path);
    } catch (error) {
      throw new OptionError(
        `expected --${parts.option} to name a file that can be written: ${(error as Error).message}`,
      );
    }
  }

  /** How many lines were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes a line without its end. */
  add(line: string): void {
    if (this.#closed || this.#length + (this.#writing?.length ?? 0) > MOST_BYTES) {
      this.#drop(1);
      return;
    }
    this.#lines.push(line);
    this.#length += line.length + 1;
    this.#timer ??= this.#later(() => this.#flush());
  }

  /** Opens the file again: it was moved away. Nothing is being written to the old one. */
  #reopen(): void {
    try {
      const before = this.#fd;
      this.#fd = openFile(this.#path);
      closeSync(before);
    } catch (error) {
      this.#parts.log.error(`the ${this.#parts.what} could not be opened again`, { error: String(error) });
    }
  }

  /** Writes what is there and closes; what a file does not take at once is lost. */
  [Symbol.dispose](): void {
    this.#closed = true;
    this.#timer?.cancel();
    try {
      writeSync(this.#fd, Buffer.concat([this.#writing ?? Buffer.alloc(0), this.#take()]));
    } catch {
      // Nobody reads it.
    }
    if (this.#fd > 2) closeSync(this.#fd);
  }

  #take(): Buffer {
    const bytes = Buffer.from(this.#lines.map((line) => `${line}\n`).join(""));
    this.#lines = [];
    this.#length = 0;
    return bytes;
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#writing || this.#closed) return;
    this.#writing = this.#take();
    if (this.#path === "-") this.#write();
    else stat(this.#path, (error, found) => this.#follow(error ? undefined : found));
  }

  /** Writes to the file of that name: where somebody has moved it away, to a new one. */
  #follow(found: Stats | undefined): void {
    if (this.#closed) return;
    if (found?.ino !== fstatSync(this.#fd).ino) this.#reopen();
    this.#write();
  }

  #write(): void {
    write(this.#fd, this.#writing!, (error, written) => {
      if (this.#closed) return;
      if (error && error.code !== "EAGAIN") {
        this.#parts.log.error(`the ${this.#parts.what} could not be written`, { error: String(error) });
        this.#drop(this.#writing!.toString("latin1").split("\n").length - 1);
        this.#writing = undefined;
      } else {
        this.#writing = this.#writing!.subarray(error ? 0 : written);
      }
      this.#goOn(error !== null);
    });
  }

  #goOn(waits: boolean): void {
    if (this.#writing?.length === 0) this.#writing = undefined;
    if (this.#writing) {
      if (waits) this.#later(() => !this.#closed && this.#write());
      else this.#write();
    } else if (this.#length > 0) {
      this.#timer ??= this.#later(() => this.#flush());
    }
  }

  #later(work: () => unknown): Timer {
    return this.#parts.clock.after(FLUSH_MS, work, { owner: this.#parts.what, upkeep: true });
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#parts.log.warn(`lines of the ${this.#parts.what} were dropped`, { dropped: this.#dropped });
  }
}

const openFile = (path: string): number => openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);

/** Standard output; a pipe is opened anew, so that a full one keeps no thread waiting. */
function openOutput(): number {
  return fstatSync(1).isFIFO() ? openSync("/dev/stdout", O_WRONLY | O_APPEND | O_NONBLOCK) : 1;
}
