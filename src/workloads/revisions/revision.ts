/**
 * ControllerRevisions: the templates that a StatefulSet or DaemonSet has had, each with an increasing number (WL-STS-5, WL-DS-7).
 *
 * A revision stores its template as a strategic merge patch of the owner, in the form that `kubectl rollout` reads.
 */
import type { ApiObject, NewObject } from "../../client/kind.ts";
import type { ControllerRevision } from "../../client/kinds/index.ts";
import type { Steps } from "../../util/steps.ts";
import { canonicalJson } from "../../value/canonical.ts";
import type { Value } from "../../value/value.ts";
import { ownedBy } from "../common/ownership.ts";
import { type PodTemplate, hashesOf } from "../common/template.ts";

/** The data of the revision of a template: a patch that replaces the template of the owner. */
export const dataOf = (template: PodTemplate): { readonly spec: { readonly template: PodTemplate } } => ({
  spec: { template: { ...template, $patch: "replace" } as PodTemplate },
});

/** Returns the template of a revision; undefined where its data is not such a patch. */
export function templateOf({ data }: Pick<ControllerRevision, "data">): PodTemplate | undefined {
  const template = memberOf(memberOf(data, "spec"), "template");
  if (typeof template !== "object" || template === null || Array.isArray(template)) return undefined;
  const { $patch: _, ...bare } = template as Readonly<Record<string, unknown>>;
  return bare as unknown as PodTemplate;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

const texts = new WeakMap<object, string>();

/** The canonical text of a part of an immutable object; it is computed once. */
function textOf<T extends object>(part: T, dataOfPart: (part: T) => unknown): string {
  let text = texts.get(part);
  if (text === undefined) texts.set(part, (text = canonicalJson(dataOfPart(part) as Value)));
  return text;
}

/** The canonical text of the data of a revision; undefined where it is no object. */
const textOfRevision = ({ data }: Pick<ControllerRevision, "data">): string | undefined =>
  typeof data === "object" && data !== null ? textOf(data, (own) => own) : undefined;

/** Whether a revision has a template. */
export const isRevisionOf = (revision: Pick<ControllerRevision, "data">, template: PodTemplate): boolean =>
  textOfRevision(revision) === textOf(template, dataOf);

/** Reads revisions in slices before {@link isRevisionOf} is used: each may have megabytes. */
export function* readRevisions(revisions: readonly ControllerRevision[]): Steps<void> {
  for (const revision of revisions) {
    textOfRevision(revision);
    yield;
  }
}

/** Compares revisions by number, then by age and name: the latest comes last. */
export function byNumber(a: ControllerRevision, b: ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  const [ofA, ofB] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (ofA !== ofB) return ofA < ofB ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** The hashes of a template for the name and label of its revision, one for each count of collisions (WL-GEN-8). */
export const hashesOfTemplate = (template: PodTemplate): ((collisionCount: number | undefined) => string) =>
  hashesOf(dataOf(template));

/** Creates the revision of a template; the owner is its controller, and its annotations are copied. */
export function newRevision(
  owner: ApiObject,
  template: PodTemplate,
  own: { readonly hash: string; readonly label: string; readonly revision: number },
): NewObject<ControllerRevision> {
  const { annotations, name } = owner.metadata;
  const metadata = {
    name: `${name}-${own.hash}`,
    labels: { ...template.metadata?.labels, [own.label]: own.hash },
    ...(annotations ? { annotations } : {}),
  };
  return ownedBy({ metadata, data: dataOf(template), revision: own.revision } as NewObject<ControllerRevision>, owner);
}
