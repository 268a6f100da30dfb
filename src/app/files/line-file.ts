/**
 * A file of lines for which requests never wait: lines are buffered and written together in a thread of the system. When the
 * buffer is full, lines are dropped and counted.
 *
 * @module
 */
import { type Stats, closeSync, constants, fstatSync, openSync, stat, write, writeSync } from "node:fs";
import type { Timer } from "../../util/clock.ts";
import type { SystemParts } from "../process/system-parts.ts";
import { OptionError } from "../options/options.ts";
import { messageOf } from "../../util/error.ts";

const FLUSH_INTERVAL_MS = 200;
const MAX_BUFFER_BYTES = 4 << 20;
const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;

/** What a file of lines is built from. */
export interface LineFileParts extends Pick<SystemParts, "clock" | "log"> {
  /** The name of the content, for messages: `access log`. */
  readonly what: string;
  /** The option that names the file. */
  readonly option: string;
}

/** Buffers lines and writes them to a file. */
export class LineFile implements Disposable {
  readonly #path: string;
  readonly #parts: LineFileParts;
  #fd: number;
  #lines: string[] = [];
  #length = 0;

  #writing: Buffer | undefined;
  #timer: Timer | undefined;
  #dropped = 0;
  #closed = false;

  /** @param path `-` for standard output @throws OptionError if it cannot be opened */
  constructor(path: string, parts: LineFileParts) {
    this.#path = path;
    this.#parts = parts;
    try {
      this.#fd = path === "-" ? openOutput() : openFile(path);
    } catch (error) {
      throw new OptionError(`expected --${parts.option} to name a file that can be written: ${messageOf(error)}`);
    }
  }

  /** How many lines were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds a line, without its newline. */
  add(line: string): void {
    if (this.#closed || this.#length + (this.#writing?.length ?? 0) > MAX_BUFFER_BYTES) {
      this.#drop(1);
      return;
    }
    this.#lines.push(line);
    this.#length += line.length + 1;
    this.#timer ??= this.#later(() => this.#flush());
  }

  /** Opens the file again after it was renamed. No write to the old file is running. */
  #reopen(): void {
    try {
      const before = this.#fd;
      this.#fd = openFile(this.#path);
      closeSync(before);
    } catch (error) {
      this.#parts.log.error(`the ${this.#parts.what} could not be opened again`, { error: String(error) });
    }
  }

  /** Writes the buffer once and closes the file; bytes that the file does not accept are lost. */
  [Symbol.dispose](): void {
    this.#closed = true;
    this.#timer?.cancel();
    try {
      writeSync(this.#fd, Buffer.concat([this.#writing ?? Buffer.alloc(0), this.#takeBuffer()]));
    } catch {
      // Nothing reads the file any more.
    }
    if (this.#fd > 2) closeSync(this.#fd);
  }

  #takeBuffer(): Buffer {
    const bytes = Buffer.from(this.#lines.map((line) => `${line}\n`).join(""));
    this.#lines = [];
    this.#length = 0;
    return bytes;
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#writing || this.#closed) return;
    this.#writing = this.#takeBuffer();
    if (this.#path === "-") this.#write();
    else stat(this.#path, (error, found) => this.#writeToPath(error ? undefined : found));
  }

  /** Writes to the file of that name: to a new file if the old one was renamed, as logrotate does. */
  #writeToPath(found: Stats | undefined): void {
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
      this.#continue(error !== null);
    });
  }

  #continue(waits: boolean): void {
    if (this.#writing?.length === 0) this.#writing = undefined;
    if (this.#writing) {
      if (waits) this.#later(() => !this.#closed && this.#write());
      else this.#write();
    } else if (this.#length > 0) {
      this.#timer ??= this.#later(() => this.#flush());
    }
  }

  #later(work: () => unknown): Timer {
    return this.#parts.clock.after(FLUSH_INTERVAL_MS, work, { owner: this.#parts.what, upkeep: true });
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#parts.log.warn(`lines of the ${this.#parts.what} were dropped`, { dropped: this.#dropped });
  }
}

const openFile = (path: string): number => openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);

/** Opens standard output; a pipe is opened again without blocking, so that a full pipe blocks no thread. */
function openOutput(): number {
  return fstatSync(1).isFIFO() ? openSync("/dev/stdout", O_WRONLY | O_APPEND | O_NONBLOCK) : 1;
}
