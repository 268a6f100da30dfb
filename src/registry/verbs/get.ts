/**
 * get: one object, as it is now or not older than a version (EP-11, DEC-25).
 *
 * @module
 */
import type { Entry } from "../../cache/index.ts";
import { notFound, storageUnreadable } from "../../meta/status.ts";
import type { Target } from "../contract.ts";
import { type Kind, keyOf } from "../kind/kind.ts";
import { formOf } from "../objects/lens.ts";
import { makeReady, objectOf } from "../versions/view.ts";
import { parseVersion, waitForRevision, waitUntilFresh } from "../kind/freshness.ts";

/** The entry of an object; 404, or 504 when the requested resourceVersion is newer than the store. */
export async function get(kind: Kind, target: Target, options: { readonly resourceVersion: string }): Promise<Entry> {
  const version = parseVersion(options.resourceVersion);
  if (version === undefined) await waitUntilFresh(kind);
  else if (version > kind.shared.cacher.revision) await waitForRevision(kind, version);
  const entry = kind.cache.get(keyOf(kind, target.namespace, target.name));
  if (!entry) throw notFound(kind.ref, target.name);
  if (entry.unreadable) throw storageUnreadable(entry.key);
  const wait = makeReady(kind, [entry]);
  if (wait) await wait;
  return formOf(kind, target.subresource).entry(entry, () => objectOf(kind, entry));
}
