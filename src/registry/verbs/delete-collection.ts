/**
 * deletecollection: deletes what a list selects, each object as a single delete would (DEC-26, EP-21).
 *
 * @module
 */
import { hasReason, success } from "../../meta/status.ts";
import type { Caller, DeleteCollectionResult, DeleteOptions, ListOptions } from "../contract.ts";
import type { Kind } from "../kind.ts";
import { newContext } from "../pipeline.ts";
import { deleteObject } from "./delete.ts";
import { list } from "./list.ts";

const SIDE_BY_SIDE = 16;

/** Deletes a page (or all) of a collection; answers a Status, or the list of what was there where the dialect says so. */
export async function deleteCollection(
  kind: Kind,
  namespace: string,
  options: ListOptions,
  how: DeleteOptions,
  caller: Caller,
): Promise<DeleteCollectionResult> {
  const page = await list(kind, namespace, options);
  const names = page.entries.map((entry) => {
    const slash = entry.key.indexOf("/");
    return { namespace: slash < 0 ? "" : entry.key.slice(0, slash), name: entry.key.slice(slash + 1) };
  });
  let next = 0;
  let changed = false;
  const worker = async (): Promise<void> => {
    while (next < names.length) if (await deleteOne(kind, names[next++]!, how, caller)) changed = true;
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  const { warnings, dialect } = newContext(kind);
  if (dialect.rules.deleteCollectionAnswersStatus) return { status: success(kind.ref), changed, warnings };
  return { list: page, changed, warnings };
}

/** Whether this delete changed the object; one that is gone already was deleted by somebody else, which is as good. */
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
