/**
 * What people can do about a store that cannot be trusted.
 *
 * @module
 */
import { basename, dirname } from "node:path";
import { StoreError } from "../contract.ts";

/** The refusal of a damaged store, as whoever starts a server should see it; `message` says what is damaged. */
export function damagedStore(directory: string, message: string, cause: unknown): StoreError {
  const named = basename(directory) === "store" ? dirname(directory) : directory;
  return new StoreError(
    "corrupt",
    `${message}. The store is not opened and was left as it is. "keelson check ${named}" says what is damaged; ` +
      `go on with a backup ("keelson restore FILE NEW-DIR") or with what is whole ("keelson repair ${named} NEW-DIR")`,
    { cause },
  );
}
