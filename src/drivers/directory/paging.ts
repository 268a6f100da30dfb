/**
 * Lists in pages. A token has the sequence number after which the next page begins. So a list continues where it was, also
 * when that volume was deleted, and has the volumes that were created meanwhile.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";

/** The fields of a request for a page. */
export interface PageRequest {
  readonly maxEntries: number;
  readonly startingToken: string;
}

const TOKEN = /^after-(\d{1,15})$/;

/** One page of a list in the order of its sequence. Throws `Aborted` for an invalid token, as CSI prescribes. */
export function page<T extends { readonly sequence: number }>(
  all: readonly T[],
  { maxEntries, startingToken }: PageRequest,
): { readonly items: readonly T[]; readonly nextToken: string } {
  if (maxEntries < 0) throw new DriverError("InvalidArgument", `expected max_entries from 0, got ${maxEntries}`);
  const [, after] = TOKEN.exec(startingToken) ?? [];
  if (startingToken !== "" && after === undefined) {
    throw new DriverError("Aborted", "the starting token is not one of this driver; begin the list again");
  }
  const rest = all.filter(({ sequence }) => sequence > Number(after ?? -1));
  const items = maxEntries === 0 ? rest : rest.slice(0, maxEntries);
  const isLast = items.length === rest.length;
  return { items, nextToken: isLast ? "" : `after-${items.at(-1)!.sequence}` };
}
