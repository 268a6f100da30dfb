/**
 * Which kinds the view reads, and how their followed lists become the objects of the rows.
 *
 * @module
 */
import type { Kind } from "../../api/discovery.ts";
import type { FollowedMany } from "../../ui/follow-many.ts";
import type { WorkloadObjects } from "./model.ts";

/** The lists by their names: the plural of each, and the group; those that change most come first. */
const LISTS: Readonly<Record<keyof WorkloadObjects, readonly [resource: string, group: string]>> = {
  pods: ["pods", ""],
  deployments: ["deployments", "apps"],
  jobs: ["jobs", "batch"],
  replicaSets: ["replicasets", "apps"],
  statefulSets: ["statefulsets", "apps"],
  daemonSets: ["daemonsets", "apps"],
  revisions: ["controllerrevisions", "apps"],
  cronJobs: ["cronjobs", "batch"],
};

/** What the lists are called. */
export const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(LISTS).map(([name, [resource]]) => [name, resource]),
);

/** The plural of each kind of a row. */
const RESOURCES: Readonly<Record<string, string>> = {
  Deployment: "deployments",
  ReplicaSet: "replicasets",
  StatefulSet: "statefulsets",
  DaemonSet: "daemonsets",
  ControllerRevision: "controllerrevisions",
  CronJob: "cronjobs",
  Job: "jobs",
  Pod: "pods",
};

/** Returns the kinds of the lists; undefined for one that is not served. */
export function workloadKinds(kinds: readonly Kind[]): Record<string, Kind | undefined> {
  return Object.fromEntries(
    Object.entries(LISTS).map(([name, [resource, group]]) => [
      name,
      kinds.find((kind) => kind.resource === resource && kind.group === group),
    ]),
  );
}

/** The served kind of a row. */
export const kindOfRow = (kinds: readonly Kind[], kind: string): Kind | undefined =>
  kinds.find(({ resource, group }) => resource === RESOURCES[kind] && ["", "apps", "batch"].includes(group));

/** The objects of followed lists. */
export const objectsIn = ({ lists }: FollowedMany): WorkloadObjects =>
  Object.fromEntries(
    Object.keys(LISTS).map((name) => [name, lists[name]?.objects ?? []]),
  ) as unknown as WorkloadObjects;
