/** Lists the objects of a resource in pages and writes each again unchanged. */
import { type ApiObject, type List, type ResourceClient, attempt, isStatus } from "../../client/index.ts";
import { isAtLeast } from "../../runtime/version.ts";

const PAGE_SIZE = 100;
const CONCURRENT_WRITES = 20;

/** Lists a page. An expired token continues with the one in the error; an invalid one starts over. */
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
 * Writes objects again by empty applies, and returns how many. Changed and deleted objects are done (CTL-SVM-3).
 *
 * @param seen objects newer than this version are skipped
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
