import type { View } from "../view.ts";
import { keyText } from "../../../client/index.ts";
import type { Demand, Needs } from "../filter.ts";
import { topics } from "../topics.ts";

const OBSTACLE = [
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
];

/** A ReadWriteOncePod claim in use excludes a second Pod on every node (SCHED-46, SCHED-50). */
export function exclusiveClaims({ info, claims }: Needs, view: View): Demand | undefined {
  const all = [...claims.bound.map(({ claim }) => claim), ...claims.delayed];
  const exclusive = all.filter(({ spec }) => spec.accessModes?.includes("ReadWriteOncePod"));
  const users = exclusive.flatMap(({ metadata }) => view.usersOf(keyText(metadata)));
  const others = users.filter((user) => user.info.uid !== info.uid);
  if (others.length === 0) return undefined;
  return {
    on: (node) => (others.every((user) => node.isWithout(user.info.uid)) ? undefined : OBSTACLE),
    waitsFor: [topics.podDeleted, topics.podAdded],
    isResolvable: true,
    who: `a user who deletes the pod ${others[0]!.info.key}`,
  };
}
