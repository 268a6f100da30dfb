/**
 * Keeps the taints of nodes that follow from their conditions: `node.kubernetes.io/not-ready:NoSchedule` while a node is not
 * ready, and others while it lacks memory, disk, process ids or its network, or is unschedulable.
 *
 * A new node has the taint `not-ready` from the admission plugin TaintNodesByCondition; it is removed when the node is ready. No
 * node is found to be lost, and no taint NoExecute is set: conditions are those that the agent of a node has reported.
 */
import { type Key, attempt } from "../../client/index.ts";
import { Node } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { formatTime } from "../../meta/time.ts";
import { type Controller, defineController } from "../../runtime/index.ts";

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

const NO_SCHEDULE = "NoSchedule";

/** The last part of the key of a taint, by a condition and its status. */
const BY_CONDITION: ReadonlyMap<string, string> = new Map([
  ["Ready False", "not-ready"],
  ["Ready Unknown", "unreachable"],
  ["MemoryPressure True", "memory-pressure"],
  ["DiskPressure True", "disk-pressure"],
  ["NetworkUnavailable True", "network-unavailable"],
  ["PIDPressure True", "pid-pressure"],
]);

const UNSCHEDULABLE = "unschedulable";

/** The controller named `node-lifecycle-controller`. */
export const conditionTaints = ({ labelDomain }: Dialect): Controller =>
  defineController({
    name: "keelson-node-lifecycle-controller",
    for: Node,
    async reconcile({ object: node, client, clock }) {
      const taints = taintsOf(node, `node.${labelDomain}/`, formatTime(clock.now()));
      if (!taints) return;
      const { name, resourceVersion } = node.metadata;
      const key: Key<"Cluster"> = { name };
      await attempt(
        client.resource(Node).patch(key, { metadata: { resourceVersion }, spec: { taints } }),
        "NotFound",
        "Conflict",
      );
    },
  });

/**
 * The taints that a node should have, with those that do not follow from conditions; undefined where it has them.
 *
 * @param domain `node.kubernetes.io/`
 * @param now when taints are added
 */
export function taintsOf({ spec, status }: Node, domain: string, now: string): readonly Taint[] | undefined {
  const names = (status?.conditions ?? []).map(({ type, status: value }) => BY_CONDITION.get(`${type} ${value}`));
  const wanted = [...names, spec?.unschedulable ? UNSCHEDULABLE : undefined].filter((name) => name !== undefined);
  const keys = new Set(wanted.map((name) => domain + name));
  const managed = new Set([...BY_CONDITION.values(), UNSCHEDULABLE].map((name) => domain + name));
  const all = spec?.taints ?? [];
  const isManaged = ({ key, effect }: Taint): boolean => effect === NO_SCHEDULE && managed.has(key);
  const kept = all.filter((taint) => !isManaged(taint) || keys.has(taint.key));
  const added = [...keys].filter((key) => !kept.some((taint) => isManaged(taint) && taint.key === key));
  if (added.length === 0 && kept.length === all.length) return undefined;
  return [...kept, ...added.map((key) => ({ key, effect: NO_SCHEDULE, timeAdded: now }))];
}
