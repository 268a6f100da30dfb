/**
 * What can happen to the files of a store while nobody has them open: one function for each kind of damage, with chance
 * passed in so that a seed repeats it.
 *
 * @module
 */
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../src/util/clock.ts";

const PAGE = 4096;
const LOG_FRAME = PAGE + 24;

/** A data directory, and how the same one looked some writes earlier. */
export interface Place {
  readonly directory: string;
  readonly earlier: string;
  readonly random: Random;
}

/** Damages a directory; false where there is nothing that it could damage. */
export type Damage = (place: Place) => boolean;

const below = (random: Random, most: number): number => Math.floor(random.next() * most);

/** Changes the bytes of a file. */
function change({ directory }: Place, name: string, work: (bytes: Buffer) => Buffer): boolean {
  const file = join(directory, name);
  if (!existsSync(file)) return false;
  const bytes = readFileSync(file);
  if (bytes.length === 0) return false;
  writeFileSync(file, work(bytes));
  return true;
}

function flip(bytes: Buffer, random: Random, count: number): Buffer {
  for (let i = 0; i < count; i++) bytes[below(random, bytes.length)]! ^= 1 << below(random, 8);
  return bytes;
}

function onPages(name: string, size: number, head: number, work: (a: Buffer, b: Buffer) => void): Damage {
  return (place) =>
    change(place, name, (bytes) => {
      const count = Math.floor((bytes.length - head) / size);
      const page = (): Buffer => {
        const at = head + below(place.random, count) * size;
        return bytes.subarray(at, at + size);
      };
      if (count > 0) work(page(), page());
      return bytes;
    });
}

const swap = (a: Buffer, b: Buffer): void => {
  const kept = Buffer.from(a);
  b.copy(a);
  kept.copy(b);
};

/** A write of a page that reached the disk by half. */
const torn = (a: Buffer, b: Buffer): void => void b.copy(a, 0, 0, 512 * Math.ceil(a.length / 1024));

const database = "keelson.db";
const log = "keelson.db-wal";

const cut =
  (name: string): Damage =>
  (place) => {
    const file = join(place.directory, name);
    if (!existsSync(file)) return false;
    const { length } = readFileSync(file);
    if (length === 0) return false;
    truncateSync(file, below(place.random, length));
    return true;
  };

const put =
  (name: string): Damage =>
  ({ directory, earlier }) => {
    if (!existsSync(join(earlier, name))) return false;
    copyFileSync(join(earlier, name), join(directory, name));
    return true;
  };

const remove =
  (name: string): Damage =>
  ({ directory }) => {
    if (!existsSync(join(directory, name))) return false;
    rmSync(join(directory, name));
    return true;
  };

/** Every kind of damage by its name. */
export const DAMAGES: Readonly<Record<string, Damage>> = {
  "one bit of the database flipped": (place) => change(place, database, (bytes) => flip(bytes, place.random, 1)),
  "many bits of the database flipped": (place) => change(place, database, (bytes) => flip(bytes, place.random, 30)),
  "a page of the database zeroed": onPages(database, PAGE, 0, (a) => void a.fill(0)),
  "two pages of the database swapped": onPages(database, PAGE, 0, swap),
  "a page of the database written to the place of another": onPages(database, PAGE, 0, (a, b) => void a.copy(b)),
  "a page of the database torn": onPages(database, PAGE, 0, torn),
  "the database cut off": cut(database),
  "an older database put in its place": put(database),
  "the database removed": remove(database),
  "one bit of the log flipped": (place) => change(place, log, (bytes) => flip(bytes, place.random, 1)),
  "a frame of the log zeroed": onPages(log, LOG_FRAME, 32, (a) => void a.fill(0)),
  "two frames of the log swapped": onPages(log, LOG_FRAME, 32, swap),
  "a frame of the log torn": onPages(log, LOG_FRAME, 32, torn),
  "the log cut off": cut(log),
  "the log removed": remove(log),
  "an older log put in its place": put(log),
  "the mark removed": remove("revision"),
  "the mark cut off": cut("revision"),
  "one bit of the mark flipped": (place) => change(place, "revision", (bytes) => flip(bytes, place.random, 1)),
  "the mark as before, its last write lost": put("revision"),
};
