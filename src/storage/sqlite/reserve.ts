/**
 * The reserve: a file that holds room on the disk for the time when there is no other.
 *
 * It is as long as what it stands for, and its content means nothing. Room is taken from it by making it shorter, as
 * little at a time as helps, so that who else writes to a full disk gets little of it.
 *
 * @module
 */
import { closeSync, constants, fsyncSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isFull } from "./errors.ts";

/** Its file in the directory of the store. */
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

  /** How much room it holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Lets it hold at least `bytes`. False when there is no room for that; then it holds what it did. */
  cover(bytes: number): boolean {
    const before = this.#bytes;
    this.refill(bytes);
    if (this.#bytes >= bytes) return true;
    this.cut(before);
    return false;
  }

  /** Lets it hold as much of `bytes` as there is room for. */
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

  /** Gives back what it holds beyond `bytes`; whether that was anything. */
  cut(bytes: number): boolean {
    if (this.#bytes <= bytes) return false;
    const descriptor = this.#opened();
    ftruncateSync(descriptor, bytes);
    // Some file systems have room again when they have written down why.
    fsyncSync(descriptor);
    this.#bytes = bytes;
    return true;
  }

  /** Gives back `bytes`, or a piece, but keeps `least`; whether there was anything to give. */
  give(least: number, bytes: number = PIECE.length): boolean {
    return this.cut(Math.max(least, this.#bytes - bytes));
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #opened(): number {
    return (this.#descriptor ??= openSync(this.#file, constants.O_RDWR | constants.O_CREAT, OWNER_ONLY));
  }
}
