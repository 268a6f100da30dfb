/**
 * The attached volumes on disk, as entries of `status.volumesInUse` (NODE-12).
 *
 * @module
 */
import { type AttachNames, attachNames, entryOf } from "../../claims/attachment.ts";
import type { NodeGround } from "../contract.ts";
import { Ledger } from "./ledger.ts";
import { Places } from "./places.ts";

/** The entries of attached volumes that are staged, or may be, sorted. */
export async function stagedEntries(ledger: Pick<Ledger, "stages">, names: AttachNames): Promise<readonly string[]> {
  const stages = await ledger.stages();
  return stages
    .filter(({ attachment }) => attachment !== undefined)
    .map((stage) => entryOf(stage, names))
    .toSorted();
}

/** The same for an agent that has no plugins yet. */
export const entriesOnDisk = ({
  root,
  dialect,
  log,
}: Pick<NodeGround, "root" | "dialect" | "log">): Promise<readonly string[]> =>
  stagedEntries(new Ledger(new Places(root), log), attachNames(dialect));
