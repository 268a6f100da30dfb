/**
 * Kinds in the order in which people look for them.
 *
 * @module
 */
import type { Kind } from "../api/discovery.ts";
import { namesOf } from "./commands.ts";

/** Kinds that stand together. */
export interface KindGroup {
  readonly title: string;
  readonly kinds: readonly Kind[];
}

/** These have what is looked for most; then come groups of definitions, then the others of Kubernetes. */
const FIRST = ["", "apps", "batch", "storage.k8s.io", "networking.k8s.io", "rbac.authorization.k8s.io"];

/** The kinds that can be listed and have this text in a name or in their group, by group. */
export function groupKinds(kinds: readonly Kind[], searched: string): KindGroup[] {
  const text = searched.trim().toLowerCase();
  const groups = new Map<string, Kind[]>();
  for (const kind of kinds) {
    if (!kind.verbs.includes("list")) continue;
    if (text !== "" && ![...namesOf(kind), kind.group].some((name) => name.includes(text))) continue;
    const members = groups.get(kind.group);
    if (members) members.push(kind);
    else groups.set(kind.group, [kind]);
  }
  const rank = (group: string): number => {
    const first = FIRST.indexOf(group);
    if (first >= 0) return first;
    return /(^|\.)k8s\.io$|^(autoscaling|policy|apps|batch|extensions)$/.test(group) ? FIRST.length + 1 : FIRST.length;
  };
  return [...groups]
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([group, members]) => ({
      title: group === "" ? "core" : group,
      kinds: members.sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    }));
}
