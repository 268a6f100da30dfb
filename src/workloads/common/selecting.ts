/**
 * Finds the objects that a selector matches, and the owners of selectors that match an object, without a scan of all of them: objects
 * are indexed by each of their labels, selectors by one label that they require.
 */
import type { ApiObject } from "../../client/kind.ts";
import type { LabelSelector } from "../../meta/selectors.ts";

/** The bucket of all objects of a namespace. */
const everything = (namespace: string): string => `${namespace}/`;

const bucketOfLabel = (namespace: string, key: string, value: string): string => `${namespace}/${key}=${value}`;

/** Indexes objects by their namespace, and in it by each of their labels. */
export function labelBuckets({
  metadata: { namespace = "", labels },
}: {
  readonly metadata: Pick<ApiObject["metadata"], "namespace" | "labels">;
}): readonly string[] {
  const buckets = [everything(namespace)];
  if (labels) for (const key of Object.keys(labels)) buckets.push(bucketOfLabel(namespace, key, labels[key]!));
  return buckets;
}

/** The bucket of {@link labelBuckets} that has every object of a namespace that a selector selects. */
export function bucketOfSelector(namespace: string, { equalityPairs: [pair] }: LabelSelector): string {
  return pair ? bucketOfLabel(namespace, pair[0], pair[1]) : everything(namespace);
}

/** The bucket of {@link labelBuckets} that has every object of a namespace with all of some labels. */
export function bucketOfLabels(namespace: string, labels: Readonly<Record<string, string>>): string {
  const key = Object.keys(labels).toSorted()[0];
  return key === undefined ? everything(namespace) : bucketOfLabel(namespace, key, labels[key]!);
}

/** Whether an object has all of some labels. */
export function hasLabels({ metadata: { labels = {} } }: ApiObject, wanted: Readonly<Record<string, string>>): boolean {
  for (const key of Object.keys(wanted)) if (!Object.hasOwn(labels, key) || labels[key] !== wanted[key]) return false;
  return true;
}
