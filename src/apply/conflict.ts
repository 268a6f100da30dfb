import type { Steps } from "../util/steps.ts";
import { compareText, paths, pathToString, sortTexts } from "./fieldpath/index.ts";
import type { Lost } from "./merge/index.ts";
import { managerInfo } from "./entries.ts";
import type { ManagerInfo } from "./entries.ts";

/** A field that an intent would change and another manager owns (DEC-20). One per field and owner. */
export interface FieldConflict {
  /** The field, as in `.spec.drivers[name="d1"].nodeID`. */
  readonly field: string;
  readonly owner: ManagerInfo;
  /** Names the owner; for an update also the version. */
  readonly message: string;
}

/** The conflicts with their messages, sorted by owner, then by field. */
export function* describeConflicts(lost: readonly Lost[]): Steps<FieldConflict[]> {
  const conflicts: FieldConflict[] = [];
  const described = lost.map(({ manager, set }) => ({ ...describeOwner(manager), set }));
  for (const { owner, message, set } of described.toSorted((a, b) => compareText(a.message, b.message))) {
    for (const field of sortTexts(paths(set).map(pathToString))) conflicts.push({ field, owner, message });
    yield;
  }
  return conflicts;
}

function describeOwner(manager: string): Pick<FieldConflict, "owner" | "message"> {
  const owner = managerInfo(manager);
  return { owner, message: `conflict with ${nameOwner(owner)}` };
}

function nameOwner({ manager, operation, apiVersion, subresource }: ManagerInfo): string {
  const at = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  return JSON.stringify(manager) + at + (operation === "Update" ? ` using ${apiVersion}` : "");
}

/** The number of conflicts that a response lists; an apply may have many thousands. */
export const MAX_LISTED_CONFLICTS = 1000;

/** One sentence for all conflicts: how many, with whom, about which fields. */
export function conflictMessage(conflicts: readonly FieldConflict[]): string {
  const byOwner = Map.groupBy(conflicts.slice(0, MAX_LISTED_CONFLICTS), (conflict) => conflict.message);
  const parts = [...byOwner].map(([message, same]) => `${message}: ${same.map(({ field }) => field).join(", ")}`);
  const count = conflicts.length === 1 ? "1 conflict" : `${conflicts.length} conflicts`;
  const rest = conflicts.length > MAX_LISTED_CONFLICTS ? `; and ${conflicts.length - MAX_LISTED_CONFLICTS} more` : "";
  return `Apply failed with ${count}: ${parts.join("; ")}${rest}`;
}
