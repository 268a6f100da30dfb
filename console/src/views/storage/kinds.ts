/**
 * Which kinds the view reads, and how their followed lists become the objects of the picture.
 *
 * @module
 */
import type { Kind } from "../../api/discovery.ts";
import { kubernetes, neutral, type Dialect } from "../../../../src/meta/dialect.ts";
import type { FollowedMany } from "../../ui/follow-many.ts";
import type { StorageObjects } from "./objects.ts";

/** The plurals of the lists, by the members of {@link StorageObjects}. */
export const RESOURCES: Readonly<Record<keyof StorageObjects, string>> = {
  claims: "persistentvolumeclaims",
  volumes: "persistentvolumes",
  classes: "storageclasses",
  attachments: "volumeattachments",
  nodes: "nodes",
  drivers: "csidrivers",
  csiNodes: "csinodes",
  capacities: "csistoragecapacities",
};

const NAMES = Object.keys(RESOURCES) as readonly (keyof StorageObjects)[];

/** Returns the kinds of the lists; undefined for one that is not served. Built-in kinds are of the core or a storage group. */
export function storageKinds(kinds: readonly Kind[]): Record<keyof StorageObjects, Kind | undefined> {
  const find = (resource: string): Kind | undefined =>
    kinds.find((kind) => kind.resource === resource && (kind.group === "" || kind.group.startsWith("storage.")));
  return Object.fromEntries(NAMES.map((name) => [name, find(RESOURCES[name])])) as Record<
    keyof StorageObjects,
    Kind | undefined
  >;
}

/** The lists of which not all objects are known. */
export const partialLists = ({ lists }: FollowedMany): ReadonlySet<keyof StorageObjects> =>
  new Set(NAMES.filter((name) => lists[name]?.state === "failed" || lists[name]?.truncated));

/** The dialect of a server, by the groups that it serves. */
export const dialectOf = (kinds: readonly Kind[]): Dialect =>
  kinds.some(({ group }) => group === `storage.${kubernetes.domain}`) ? kubernetes : neutral;

/** The objects of followed lists. */
export function objectsIn({ lists }: FollowedMany): StorageObjects {
  return Object.fromEntries(NAMES.map((name) => [name, lists[name]?.objects ?? []])) as unknown as StorageObjects;
}
