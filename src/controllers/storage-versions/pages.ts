/**
 * The objects of a resource, page by page, and each of them written again as it is.
 *
 * @module
 */
import { type ApiObject, type List, type ResourceClient, attempt, isStatus } from "../../client/index.ts";
import { isAtLeast } from "../../runtime/version.ts";

/** Objects that are listed at once. */
const PAGE_SIZE = 100;
/** Objects that are written side by side. */
const CONCURRENT_WRITES = 20;

/** Lists the page of a token. A past that is not kept any more is gone on with, a token that is none begins anew. */
export async function pageOf(resource: ResourceClient, token: string | undefined): Promise<List<ApiObject>> {
  const page = { limit: PAGE_SIZE };
  if (!token) return resource.list(page);
  try {
    return await resource.list({ ...page, continue: token });
  } catch (error) {
    if (!isStatus(error, "Expired", "BadRequest")) throw error;
    const { continue: next } = error.status.metadata;
    return resource.list({ ...page, ...(next ? { continue: next } : {}) });
  }
}

/**
 * Writes objects again by applies that say nothing of them; who was changed meanwhile, or is gone, is done (CTL-SVM-3). Gives
 * back how many were written.
 *
 * @param seen what is younger than this version is stored as it should be
 */
export async function rewrite(
  resource: ResourceClient,
  objects: readonly ApiObject[],
  seen: string,
  fieldManager: string,
): Promise<number> {
  const old = objects.filter(({ metadata: { resourceVersion } }) => isAtLeast(seen, resourceVersion));
  for (let at = 0; at < old.length; at += CONCURRENT_WRITES) {
    const written = old
      .slice(at, at + CONCURRENT_WRITES)
      .map(async ({ metadata: { name, namespace, uid, resourceVersion } }) => {
        const metadata = { name, ...(namespace ? { namespace } : {}), uid, resourceVersion };
        return attempt(resource.apply({ metadata }, { fieldManager, force: true }), "Conflict", "NotFound");
      });
    await Promise.all(written);
  }
  return old.length;
}
