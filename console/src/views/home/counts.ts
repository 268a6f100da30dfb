/**
 * How many objects of each kind there are.
 *
 * @module
 */
import type { Kind } from "../../api/discovery.ts";
import { ApiFailure, request } from "../../api/http.ts";
import { collectionPath, type KubeList } from "../../api/kube.ts";

/** A kind with the number of its objects. */
export interface KindCount {
  readonly kind: Kind;
  readonly count: number;
}

/** Requests that run at once. */
const AT_ONCE = 6;

/** The number of all objects of a list of which the first page was read. */
export function countOf({
  items,
  metadata,
}: Pick<KubeList, "metadata"> & { readonly items: KubeList["items"] | null }): number {
  // An empty list of metadata has no array.
  return (items ?? []).length + (metadata.remainingItemCount ?? 0);
}

/**
 * Counts the objects of every kind that can be listed, by a page of one object each; kinds that the user may not list are left out.
 * `onCount` gets every count.
 */
export async function countKinds(
  kinds: readonly Kind[],
  onCount: (count: KindCount) => void,
  options: { readonly signal: AbortSignal; readonly at?: string | undefined },
): Promise<void> {
  const waiting = kinds.filter(({ verbs }) => verbs.includes("list"));
  const worker = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind && !options.signal.aborted; kind = waiting.shift())
      try {
        const list = await request<Parameters<typeof countOf>[0]>(collectionPath(kind), {
          query: {
            limit: 1,
            ...(options.at === undefined ? {} : { resourceVersion: options.at, resourceVersionMatch: "Exact" }),
          },
          accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.5",
          signal: options.signal,
        });
        onCount({ kind, count: countOf(list) });
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.code === 401) return;
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
