/**
 * Lists in pages. A token says after which number of the sequence the next page begins, so a list goes on where it was
 * also when what stood there has gone, and shows what has come meanwhile.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";

/** What a request says of its page. */
export interface PageRequest {
  readonly maxEntries: number;
  readonly startingToken: string;
}

const TOKEN = /^after-(\d{1,15})$/;

/** One page of a list in the order of its sequence. Throws `Aborted` for a token that is none, as CSI has it. */
export function page<T extends { readonly sequence: number }>(
  all: readonly T[],
  { maxEntries, startingToken }: PageRequest,
): { readonly items: readonly T[]; readonly nextToken: string } {
  if (maxEntries < 0) throw new DriverError("InvalidArgument", `expected max_entries from 0, got ${maxEntries}`);
  const [, after] = TOKEN.exec(startingToken) ?? [];
  if (startingToken !== "" && after === undefined) {
    throw new DriverError("Aborted", "the starting token is none of this driver; begin the list again");
  }
  const rest = all.filter(({ sequence }) => sequence > Number(after ?? -1));
  const items = maxEntries === 0 ? rest : rest.slice(0, maxEntries);
  const isLast = items.length === rest.length;
  return { items, nextToken: isLast ? "" : `after-${items.at(-1)!.sequence}` };
}
