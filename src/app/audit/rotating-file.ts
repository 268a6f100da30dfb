/**
 * A log file that is rotated at a size: `audit.log` is renamed to `audit-2026-01-31T10-20-30.123.log` (AUDIT-24). Old files are
 * compressed and removed.
 *
 * @module
 */
import { createReadStream, createWriteStream, closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { rotatedName, rotatedLogs } from "../../audit/index.ts";
import type { SystemParts } from "../process/system-parts.ts";
import type { Rotation } from "../options/audit-options.ts";

/** Writes texts synchronously and rotates the file. */
export class RotatingFile implements AsyncDisposable {
  readonly #path: string;
  readonly #rotation: Rotation;
  readonly #system: Pick<SystemParts, "clock" | "log">;
  #fd: number;
  #length: number;
  /** Resolves when no cleanup runs; cleanups run one after another. */
  #cleanup: Promise<void> = Promise.resolve();

  /** Opens or creates the file with mode 0600. @throws the error of the system if it cannot be opened */
  constructor(path: string, rotation: Rotation, system: Pick<SystemParts, "clock" | "log">) {
    this.#path = path;
    this.#rotation = rotation;
    this.#system = system;
    this.#fd = open(path);
    this.#length = fstatSync(this.#fd).size;
    this.#removeOld();
  }

  /** Writes a text to the operating system. @throws the error of the system if it cannot be written */
  write(text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#length > 0 && this.#length + length > this.#rotation.maxBytes) this.#rotate();
    this.#length += length;
    let at = writeSync(this.#fd, text);
    // The system may write only a part of the text.
    while (at < length) at += writeSync(this.#fd, Buffer.from(text), at);
  }

  /** Closes the file after the cleanup of old files. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup;
    closeSync(this.#fd);
  }

  #rotate(): void {
    const { clock } = this.#system;
    renameSync(this.#path, join(dirname(this.#path), rotatedName(basename(this.#path), clock.now())));
    const before = this.#fd;
    this.#fd = open(this.#path);
    closeSync(before);
    this.#length = 0;
    this.#removeOld();
  }

  #removeOld(): void {
    const { clock, log } = this.#system;
    this.#cleanup = this.#cleanup
      .then(() => removeOld(this.#path, this.#rotation, clock.now()))
      .catch((error: unknown) => log.error("old audit logs could not be removed", { error: String(error) }));
  }
}

const open = (path: string): number => openSync(path, "a", 0o600);

async function removeOld(path: string, { maxAgeMillis, maxBackups, compress }: Rotation, now: number): Promise<void> {
  if (maxAgeMillis === 0 && maxBackups === 0 && !compress) return;
  const directory = dirname(path);
  const all = rotatedLogs(basename(path), await readdir(directory));
  const tooMany = maxBackups === 0 ? 0 : Math.max(0, all.length - maxBackups);
  for (const [i, file] of all.entries()) {
    const old = join(directory, file.name);
    if (i < tooMany || (maxAgeMillis > 0 && now - file.at > maxAgeMillis)) await rm(old, { force: true });
    else if (compress && !file.isCompressed) await pack(old);
  }
}

/** Compresses a file; a partial result of a crash is overwritten. */
async function pack(path: string): Promise<void> {
  const partial = `${path}.gz.part`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(partial, { mode: 0o600 }));
  await rename(partial, `${path}.gz`);
  await rm(path);
}
