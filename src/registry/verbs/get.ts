/**
 * get: one object, as it is now or not older than a version (EP-11, DEC-25).
 *
 * @module
 */
import type { Entry } from "../../cache/index.ts";
import { notFound } from "../../meta/status.ts";
import type { Target } from "../contract.ts";
import { cacheError, storeError } from "../errors.ts";
import { type Kind, keyOf } from "../kind.ts";
import { formOf } from "../lens.ts";
import { makeReady, objectOf } from "../versions/view.ts";
import { parseVersion } from "./versions.ts";

const WAIT_MS = 3000;

/** The entry of an object; 404, or 504 when the version asked for is beyond the present. */
export async function get(kind: Kind, target: Target, options: { readonly resourceVersion: string }): Promise<Entry> {
  const version = parseVersion(options.resourceVersion);
  if (version === undefined) await present(kind);
  else if (version > kind.shared.cacher.revision) await reach(kind, version);
  const entry = kind.cache.get(keyOf(kind, target.namespace, target.name));
  if (!entry) throw notFound(kind.ref, target.name);
  const wait = makeReady(kind, [entry]);
  if (wait) await wait;
  return formOf(kind, target.subresource).entry(entry, () => objectOf(kind, entry));
}

/** Waits until the cache has everything that was committed before this moment, through whatever server. */
export async function present(kind: Kind): Promise<void> {
  const { cacher, store } = kind.shared;
  let wanted: number;
  try {
    wanted = await store.currentRevision();
  } catch (error) {
    throw storeError(kind, "", error);
  }
  if (wanted > cacher.revision) await reach(kind, wanted);
}

/** Waits until the cache has a revision; 504 Timeout when it does not come. */
export async function reach(kind: Kind, revision: number): Promise<void> {
  const { cacher } = kind.shared;
  try {
    await cacher.waitFor(revision, { timeoutMs: WAIT_MS });
  } catch (error) {
    throw cacheError(error, revision, cacher.revision);
  }
}
