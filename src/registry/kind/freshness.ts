/**
 * How recent the data of a read must be: the requested version, and the wait until the cache has it (DEC-25).
 *
 * @module
 */
import { badRequest } from "../../meta/status.ts";
import { cacheError, storeError } from "./errors.ts";
import type { Kind } from "./kind.ts";

const WAIT_MILLIS = 3000;

/** Reads a `resourceVersion` parameter: undefined when unset, a number of at least 0 otherwise; anything else is 400. */
export function parseVersion(text: string): number | undefined {
  if (text === "") return undefined;
  const version = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(version)) {
    throw badRequest(`expected resourceVersion to be a number from 0 up, got "${text.slice(0, 100)}"`);
  }
  return version;
}

/** The cache that objects are read from, and the names for errors. */
interface Reading extends Pick<Kind, "ref"> {
  readonly shared: Pick<Kind["shared"], "cacher" | "store">;
}

/** Waits until the cache has everything that was committed before this moment, through any server. */
export async function waitUntilFresh(kind: Reading): Promise<void> {
  const { cacher, store } = kind.shared;
  let wanted: number;
  try {
    wanted = await store.currentRevision();
  } catch (error) {
    throw storeError(kind, "", error);
  }
  if (wanted > cacher.revision) await waitForRevision(kind, wanted);
}

/** Waits until the cache has a revision; 504 Timeout when it does not get it. */
export async function waitForRevision(kind: Pick<Reading, "shared">, revision: number): Promise<void> {
  const { cacher } = kind.shared;
  try {
    await cacher.waitFor(revision, { timeoutMs: WAIT_MILLIS });
  } catch (error) {
    throw cacheError(error, revision, cacher.revision);
  }
}
