/**
 * Reads and checks backups.
 *
 * @module
 */
import { type Hash, createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { MAX_VALUE_BYTES, StoreError, type StoredRecord } from "../contract.ts";
import { BACKUP_FORMAT, BACKUP_VERSION, type BackupHeader, type BackupSummary } from "./format.ts";
import { recordSum } from "./write.ts";
import { codeOf, messageOf } from "../../util/error.ts";

/** The length of the longest line: a key and a few numbers. */
const MAX_LINE_BYTES = 1 << 20;

/** Receives the records of a backup. */
export interface BackupSink {
  begin(header: BackupHeader): void;
  record(record: StoredRecord): void;
}

/**
 * Reads a backup to its end. The records are valid only when the promise resolves: the checksum of the whole comes last.
 *
 * Rejects with StoreError `corrupt` for a damaged backup, and with `failed` for a newer format.
 */
export async function readBackup(pieces: AsyncIterable<Uint8Array>, sink: BackupSink): Promise<BackupSummary> {
  const bytes = new ByteReader(decompressed(pieces));
  const header = headerOf(await bytes.line());
  sink.begin(header);
  for (let records = 0; ; records++) {
    // The checksum does not include the last line.
    const sum = bytes.sumSoFar();
    const line = asObject(await bytes.line());
    if (line["end"] === true) {
      if (line["records"] !== records) throw damaged(`expected ${String(line["records"])} records, found ${records}`);
      if (line["sha256"] !== sum) throw damaged("the checksum of the whole does not fit");
      if (!(await bytes.atEnd())) throw damaged("something follows its last line");
      return { ...header, records };
    }
    sink.record(await recordOf(line, bytes));
  }
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

const damaged = (why: string): StoreError => new StoreError("corrupt", `The backup is damaged: ${why}`);

function headerOf(text: string): BackupHeader {
  const { format, version, revision, dialect, time } = asObject(text);
  if (format !== BACKUP_FORMAT) throw new StoreError("corrupt", "Expected a backup of Keelson, found something else");
  if (typeof version !== "number" || !(version >= 1 && version <= BACKUP_VERSION)) {
    throw new StoreError(
      "failed",
      `Expected a backup of version ${BACKUP_VERSION} or older, found ${String(version)}: use a newer keelson`,
    );
  }
  if (!isInteger(revision) || typeof dialect !== "string" || Number.isNaN(Date.parse(String(time)))) {
    throw damaged("its first line is not complete");
  }
  return { revision, dialect, time: String(time) };
}

async function recordOf(line: Readonly<Record<string, unknown>>, bytes: ByteReader): Promise<StoredRecord> {
  const { key, revision, bytes: size, crc32 } = line;
  if (typeof key !== "string" || !isInteger(revision) || !isInteger(size)) {
    throw damaged("expected a line with a key, a revision and a size, found another one");
  }
  if (size < 0 || size > MAX_VALUE_BYTES) throw damaged(`${key} has ${String(size)} bytes`);
  const value = await bytes.take(size);
  if ((await bytes.take(1))[0] !== 10 || recordSum(key, value) !== crc32) {
    throw new StoreError("corrupt", `The backup is damaged: the checksum of ${key} does not fit`, { key });
  }
  return { key, value, revision };
}

function asObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Reported below.
  }
  throw damaged(`expected a line of JSON, found ${JSON.stringify(text.slice(0, 80))}`);
}

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const GZIP = Buffer.from([0x1f, 0x8b]);

/** Decompresses a backup by its first bytes; other bytes stay as they are. */
async function* decompressed(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < ZSTD.length) {
    const next = await iterator.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const whole = rejoined(head, iterator);
  const decoder = head.subarray(0, 4).equals(ZSTD)
    ? createZstdDecompress()
    : head.subarray(0, 2).equals(GZIP)
      ? createGunzip()
      : undefined;
  if (decoder === undefined) {
    yield* whole;
    return;
  }
  const source = Readable.from(whole);
  source.on("error", (error) => decoder.destroy(error));
  try {
    yield* source.pipe(decoder) as AsyncIterable<Uint8Array>;
  } catch (error) {
    const code = codeOf(error);
    const ours = typeof code === "string" && /^(Z_|ZSTD_|ERR_ZSTD|ERR_ZLIB|ERR_TRAILING)/.test(code);
    throw ours ? damaged(`it cannot be decompressed: ${messageOf(error)}`) : error;
  } finally {
    source.destroy();
  }
}

async function* rejoined(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Reads lines and numbers of bytes from a stream, and hashes them. */
class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #hash: Hash = createHash("sha256");
  #buffer: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The SHA-256 of all bytes that were read. */
  sumSoFar(): string {
    return this.#hash.copy().digest("hex");
  }

  async line(): Promise<string> {
    let from = 0;
    for (;;) {
      const at = this.#buffer.indexOf(10, from);
      if (at >= 0) return this.#read(at + 1).toString("utf8", 0, at);
      from = this.#buffer.length;
      if (from > MAX_LINE_BYTES) throw damaged("a line does not end");
      if (!(await this.#more())) throw damaged("it ends too early");
    }
  }

  async take(count: number): Promise<Buffer> {
    while (this.#buffer.length < count) if (!(await this.#more())) throw damaged("it ends too early");
    return this.#read(count);
  }

  async atEnd(): Promise<boolean> {
    return this.#buffer.length === 0 && !(await this.#more());
  }

  #read(count: number): Buffer {
    const bytes = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    this.#hash.update(bytes);
    return bytes;
  }

  async #more(): Promise<boolean> {
    const next = await this.#pieces.next();
    if (next.done) return false;
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(next.value) : Buffer.concat([this.#buffer, next.value]);
    return true;
  }
}
