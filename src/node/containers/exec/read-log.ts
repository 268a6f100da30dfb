/**
 * Reads the part of a container's log that a request chooses, and follows the log where the request asks for it.
 *
 * @module
 */
import { constants } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { isoTime } from "../../../meta/iso-time.ts";
import { type Clock, sleep } from "../../../util/clock.ts";
import type { LogQuery } from "../log-query.ts";
import { type LogFiles, timesOf } from "./log-files.ts";
import { limited } from "../../../util/limited.ts";

/** Options of a reader. */
export interface LogReading {
  readonly clock: Clock;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Whether the log is complete. */
  readonly hasEnded: () => boolean;
}

const CHUNK_BYTES = 64 * 1024;
const POLL_INTERVAL_MS = 200;
const NEWLINE = 10;

/** A file of a log. */
interface Part {
  readonly handle: FileHandle;
  readonly size: number;
  /** Bytes before each of these offsets were written by that time. */
  readonly times: readonly (readonly [offset: number, at: number])[];
}

/** The bytes of a log; undefined where there is none. The caller reads them to the end, or ends the iteration. */
export async function openLog(
  { file, older }: LogFiles,
  query: LogQuery,
  reading: LogReading,
): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const isTimed = query.timestamps || query.since !== undefined;
  const last = await openPart(file, isTimed);
  if (!last) return undefined;
  const before = await openPart(older, isTimed);
  const parts = before ? [before, last] : [last];
  let isRead = false;
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    isRead = true;
    yield* read(parts, query, reading);
  };
  // A reader that has begun closes the files. A caller may never begin.
  reading.signal.addEventListener("abort", () => void (isRead || closeAll(parts)), { once: true });
  return limited(pieces(), query.limitBytes);
}

/** Opens a file. Does not follow a link, which a process may have created. */
async function openPart(file: string, isTimed: boolean): Promise<Part | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  const stats = await handle?.stat();
  if (!handle || !stats?.isFile()) {
    await handle?.close();
    return undefined;
  }
  const text = isTimed ? await readFile(timesOf(file), "utf8").catch(() => "") : "";
  const times = text.split("\n").flatMap((line) => {
    const [offset, at] = line.split(" ").map(Number);
    return offset && at ? [[offset, at] as const] : [];
  });
  return { handle, size: stats.size, times };
}

async function* read(parts: readonly Part[], query: LogQuery, reading: LogReading): AsyncGenerator<Uint8Array> {
  try {
    const start = await startOf(parts, query.tailLines);
    for (const [index, part] of parts.entries()) {
      if (index < start.index) continue;
      const isLast = index === parts.length - 1;
      yield* readPart(part, index === start.index ? start.offset : 0, isLast, query, reading);
    }
  } finally {
    await closeAll(parts);
  }
}

/** Closes the files of a log, and ignores errors. */
const closeAll = async (parts: readonly Part[]): Promise<void> =>
  void (await Promise.allSettled(parts.map(({ handle }) => handle.close())));

async function* readPart(
  { handle, times }: Part,
  from: number,
  isLast: boolean,
  query: LogQuery,
  { clock, signal, hasEnded }: LogReading,
): AsyncGenerator<Uint8Array> {
  const { timestamps, since, follow } = query;
  const lines = new Lines(times, timestamps, since);
  for (let position = from; !signal.aborted;) {
    // First of all, so that the next read has what is written in between.
    const isOver = !isLast || !follow || hasEnded();
    const { size, mtimeMs } = await handle.stat();
    // The log was rotated.
    if (size < position) position = 0;
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - position));
    const { bytesRead } = await handle.read(piece, 0, piece.length, position);
    const taken = lines.take(piece.subarray(0, bytesRead), position, mtimeMs);
    position += bytesRead;
    if (taken.length > 0) yield taken;
    if (bytesRead > 0) continue;
    if (isOver) return;
    await sleep(clock, POLL_INTERVAL_MS, signal, { owner: "reader of a log", upkeep: true });
  }
}

/** Selects lines by their times, and adds timestamps. */
class Lines {
  readonly #times: Part["times"];
  readonly #timestamps: boolean;
  readonly #since: number | undefined;
  #next = 0;
  #isAtStart = true;
  #isLeftOut = false;

  constructor(times: Part["times"], timestamps: boolean, since: number | undefined) {
    this.#times = times;
    this.#timestamps = timestamps;
    this.#since = since;
  }

  take(piece: Buffer, offset: number, written: number): Buffer {
    if (!this.#timestamps && this.#since === undefined) return piece;
    const taken: Buffer[] = [];
    for (let from = 0; from < piece.length;) {
      if (this.#isAtStart) {
        const at = this.#timeOf(offset + from, written);
        this.#isLeftOut = this.#since !== undefined && at < this.#since;
        if (this.#timestamps && !this.#isLeftOut) taken.push(Buffer.from(`${isoTime(at)} `));
      }
      const end = piece.indexOf(NEWLINE, from) + 1 || piece.length;
      if (!this.#isLeftOut) taken.push(piece.subarray(from, end));
      this.#isAtStart = piece[end - 1] === NEWLINE;
      from = end;
    }
    return Buffer.concat(taken);
  }

  #timeOf(offset: number, written: number): number {
    const times = this.#times;
    while ((times[this.#next]?.[0] ?? Infinity) <= offset) this.#next++;
    return times[this.#next]?.[1] ?? Math.floor(written);
  }
}

/** Where the last lines begin. */
async function startOf(
  parts: readonly Part[],
  tailLines: number | undefined,
): Promise<{ readonly index: number; readonly offset: number }> {
  if (tailLines === undefined) return { index: 0, offset: 0 };
  let left = tailLines;
  const last = parts.at(-1)!;
  if (left === 0) return { index: parts.length - 1, offset: last.size };
  for (let index = parts.length - 1; index >= 0; index--) {
    const { handle, size } = parts[index]!;
    for (let end = size; end > 0;) {
      const begin = Math.max(0, end - CHUNK_BYTES);
      const piece = Buffer.allocUnsafe(end - begin);
      await handle.read(piece, 0, piece.length, begin);
      // The newline at the end of the file ends the last line, and does not begin another one.
      const isEnd = index === parts.length - 1 && end === size;
      for (let at = piece.length - (isEnd ? 2 : 1); at >= 0; at--) {
        if (piece[at] === NEWLINE && --left === 0) return { index, offset: begin + at + 1 };
      }
      end = begin;
    }
  }
  return { index: 0, offset: 0 };
}
