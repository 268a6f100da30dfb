import { closed } from "../cache/index.ts";
import type { Write } from "../storage/contract.ts";
import type { Caller } from "./contract.ts";
import { type Kind, servedNow } from "./kind.ts";

/**
 * Writes a record of a kind; resolves to its revision. A write that has waited may find its kind changed: its record is
 * kept as long as the version in which it is written is known. Rejects with StoreError.
 *
 * @throws CacheError `closed` when nobody could read the record any more
 */
export function storeRecord({ stored, shared }: Kind, write: Write, caller?: Caller): Promise<number> {
  if (!servedNow(stored)?.versions.has(stored.storageVersion)) throw closed(stored.prefix);
  const done = shared.store.write(write);
  caller?.storing?.(done);
  return done;
}
