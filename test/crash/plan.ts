/**
 * What the crash test's writer writes, and how its parent can tell that a value is whole.
 *
 * @module
 */
import type { Random } from "../../src/util/clock.ts";

/** One line of the writer's log, which survives its death: it is written before the next thing happens. */
export type Line =
  | { readonly is: "open"; readonly revision: number }
  | {
      readonly is: "try";
      readonly id: string;
      readonly type: "create" | "update" | "delete";
      readonly key: string;
      readonly expected: number;
      /** The first write of the transaction that this one belongs to, where it is one of several. */
      readonly of?: string;
    }
  | { readonly is: "ok"; readonly id: string; readonly revision: number }
  | { readonly is: "refused"; readonly id: string; readonly code: string }
  /** The store has failed for good, or could not be opened or closed. */
  | { readonly is: "failed"; readonly at: "open" | "run" | "close"; readonly message: string }
  /** The store was closed in order. */
  | { readonly is: "closed" }
  /** A call that was made to fail (test/faults/faulty.c). */
  | { readonly is: "fault"; readonly call: string; readonly file: string };

/** A value that says how long it is and whose it is; some are longer than a page of the database. */
export function valueOf(id: string, random: Random): Buffer {
  const length = Math.floor(random.next() ** 4 * 20_000);
  const head = Buffer.from(`${id} ${length}\n`);
  return Buffer.concat([head, Buffer.alloc(length, id)]);
}

/** Whose value this is; throws when it is not whole. */
export function idOf(value: Uint8Array): string {
  const bytes = Buffer.from(value);
  const end = bytes.indexOf("\n");
  const [id = "", length = "-1"] = bytes.toString("utf8", 0, end).split(" ");
  const rest = bytes.subarray(end + 1);
  if (rest.length !== Number(length) || !rest.equals(Buffer.alloc(rest.length, id))) {
    throw new Error(`Expected the whole value of ${id} with ${length} bytes, got ${rest.length}`);
  }
  return id;
}
