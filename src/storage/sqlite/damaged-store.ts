import { basename, dirname } from "node:path";
import { StoreError } from "../contract.ts";

/** The error of a damaged store, with what a user can do; `message` says what is damaged. */
export function damagedStore(directory: string, message: string, cause: unknown): StoreError {
  const named = basename(directory) === "store" ? dirname(directory) : directory;
  return new StoreError(
    "corrupt",
    `${message}. The store is not opened and was left as it is. "keelson check ${named}" says what is damaged; ` +
      `continue with a backup ("keelson restore FILE NEW-DIR") or with the valid records ("keelson repair ${named} NEW-DIR")`,
    { cause },
  );
}
