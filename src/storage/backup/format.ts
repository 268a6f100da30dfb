/**
 * Backups: all records of a store as of one revision, in one file that can be checked and that people can read.
 *
 * A backup is lines of JSON, compressed as a whole with zstd or gzip. It has no history. Written for one record:
 *
 *     {"format":"keelson-backup","version":1,"revision":7,"dialect":"neutral","time":"2026-01-01T00:00:00.000Z"}
 *     {"key":"/core/configmaps/default/c","revision":5,"bytes":13,"crc32":"9a7e2f01"}
 *     {"kind":"..."}
 *     {"end":true,"records":1,"sha256":"..."}
 *
 * After the line about a record come the `bytes` of its value, whatever they are, and a line end. `crc32` (IEEE, as in
 * gzip) is that of the key and the value; `sha256` that of everything before the last line.
 *
 * @module
 */

/** The version of the form described above; a newer one is refused. */
export const BACKUP_VERSION = 1;
/** What a backup says it is. */
export const BACKUP_FORMAT = "keelson-backup";

/** How a backup can be compressed. */
export type Compression = "zstd" | "gzip";

/** What a backup says of itself. */
export interface BackupHeader {
  /** Everything up to this revision is in it, and nothing after. */
  readonly revision: number;
  readonly dialect: string;
  /** When it was made, RFC 3339. */
  readonly time: string;
}

/** What was counted at its end. */
export interface BackupSummary extends BackupHeader {
  readonly records: number;
}
