/**
 * Backups: all records of a store at one revision, in one file with checksums that is readable as text.
 *
 * A backup consists of lines of JSON, compressed with zstd or gzip. It has no history. With one record:
 *
 *     {"format":"keelson-backup","version":1,"revision":7,"dialect":"neutral","time":"2026-01-01T00:00:00.000Z"}
 *     {"key":"/core/configmaps/default/c","revision":5,"bytes":13,"crc32":"9a7e2f01"}
 *     {"kind":"..."}
 *     {"end":true,"records":1,"sha256":"..."}
 *
 * After the line of a record come the `bytes` of its value, of any content, and a line end. `crc32` (IEEE, as in gzip) is
 * that of the key and the value; `sha256` that of everything before the last line.
 *
 * @module
 */

/** The version of this format; a newer one is refused. */
export const BACKUP_VERSION = 1;
/** The `format` of a backup. */
export const BACKUP_FORMAT = "keelson-backup";

/** The compression of a backup. */
export type Compression = "zstd" | "gzip";

/** The first line of a backup. */
export interface BackupHeader {
  /** The backup contains all writes up to this revision, and no later one. */
  readonly revision: number;
  readonly dialect: string;
  /** When it was written, RFC 3339. */
  readonly time: string;
}

/** The header, and the number of records. */
export interface BackupSummary extends BackupHeader {
  readonly records: number;
}
