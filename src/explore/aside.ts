import type { StoredObject } from "./contract/state.ts";
import type { ObjectRef } from "./contract/trace.ts";

/** Events, and the Leases of leader election: they show nothing about the work of a program. */
export function isAside({ group, kind }: Pick<ObjectRef, "group" | "kind">, object: StoredObject): boolean {
  if (kind === "Event") return group === "" || group.startsWith("events.");
  if (kind !== "Lease" || !group.startsWith("coordination.")) return false;
  return (object["spec"] as { readonly holderIdentity?: string } | undefined)?.holderIdentity !== undefined;
}
