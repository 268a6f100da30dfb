/** The five conditions of a namespace that is being deleted, with the messages of Kubernetes. */
import type { ServedKind } from "../../client/index.ts";
import type { NewCondition } from "../../runtime/conditions.ts";
import { messageOf } from "../../util/error.ts";

/** The remaining objects of a kind. */
export interface Remaining {
  readonly kind: Pick<ServedKind, "group" | "plural">;
  readonly count: number;
  /** The number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** The result of the deletion of the content. */
export interface Content {
  readonly remaining: readonly Remaining[];
  /** The number of Pods that are terminating; nothing else has been deleted yet. */
  readonly leaving: number;
  /** The errors of kinds that could not be deleted. */
  readonly errors: readonly unknown[];
  /** The error of discovery. */
  readonly discovery?: unknown;
}

const NO_PROBLEM = {
  NamespaceDeletionDiscoveryFailure: ["ResourcesDiscovered", "All resources successfully discovered"],
  NamespaceDeletionGroupVersionParsingFailure: ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
  NamespaceDeletionContentFailure: [
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  NamespaceContentRemaining: ["ContentRemoved", "All content successfully removed"],
  NamespaceFinalizersRemaining: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
} as const;

type Type = keyof typeof NO_PROBLEM;

/** Returns the five conditions for a result. */
export function contentConditions({ remaining, leaving, errors, discovery }: Content): readonly NewCondition[] {
  const problems: Partial<Record<Type, readonly [reason: string, message: string]>> = {};
  if (discovery !== undefined) {
    const message = `Discovery failed, so nothing is known of the content: ${messageOf(discovery)}`;
    problems.NamespaceDeletionDiscoveryFailure = ["DiscoveryFailed", message];
  }
  const failures = [...errors.map(messageOf), ...(leaving > 0 ? [`${leaving} pods are given their time to end`] : [])];
  if (failures.length > 0) {
    const message = `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(", ")}`;
    problems.NamespaceDeletionContentFailure = ["ContentDeletionFailed", message];
  }
  if (remaining.length > 0) {
    const lines = remaining.map(
      ({ kind: { plural, group }, count }) => `${plural}.${group} has ${count} resource instances`,
    );
    const message = `Some resources are remaining: ${lines.toSorted().join(", ")}`;
    problems.NamespaceContentRemaining = ["SomeResourcesRemain", message];
  }
  const finalizers = [...sumOf(remaining)].map(([name, count]) => `${name} in ${count} resource instances`);
  if (finalizers.length > 0) {
    const message = `Some content in the namespace has finalizers remaining: ${finalizers.toSorted().join(", ")}`;
    problems.NamespaceFinalizersRemaining = ["SomeFinalizersRemain", message];
  }
  return (Object.keys(NO_PROBLEM) as Type[]).map((type) => {
    const [reason, message] = problems[type] ?? NO_PROBLEM[type];
    return { type, status: problems[type] !== undefined, reason, message };
  });
}

function sumOf(remaining: readonly Remaining[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { finalizers } of remaining) {
    for (const [name, count] of finalizers) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return sums;
}
