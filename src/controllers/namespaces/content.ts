/** The content of a namespace: its kinds in the order of deletion, and what remains of each. */
import { type Client, type ServedKind, metadataOf, preferredKinds } from "../../client/index.ts";
import type { Remaining } from "./conditions.ts";

/** In `spec.finalizers` of a namespace until it is empty. */
export const NAMESPACE_FINALIZER = "kubernetes";
/** Deleted last, so that controllers can still report. */
const EVENT_KIND = "Event";
/** Finalizers are counted in at most this many objects of a kind. */
const MAX_COUNTED = 500;

/** Returns what remains of a kind in a namespace; undefined for nothing. */
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

/** Returns the kinds of a namespace, each in one version: Pods first, Events last. */
export function contentOf(served: readonly ServedKind[]): readonly ServedKind[] {
  const rank = (kind: ServedKind): number => (isOfPods(kind) ? 0 : kind.kind === EVENT_KIND ? 2 : 1);
  return preferredKinds(served)
    .filter(isContent)
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a kind is Pod. */
export const isOfPods = ({ group, plural }: Pick<ServedKind, "group" | "plural">): boolean =>
  group === "" && plural === "pods";

const isContent = ({ scope, verbs }: ServedKind): boolean =>
  scope === "Namespaced" && verbs.includes("deletecollection") && verbs.includes("list");
