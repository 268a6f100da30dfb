/**
 * Writes a backup of any store that is open.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { Readable, type Transform } from "node:stream";
import { crc32, createGzip, createZstdCompress } from "node:zlib";
import type { Store, StoredRecord } from "../contract.ts";
import { BACKUP_FORMAT, BACKUP_VERSION, type BackupHeader, type Compression } from "./format.ts";

/** Records of one read. */
const PAGE = 100;

/**
 * The bytes of a backup. Its revision is the newest one at the first piece; a pin keeps it readable until the generator ends,
 * where the store has pins. Throws the StoreError of a read that fails.
 */
export async function* backupLines(
  store: Store,
  { dialect, time }: Omit<BackupHeader, "revision">,
): AsyncGenerator<Buffer> {
  const pin = await store.pin?.();
  try {
    const revision = pin?.revision ?? (await store.currentRevision());
    const hash = createHash("sha256");
    const hashed = (bytes: Buffer): Buffer => {
      hash.update(bytes);
      return bytes;
    };
    yield hashed(lineOf({ format: BACKUP_FORMAT, version: BACKUP_VERSION, revision, dialect, time }));
    let records = 0;
    let start = "";
    for (let more = true; more;) {
      const page = await store.range("", { start, limit: PAGE, revision });
      if (page.records.length > 0) yield hashed(Buffer.concat(page.records.flatMap(recordBytes)));
      records += page.records.length;
      start = `${page.records.at(-1)?.key ?? ""}\0`;
      ({ more } = page);
    }
    yield lineOf({ end: true, records, sha256: hash.digest("hex") });
  } finally {
    pin?.release();
  }
}

const LINE_END = Buffer.from("\n");

const lineOf = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

function recordBytes({ key, value, revision }: StoredRecord): Uint8Array[] {
  return [lineOf({ key, revision, bytes: value.length, crc32: recordSum(key, value) }), value, LINE_END];
}

/** The checksum of a record. */
export const recordSum = (key: string, value: Uint8Array): string =>
  crc32(value, crc32(key)).toString(16).padStart(8, "0");

/** The compressed bytes of a backup. Destroy the stream to end it early. */
export function backupStream(
  store: Store,
  header: Omit<BackupHeader, "revision">,
  compression: Compression,
): Transform {
  const lines = Readable.from(backupLines(store, header));
  const encoder = compression === "zstd" ? createZstdCompress() : createGzip();
  // An error or a destroy of one stream ends the other one.
  lines.on("error", (error) => encoder.destroy(error));
  encoder.on("close", () => lines.destroy());
  return lines.pipe(encoder);
}
