/**
 * The objects of a namespace by their positions in the order of lists, now or at a revision.
 *
 * @module
 */
import { CacheError, type Entry, type Snapshot, TooMuch, passes } from "../../cache/index.ts";
import { badRequest, expired, storageUnreadable, tooLarge } from "../../meta/status.ts";
import type { ObjectRange, PastOptions } from "../contract.ts";
import { cacheError, failureOf } from "../kind/errors.ts";
import type { Kind } from "../kind/kind.ts";
import { selectionOf } from "./selection.ts";

/** The objects of a namespace (empty: all) as they are now. Throws `ApiError`. */
export function present(kind: Kind, namespace: string): ObjectRange {
  try {
    return rangeOf(kind.cache.snapshot(), prefixOf(kind, namespace), 0);
  } catch (error) {
    throw failureOf(error);
  }
}

/** The same at a revision. Rejects with `ApiError`. */
export async function past(
  kind: Kind,
  namespace: string,
  revision: number,
  { maxBytes, signal }: PastOptions,
): Promise<ObjectRange> {
  const { cacher } = kind.shared;
  if (revision > cacher.revision) {
    throw badRequest(`expected a version that was reached: the newest is ${cacher.revision}, got ${revision}`);
  }
  const prefix = prefixOf(kind, namespace);
  try {
    const { snapshot, bytes } = await kind.cache.recallPart(revision, { prefix, maxBytes, signal });
    return rangeOf(snapshot, prefix, bytes);
  } catch (error) {
    if (error instanceof CacheError && error.code === "compacted") {
      throw expired(`version ${revision} is older than what is kept: ${error.message}`);
    }
    if (!(error instanceof TooMuch)) throw cacheError(error, revision, cacher.revision);
    throw tooLarge(
      `expected at most ${maxBytes >> 20} MiB of objects at version ${revision}, found more: choose one namespace, or a later time`,
    );
  }
}

/** Whether an entry of that namespace, whose view is ready, matches two selectors. Throws 400 where they cannot be read. */
export function selector(
  kind: Kind,
  namespace: string,
  labelSelector: string,
  fieldSelector: string,
): (entry: Entry) => boolean {
  const selection = selectionOf(kind, namespace, labelSelector, fieldSelector);
  const { key, late } = selection;
  return (entry) =>
    (key === undefined || entry.key === key) && passes(selection, entry) && (late === undefined || late(entry));
}

const prefixOf = ({ namespaced }: Kind, namespace: string): string =>
  namespaced && namespace !== "" ? `${namespace}/` : "";

function rangeOf(snapshot: Snapshot, prefix: string, bytes: number): ObjectRange {
  const unreadable = snapshot.unreadable({ prefix });
  if (unreadable) throw storageUnreadable(unreadable.key);
  return {
    revision: snapshot.revision,
    size: snapshot.count(prefix),
    bytes,
    entries: (offset, count) => snapshot.range(prefix, offset, count),
  };
}
