/**
 * The permitted differences where a perturbation changes the world itself, and not only what a program sees of it.
 * A lost node moves Pods: their nodes, their status, and references to nodes. A clock that jumps changes the runs of a CronJob. Two orders
 * of operations have different histories: old ReplicaSets, revisions.
 *
 * @module
 */
import type { Plan } from "../contract/plan.ts";
import type { Leeway } from "./differences.ts";
import type { Leaf } from "./flat.ts";
import type { Item, StateView } from "./view.ts";

/** Whether states between are not compared: the world was another one. */
export const changesWorld = (plan: Plan): boolean =>
  plan.some(({ type }) => type === "node-lost" || type === "clock-jump");

/** Returns the differences at the end that a plan permits. */
export function leewayOf(plan: Plan, states: readonly (StateView | undefined)[]): Leeway {
  const parts = [
    ...(plan.some(({ type }) => type === "node-lost") ? [lostNode(plan, states)] : []),
    ...(plan.some(({ type }) => type === "clock-jump") ? [clockJump(states)] : []),
  ];
  return both(parts);
}

const both = (parts: readonly Leeway[]): Leeway => ({
  isObject: (item) => parts.some((part) => part.isObject?.(item) === true),
  isMember: (...member) => parts.some((part) => part.isMember?.(...member) === true),
});

const itemsOf = (states: readonly (StateView | undefined)[]): readonly Item[] =>
  states.flatMap((state) => [...(state?.items.values() ?? [])].flat());

const isCore = ({ identity: { group, kind } }: Item, name: string): boolean => group === "" && kind === name;

function lostNode(plan: Plan, states: readonly (StateView | undefined)[]): Leeway {
  const nodes = new Set(plan.flatMap((it) => (it.type === "node-lost" ? [it.node] : [])));
  for (const item of itemsOf(states)) {
    const node = item.flat.get(".spec.nodeName");
    if (isCore(item, "Pod") && typeof node === "string") nodes.add(node);
    if (isCore(item, "Node")) nodes.add(item.identity.name);
  }
  const mentions = (leaf: Leaf | undefined): boolean =>
    typeof leaf === "string" && [...nodes].some((node) => leaf.includes(node));
  return {
    isObject: (item) => {
      if (isCore(item, "Node")) return true;
      const phase = item.flat.get(".status.phase");
      if (isCore(item, "Pod")) return phase === "Failed" || phase === "Succeeded";
      return [...item.flat.values()].some(mentions);
    },
    isMember: (item, path, expected, found) =>
      isCore(item, "Node") ||
      (isCore(item, "Pod") && path.startsWith(".status")) ||
      mentions(expected) ||
      mentions(found),
  };
}

const OWNER = ".metadata.ownerReferences[of=";

/** The owners of an item: `Job a-1`. */
const ownersOf = ({ flat }: Item): readonly string[] => [
  ...new Set(
    [...flat.keys()].filter((path) => path.startsWith(OWNER)).map((path) => path.slice(OWNER.length).split("]", 1)[0]!),
  ),
];

function clockJump(states: readonly (StateView | undefined)[]): Leeway {
  const items = itemsOf(states);
  const byTime = new Set(items.filter((item) => ownersOf(item).some((owner) => owner.startsWith("CronJob "))));
  const jobs = new Set([...byTime].map(({ identity }) => `${identity.kind} ${identity.name}`));
  for (const item of items) if (ownersOf(item).some((owner) => jobs.has(owner))) byTime.add(item);
  return {
    isObject: (item) => byTime.has(item),
    isMember: ({ identity }, path) =>
      identity.group === "batch" && identity.kind === "CronJob" && path.startsWith(".status"),
  };
}

/** The remains of the history of an object: revisions that workloads keep for a rollback. */
export const HISTORY: Leeway = {
  isObject: ({ identity: { group, kind }, flat }) =>
    group === "apps" && (kind === "ControllerRevision" || (kind === "ReplicaSet" && flat.get(".spec.replicas") === 0)),
  isMember: ({ identity: { group, kind } }, path) =>
    group === "apps" &&
    (path.startsWith('.metadata.annotations["deployment.kubernetes.io/revision') ||
      (kind === "ControllerRevision" && path === ".revision")),
};
