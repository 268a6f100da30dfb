import type { Steps } from "../util/steps.ts";
import { compareText, paths, pathToString, sortTexts } from "./fieldpath/index.ts";
import type { Lost } from "./merge/index.ts";
import { managerInfo } from "./entries.ts";
import type { ManagerInfo } from "./entries.ts";

/** A field that an intent would change and somebody else owns (DEC-20). One per field and owner. */
export interface FieldConflict {
  /** The field as in `.spec.drivers[name="d1"].nodeID`. */
  readonly field: string;
  readonly owner: ManagerInfo;
  /** Names the owner; for an update also the version. */
  readonly message: string;
}

/** The conflicts in words, sorted by owner, then in the order of the fields. */
export function* describeConflicts(lost: readonly Lost[]): Steps<FieldConflict[]> {
  const conflicts: FieldConflict[] = [];
  const told = lost.map(({ manager, set }) => ({ ...tellOwner(manager), set }));
  for (const { owner, message, set } of told.toSorted((a, b) => compareText(a.message, b.message))) {
    for (const field of sortTexts(paths(set).map(pathToString))) conflicts.push({ field, owner, message });
    yield;
  }
  return conflicts;
}

function tellOwner(manager: string): Pick<FieldConflict, "owner" | "message"> {
  const owner = managerInfo(manager);
  return { owner, message: `conflict with ${nameOwner(owner)}` };
}

function nameOwner({ manager, operation, apiVersion, subresource }: ManagerInfo): string {
  const at = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  return JSON.stringify(manager) + at + (operation === "Update" ? ` using ${apiVersion}` : "");
}

/** A conflict may be about each of many thousand fields with each of many owners; nobody reads on after this many. */
export const MOST_TOLD = 1000;

/** One sentence for all conflicts: how many, with whom, about which fields. */
export function conflictMessage(conflicts: readonly FieldConflict[]): string {
  const byOwner = Map.groupBy(conflicts.slice(0, MOST_TOLD), (conflict) => conflict.message);
  const parts = [...byOwner].map(([message, same]) => `${message}: ${same.map(({ field }) => field).join(", ")}`);
  const count = conflicts.length === 1 ? "1 conflict" : `${conflicts.length} conflicts`;
  const rest = conflicts.length > MOST_TOLD ? `; and ${conflicts.length - MOST_TOLD} more` : "";
  return `Apply failed with ${count}: ${parts.join("; ")}${rest}`;
}
