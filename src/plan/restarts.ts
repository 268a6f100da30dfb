/**
 * The Pods that changes of workloads would replace, and in which order. Only workloads with a changed template are checked, and only for a
 * user who may list the Pods of their namespaces.
 *
 * @module
 */
import type { DaemonSet, Deployment, Node, Pod, ReplicaSet, StatefulSet } from "../client/kinds/index.ts";
import type { PlannedRestart } from "../meta/plan-report.ts";
import { apiVersionOf } from "../meta/versions.ts";
import type { ApiObject } from "../schema/definition.ts";
import {
  type Restarts,
  judgeNodes,
  restartsOfDaemonSet,
  restartsOfDeployment,
  restartsOfStatefulSet,
} from "../workloads/restarts/restarts.ts";
import type { Compared } from "./findings.ts";

/** The names of Pods in a report, of all workloads together. */
const MAX_PODS = 1000;

/** The names of Pods of one workload. */
const MAX_PODS_OF_ONE = 100;

/** A changed object: its resource as `plural.group`, and where it is. */
export interface ChangedObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["deployments.apps", "Deployment"],
  ["statefulsets.apps", "StatefulSet"],
  ["daemonsets.apps", "DaemonSet"],
]);

/** Whether changes of a resource may restart Pods. */
export const mayRestart = (resource: string): boolean => KINDS.has(resource);

// The objects of the cache are those that a client reads.
const podOf = (object: ApiObject): Pod => object as unknown as Pod;
const setOf = (object: ApiObject): ReplicaSet => object as unknown as ReplicaSet;
const nodeOf = (object: ApiObject): Node => object as unknown as Node;

/** The restarts of some changed objects, in their order; those that restart none are left out. */
export async function restartsOf(
  compared: Compared,
  changed: readonly ChangedObject[],
): Promise<readonly PlannedRestart[]> {
  const found: PlannedRestart[] = [];
  const owned = { pods: controlled(compared, "pods", podOf), sets: controlled(compared, "replicasets.apps", setOf) };
  let left = MAX_PODS;
  for (const { resource, namespace, name } of changed) {
    const before = compared.before.get(resource, namespace, name);
    const after = compared.after.get(resource, namespace, name);
    if (!before || !after || before.metadata.uid !== after.metadata.uid) continue;
    if (!hasNewTemplate(before, after) || !(await compared.mayList("pods", namespace))) continue;
    const restarts = await restartsOfOne(compared, { resource, namespace, before, after, owned });
    await compared.pause();
    if (!restarts) continue;
    const reported = reportOf(restarts, { resource, namespace, name }, Math.min(left, MAX_PODS_OF_ONE));
    left -= reported.pods.length;
    found.push(reported);
  }
  return found;
}

const templateIn = (object: ApiObject): unknown =>
  (object as unknown as { readonly spec?: { readonly template?: unknown } }).spec?.template;

const hasNewTemplate = (before: ApiObject, after: ApiObject): boolean =>
  JSON.stringify(templateIn(before)) !== JSON.stringify(templateIn(after));

/** Returns the objects of a namespace before the plan, by the uid of their controller. */
type Controlled<T> = (namespace: string) => Promise<ReadonlyMap<string, readonly T[]>>;

/** Reads each namespace once, however many of its workloads change. */
function controlled<T extends Pod | ReplicaSet>(
  { before, pause }: Compared,
  resource: string,
  read: (object: ApiObject) => T,
): Controlled<T> {
  const known = new Map<string, ReadonlyMap<string, readonly T[]>>();
  return async (namespace) => {
    const found = known.get(namespace);
    if (found) return found;
    const objects = await before.collect(resource, read, namespace);
    await pause();
    const grouped = Map.groupBy(
      objects,
      ({ metadata }) => metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? "",
    );
    known.set(namespace, grouped);
    return grouped;
  };
}

interface ChangedWorkload {
  readonly resource: string;
  readonly namespace: string;
  readonly before: ApiObject;
  readonly after: ApiObject;
  readonly owned: { readonly pods: Controlled<Pod>; readonly sets: Controlled<ReplicaSet> };
}

async function restartsOfOne(
  compared: Compared,
  { resource, namespace, before, after, owned }: ChangedWorkload,
): Promise<Restarts | undefined> {
  const both = <T>() => ({ before: before as unknown as T, after: after as unknown as T });
  const { uid = "" } = after.metadata;
  const podsBy = await owned.pods(namespace);
  const pods = podsBy.get(uid) ?? [];
  if (resource === "statefulsets.apps") return restartsOfStatefulSet({ ...both<StatefulSet>(), pods });
  if (resource === "daemonsets.apps") {
    if (!(await compared.mayList("nodes", ""))) return undefined;
    const nodes = await compared.after.collect("nodes", nodeOf);
    const change = { ...both<DaemonSet>(), pods };
    for (const _ of judgeNodes(change.after.spec.template, nodes)) await compared.pause();
    return restartsOfDaemonSet(change, nodes, compared.now);
  }
  const sets = (await owned.sets(namespace)).get(uid) ?? [];
  const ofSets = sets.flatMap(({ metadata }) => podsBy.get(metadata.uid) ?? []);
  return restartsOfDeployment({ ...both<Deployment>(), pods: ofSets }, sets, compared.now);
}

function reportOf(restarts: Restarts, { resource, namespace, name }: ChangedObject, most: number): PlannedRestart {
  const { strategy, pods, maxUnavailable, maxSurge, stays, isPaused } = restarts;
  const names = pods.slice(0, most).map(({ metadata }) => metadata.name);
  return {
    object: { apiVersion: apiVersionOf("apps", "v1"), kind: KINDS.get(resource) ?? "", namespace, name },
    strategy,
    count: pods.length,
    pods: names,
    ...(names.length < pods.length ? { podsLeftOut: pods.length - names.length } : {}),
    maxUnavailable,
    maxSurge,
    ...(stays > 0 ? { stays } : {}),
    ...(isPaused ? { isPaused } : {}),
  };
}
