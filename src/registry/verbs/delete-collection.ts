/**
 * deletecollection: deletes what a list selects, each object as a single delete would (DEC-26, EP-21).
 *
 * @module
 */
import { hasReason, success } from "../../meta/status.ts";
import type { Caller, DeleteOptions, ListOptions } from "../contract.ts";
import { type Kind, objectOf } from "../kind.ts";
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
): Promise<{ readonly bytes: Uint8Array; readonly warnings: readonly string[] }> {
  const page = await list(kind, namespace, options);
  const names = page.entries.map((entry) => {
    const slash = entry.key.indexOf("/");
    return { namespace: slash < 0 ? "" : entry.key.slice(0, slash), name: entry.key.slice(slash + 1) };
  });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < names.length) await deleteOne(kind, names[next++]!, how, caller);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  const { warnings, dialect } = newContext(kind);
  if (dialect.rules.deleteCollectionAnswersStatus) {
    return { bytes: Buffer.from(JSON.stringify(success(kind.ref))), warnings };
  }
  const items = page.entries.map((entry) => {
    const object = objectOf(kind, entry);
    const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
    return dialect.rules.itemsCarryKind ? object : item;
  });
  const head = {
    kind: kind.definition.listKind ?? `${kind.definition.kind}List`,
    apiVersion: kind.apiVersion,
    metadata: { resourceVersion: String(page.revision), ...(page.continue ? { continue: page.continue } : {}) },
  };
  return { bytes: Buffer.from(JSON.stringify({ ...head, items })), warnings };
}

/** An object that is gone already was deleted by somebody else, which is as good. */
async function deleteOne(
  kind: Kind,
  place: { namespace: string; name: string },
  how: DeleteOptions,
  caller: Caller,
): Promise<void> {
  try {
    await deleteObject(kind, { ...place, subresource: "" }, how, caller);
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
  }
}
