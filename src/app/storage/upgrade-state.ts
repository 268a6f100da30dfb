/**
 * What an upgrade depends on in a data directory: formats, and whether the store was closed in order. Nothing is opened or changed, so
 * a server may run.
 *
 * @module
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { UpgradeState } from "../../cli/actions.ts";
import { OptionError } from "../options/options.ts";
import { APPLICATION_ID, DATABASE_FILE, FORMAT } from "../../storage/sqlite/schema.ts";
import { fileKind } from "../../util/read-text-file.ts";
import { readMark } from "../../storage/sqlite/mark.ts";
import { DIRECTORY_FORMAT, DataDirectory } from "./data-directory.ts";

/** Reads the state of a directory. @throws OptionError, StoreError for files that are damaged */
export function upgradeState(path: string): UpgradeState {
  const directory = new DataDirectory(path);
  const known = directory.describe();
  const mark = readMark(directory.store);
  return {
    path,
    dialect: known?.dialect,
    format: known?.format,
    newestFormat: DIRECTORY_FORMAT,
    storeFormat: formatOf(join(directory.store, DATABASE_FILE)),
    newestStoreFormat: FORMAT,
    closedInOrder: mark && mark.state === "closed",
  };
}

/** The offsets of `user_version` and `application_id` in the header (https://sqlite.org/fileformat.html#the_database_header). */
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/** The format in the header of a database; undefined where there is none of ours. */
function formatOf(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const header = Buffer.alloc(100);
  // With O_NONBLOCK the open of a pipe without a writer returns at once.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new OptionError(`expected a file at ${file}, found ${fileKind(found)}`);
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID ? header.readUInt32BE(USER_VERSION_AT) : undefined;
}
