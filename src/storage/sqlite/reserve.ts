/**
 * The reserve: a file that occupies disk space until no other is left.
 *
 * Its size is the reserved space; its content has no meaning. To release space the file is truncated, by as little as helps, so
 * that other programs on a full disk get little of it.
 *
 * @module
 */
import { closeSync, constants, fsyncSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isFull } from "./errors.ts";

/** The name of the file in the directory of the store. */
export const RESERVE_FILE = "reserve";

const OWNER_ONLY = 0o600;
const PIECE = Buffer.alloc(256 * 1024);

/** See the head of this file. */
export class Reserve {
  readonly #file: string;
  #descriptor: number | undefined;
  #bytes: number;

  constructor(directory: string) {
    this.#file = join(directory, RESERVE_FILE);
    this.#bytes = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** The reserved bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reserves at least `bytes`; returns false, and reserves no more than before, when there is no space for that. */
  cover(bytes: number): boolean {
    const before = this.#bytes;
    this.refill(bytes);
    if (this.#bytes >= bytes) return true;
    this.cut(before);
    return false;
  }

  /** Reserves `bytes`, or as many as possible. */
  refill(bytes: number): void {
    try {
      while (this.#bytes < bytes) {
        const length = Math.min(PIECE.length, bytes - this.#bytes);
        this.#bytes += writeSync(this.#opened(), PIECE, 0, length, this.#bytes);
      }
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }

  /** Releases what exceeds `bytes`; returns whether that was anything. */
  cut(bytes: number): boolean {
    if (this.#bytes <= bytes) return false;
    const descriptor = this.#opened();
    ftruncateSync(descriptor, bytes);
    // Some file systems free the space only after a flush.
    fsyncSync(descriptor);
    this.#bytes = bytes;
    return true;
  }

  /** Releases `bytes`, or a piece, but keeps `min`; returns whether there was anything to release. */
  release(min: number, bytes: number = PIECE.length): boolean {
    return this.cut(Math.max(min, this.#bytes - bytes));
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #opened(): number {
    return (this.#descriptor ??= openSync(this.#file, constants.O_RDWR | constants.O_CREAT, OWNER_ONLY));
  }
}
