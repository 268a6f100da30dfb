/**
 * What a namespace holds: the kinds, in the order in which they go, and what is left of each.
 *
 * @module
 */
import { type Client, type ServedKind, metadataOf, preferredKinds } from "../../client/index.ts";
import type { Remaining } from "./conditions.ts";

/** Stands in `spec.finalizers` of a namespace until nothing is left in it. */
export const NAMESPACE_FINALIZER = "kubernetes";
/** Created by nothing in the namespace itself, so that reports of the end can still be written. */
const EVENT_KIND = "Event";
/** Of more than so many the finalizers are not counted. */
const MAX_COUNTED = 500;

/** What is left of a kind in a namespace; undefined for nothing. */
export async function remainingIn(
  client: Client,
  kind: ServedKind,
  namespace: string,
  signal?: AbortSignal,
): Promise<Remaining | undefined> {
  const { items, metadata } = await client.resource(metadataOf(kind)).list({ namespace, limit: MAX_COUNTED, signal });
  if (items.length === 0) return undefined;
  const finalizers = new Map<string, number>();
  for (const name of items.flatMap((item) => item.metadata.finalizers ?? [])) {
    finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  }
  return { kind, count: items.length + (metadata.remainingItemCount ?? 0), finalizers };
}

/** Every kind that a namespace can hold, each in one version: Pods first, Events last. */
export function contentOf(served: readonly ServedKind[]): readonly ServedKind[] {
  const rank = (kind: ServedKind): number => (isOfPods(kind) ? 0 : kind.kind === EVENT_KIND ? 2 : 1);
  return preferredKinds(served)
    .filter(isContent)
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a kind is that of Pods, which go before all others. */
export const isOfPods = ({ group, plural }: Pick<ServedKind, "group" | "plural">): boolean =>
  group === "" && plural === "pods";

const isContent = ({ scope, verbs }: ServedKind): boolean =>
  scope === "Namespaced" && verbs.includes("deletecollection") && verbs.includes("list");
