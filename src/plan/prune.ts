/**
 * Which stored objects are deleted since they are not among the documents any more.
 *
 * By a selector: those that the manager has applied, of the kinds of the documents and of kubectl's list, in the namespaces of
 * the documents. By a set: those with its label, of the kinds and in the namespaces that its parent names.
 *
 * @module
 */
import type { Entry, ListPart, Resource } from "../registry/index.ts";
import type { PlanCaller, PlanFork, PlanParts } from "./contract.ts";
import { type Judged, entryOf } from "./judge.ts";
import { type SetContent, type SetParent, PART_OF, contentOf } from "./apply-set.ts";
import { type ResourceTarget, listInfo, targetOf } from "./target.ts";

/** The kinds that `kubectl apply --prune` deletes by default, but for Namespaces and PersistentVolumes, which are not in a namespace. */
const PRUNED: readonly (readonly [group: string, kind: string])[] = [
  ["", "ConfigMap"],
  ["", "Endpoints"],
  ["", "PersistentVolumeClaim"],
  ["", "Pod"],
  ["", "ReplicationController"],
  ["", "Secret"],
  ["", "Service"],
  ["apps", "DaemonSet"],
  ["apps", "Deployment"],
  ["apps", "ReplicaSet"],
  ["apps", "StatefulSet"],
  ["batch", "CronJob"],
  ["batch", "Job"],
  ["networking.k8s.io", "Ingress"],
];

/** An object to delete, and its state. */
export interface Pruned {
  readonly at: ResourceTarget;
  readonly entry: Entry;
}

/** The parts for finding them. */
export interface PruneParts {
  readonly parts: PlanParts;
  readonly fork: PlanFork;
  readonly caller: PlanCaller;
  readonly manager: string;
  readonly judged: readonly Judged[];
  /** Rejects where the plan has ended; a promise where others have to run first. */
  readonly pause: () => Promise<void>;
}

/** The objects of a set before the documents are applied; its content is empty where the parent does not exist. */
export async function contentBefore({ kinds }: PlanFork, parent: SetParent): Promise<SetContent> {
  const { kind, namespace, name } = parent;
  const at = targetOf(kinds, { apiVersion: "v1", kind, name, namespace }, namespace);
  const entry = await entryOf(kinds, at);
  return entry ? contentOf(parent, at.resource.object(entry)) : { groupKinds: [], namespaces: [] };
}

/** The members of a set by its documents. */
export function contentAfter(judged: readonly Judged[]): SetContent {
  const placed = judged.flatMap(({ at }) => at ?? []);
  return {
    groupKinds: [...new Set(placed.map(({ resource }) => groupKindOf(resource)))],
    namespaces: [...new Set(placed.flatMap(({ target }) => target.namespace || []))],
  };
}

/** The objects of a set that are not among the documents. */
export async function prunedOfSet(
  parts: PruneParts,
  parent: SetParent,
  before: SetContent,
): Promise<readonly Pruned[]> {
  const resources = resourcesOf(parts.fork, (resource) => before.groupKinds.includes(groupKindOf(resource)));
  return find(parts, resources, before.namespaces, `${PART_OF}=${parent.id}`, () => true);
}

/** The objects that a selector selects and that are not among the documents. */
export async function prunedBySelector(parts: PruneParts, selector: string): Promise<readonly Pruned[]> {
  const { groupKinds, namespaces } = contentAfter(parts.judged);
  const known = new Set([...groupKinds, ...PRUNED.map(([group, kind]) => (group === "" ? kind : `${kind}.${group}`))]);
  const resources = resourcesOf(parts.fork, (resource) => known.has(groupKindOf(resource)));
  const { manager } = parts;
  return find(parts, resources, namespaces, selector, (resource, entry) =>
    (resource.object(entry).metadata.managedFields ?? []).some(
      (owner) => owner.manager === manager && owner.operation === "Apply",
    ),
  );
}

const groupKindOf = ({ definition: { group, kind } }: Resource): string => (group === "" ? kind : `${kind}.${group}`);

/** One resource for each group and kind: the first in the order of discovery. */
function resourcesOf({ kinds }: PlanFork, isMeant: (resource: Resource) => boolean): readonly Resource[] {
  const found = new Map<string, Resource>();
  for (const resource of kinds.resources) {
    const id = groupKindOf(resource);
    if (resource.storage && !found.has(id) && isMeant(resource)) found.set(id, resource);
  }
  return [...found.values()];
}

async function find(
  { parts, fork, caller, judged, pause }: PruneParts,
  resources: readonly Resource[],
  namespaces: readonly string[],
  selector: string,
  isPruned: (resource: Resource, entry: Entry) => boolean,
): Promise<readonly Pruned[]> {
  const applied = new Set(judged.flatMap(({ at }) => (at ? keyOf(at) : [])));
  const pruned: Pruned[] = [];
  for (const resource of resources) {
    for (const namespace of resource.definition.scope === "Namespaced" ? new Set(namespaces) : [""]) {
      await pause();
      await parts.permit(fork.authorizer(), caller.identity, listInfo(resource.definition, namespace));
      for await (const entry of selected(resource, namespace, selector)) {
        await pause();
        const { name = "" } = resource.object(entry).metadata;
        const at = { resource, target: { namespace, name, subresource: "" } };
        if (!applied.has(keyOf(at)) && isPruned(resource, entry)) pruned.push({ at, entry });
      }
    }
  }
  return pruned;
}

async function* selected(resource: Resource, namespace: string, labelSelector: string): AsyncGenerator<Entry> {
  const list = await resource.list(namespace, { ...ALL, labelSelector });
  for (let part: ListPart | undefined = list; part; part = await part.next?.()) yield* part.entries;
}

const ALL = { fieldSelector: "", limit: 0, continue: "", resourceVersion: "", resourceVersionMatch: "" } as const;

const keyOf = ({ resource, target: { namespace, name } }: ResourceTarget): string =>
  `${groupKindOf(resource)} ${namespace}/${name}`;
