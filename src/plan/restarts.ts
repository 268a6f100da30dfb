/**
 * Which Pods the changes of workloads would replace, and in which order. Only workloads whose template changes are looked at, and only by
 * a user who may list the Pods of their namespaces.
 *
 * @module
 */
import type { DaemonSet, Deployment, Node, Pod, ReplicaSet, StatefulSet } from "../client/kinds/index.ts";
import type { PlannedRestart } from "../meta/plan-report.ts";
import { apiVersionOf } from "../meta/versions.ts";
import type { ApiObject } from "../schema/definition.ts";
import {
  type Restarts,
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
  const ownedIn = new Map<string, ReadonlyMap<string, readonly Pod[]>>();
  let left = MAX_PODS;
  for (const { resource, namespace, name } of changed) {
    const before = compared.before.get(resource, namespace, name);
    const after = compared.after.get(resource, namespace, name);
    if (!before || !after || before.metadata.uid !== after.metadata.uid) continue;
    if (!hasNewTemplate(before, after) || !(await compared.mayList("pods", namespace))) continue;
    const owned = ownedIn.get(namespace) ?? (await podsByController(compared, namespace));
    ownedIn.set(namespace, owned);
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

async function podsByController(
  { before, pause }: Compared,
  namespace: string,
): Promise<ReadonlyMap<string, readonly Pod[]>> {
  const pods = await before.collect("pods", podOf, namespace);
  await pause();
  return Map.groupBy(pods, (pod) => pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? "");
}

interface ChangedWorkload {
  readonly resource: string;
  readonly namespace: string;
  readonly before: ApiObject;
  readonly after: ApiObject;
  /** The Pods of the namespace, by the uid of their controller. */
  readonly owned: ReadonlyMap<string, readonly Pod[]>;
}

async function restartsOfOne(
  compared: Compared,
  { resource, namespace, before, after, owned }: ChangedWorkload,
): Promise<Restarts | undefined> {
  const both = <T>() => ({ before: before as unknown as T, after: after as unknown as T });
  const { uid = "" } = after.metadata;
  if (resource === "statefulsets.apps")
    return restartsOfStatefulSet({ ...both<StatefulSet>(), pods: owned.get(uid) ?? [] });
  if (resource === "daemonsets.apps") {
    if (!(await compared.mayList("nodes", ""))) return undefined;
    const nodes = await compared.after.collect("nodes", nodeOf);
    return restartsOfDaemonSet({ ...both<DaemonSet>(), pods: owned.get(uid) ?? [] }, nodes, compared.now);
  }
  const sets = await compared.before.collect("replicasets.apps", setOf, namespace);
  const own = sets.filter(({ metadata }) => metadata.ownerReferences?.some((one) => one.controller && one.uid === uid));
  const pods = own.flatMap(({ metadata }) => owned.get(metadata.uid) ?? []);
  return restartsOfDeployment({ ...both<Deployment>(), pods }, own, compared.now);
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
