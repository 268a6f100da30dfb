/**
 * A file that is written at once and put aside when it has become large: `audit.log`, and beside it
 * `audit-2026-01-31T10-20-30.123.log` (AUDIT-24). Old ones are compressed and removed.
 *
 * @module
 */
import { createReadStream, createWriteStream, closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { rotatedName, rotatedLogs } from "../../audit/index.ts";
import type { Clock } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import type { Rotation } from "../options/audit-options.ts";

/** See the head of this file. */
export class RotatingFile implements AsyncDisposable {
  readonly #path: string;
  readonly #rotation: Rotation;
  readonly #around: { readonly clock: Clock; readonly log: Log };
  #fd: number;
  #length: number;
  /** The tidying that runs; one after another. */
  #tidying: Promise<void> = Promise.resolve();

  /** Opens or makes the file, for its owner alone. @throws what the system says where it cannot be opened */
  constructor(path: string, rotation: Rotation, around: { readonly clock: Clock; readonly log: Log }) {
    this.#path = path;
    this.#rotation = rotation;
    this.#around = around;
    this.#fd = open(path);
    this.#length = fstatSync(this.#fd).size;
    this.#tidy();
  }

  /** Writes a text; it is with the system when this returns. @throws what the system says where it cannot be written */
  write(text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#length > 0 && this.#length + length > this.#rotation.maxBytes) this.#rotate();
    this.#length += length;
    let at = writeSync(this.#fd, text);
    // Rarely does the system take a part only.
    while (at < length) at += writeSync(this.#fd, Buffer.from(text), at);
  }

  /** Closes the file when what is old has been tidied up. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tidying;
    closeSync(this.#fd);
  }

  #rotate(): void {
    const { clock } = this.#around;
    renameSync(this.#path, join(dirname(this.#path), rotatedName(basename(this.#path), clock.now())));
    const before = this.#fd;
    this.#fd = open(this.#path);
    closeSync(before);
    this.#length = 0;
    this.#tidy();
  }

  #tidy(): void {
    const { clock, log } = this.#around;
    this.#tidying = this.#tidying
      .then(() => tidy(this.#path, this.#rotation, clock.now()))
      .catch((error: unknown) => log.error("old audit logs could not be tidied up", { error: String(error) }));
  }
}

const open = (path: string): number => openSync(path, "a", 0o600);

async function tidy(path: string, { maxAgeMillis, maxBackups, compress }: Rotation, now: number): Promise<void> {
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

/** Compresses a file; what a crash leaves behind half done is made again. */
async function pack(path: string): Promise<void> {
  const half = `${path}.gz.part`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(half, { mode: 0o600 }));
  await rename(half, `${path}.gz`);
  await rm(path);
}
