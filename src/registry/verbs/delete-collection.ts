/**
 * deletecollection: deletes the objects that a list selects, each as a single delete does (DEC-26, EP-21).
 *
 * @module
 */
import type { Entry, ListPart } from "../../cache/index.ts";
import { hasReason, success } from "../../meta/status.ts";
import type { Caller, DeleteCollectionResult, DeleteOptions, ListOptions } from "../contract.ts";
import type { Kind } from "../kind/kind.ts";
import { newContext } from "../kind/write.ts";
import { refuseUnread } from "./delete-unread.ts";
import { deleteObject, warnOfOrphans } from "./delete.ts";
import { list } from "./list.ts";

const SIDE_BY_SIDE = 16;

/** Deletes a page (or all) of a collection; returns a Status, or the list of the deleted objects where the dialect requires it. */
export async function deleteCollection(
  kind: Kind,
  namespace: string,
  options: ListOptions,
  how: DeleteOptions,
  caller: Caller,
): Promise<DeleteCollectionResult> {
  refuseUnread(kind, how);
  const page = await list(kind, namespace, options);
  let changed = false;
  for (let part: ListPart | undefined = page; part; part = await part.next?.()) {
    if (await deleteAll(kind, part.entries, how, caller)) changed = true;
  }
  const ctx = newContext(kind);
  warnOfOrphans(kind, how, ctx);
  const { warnings, dialect } = ctx;
  if (dialect.rules.deleteCollectionReturnsStatus) return { status: success(kind.ref), changed, warnings };
  return { list: page, changed, warnings };
}

/** Whether the deletes of some entries changed anything. */
async function deleteAll(kind: Kind, entries: readonly Entry[], how: DeleteOptions, caller: Caller): Promise<boolean> {
  const left = entries.values();
  let changed = false;
  const limit = kind.shared.api.clock.loop.slice();
  const worker = async (): Promise<void> => {
    for (const entry of left) {
      if (await deleteOne(kind, placeOf(entry), how, caller)) changed = true;
      // A store in memory is never asynchronous.
      if (limit.isOver) await limit.pause();
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return changed;
}

function placeOf({ key }: Entry): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return { namespace: slash < 0 ? "" : key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Whether this delete changed the object; an object that another client has deleted is no error. */
async function deleteOne(
  kind: Kind,
  place: { namespace: string; name: string },
  how: DeleteOptions,
  caller: Caller,
): Promise<boolean> {
  try {
    return (await deleteObject(kind, { ...place, subresource: "" }, how, caller)).changed;
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
    return false;
  }
}
