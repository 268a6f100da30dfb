/**
 * The Node of an agent as it should be: a pure function of the machine, the options and what is stored.
 *
 * @module
 */
import type { Node } from "../client/kinds/index.ts";
import { attachNames } from "../claims/attachment.ts";
import type { Dialect } from "../meta/dialect.ts";
import { formatTime } from "../meta/time.ts";
import type { Machine } from "./machine.ts";

/** What is said of the node beside what the machine is. */
export interface NodeFacts {
  readonly name: string;
  readonly dialect: Dialect;
  readonly machine: Machine;
  /** Resources in place of those of the machine, or beside them. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Labels beside those that every node has. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Labels and marks that the agent gives its Node (NODE-1); `kubernetes.io/hostname` is of no dialect. */
export function marksOf({ name, dialect, machine, labels }: NodeFacts): {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
} {
  const { os, architecture } = machine;
  return {
    labels: {
      "kubernetes.io/hostname": name,
      "kubernetes.io/os": os,
      "kubernetes.io/arch": architecture,
      ...labels,
    },
    annotations: { [attachNames(dialect).managed]: "true" },
  };
}

/** What the node has and can give. */
export const capacityOf = ({ machine, capacity }: NodeFacts): Readonly<Record<string, string>> => ({
  ...machine.capacity,
  ...capacity,
});

/** What of a Node's status the agent writes. */
export type WrittenNodeStatus = Pick<
  Node["status"],
  "capacity" | "allocatable" | "conditions" | "addresses" | "nodeInfo" | "volumesInUse"
>;

type Condition = NonNullable<Node["status"]["conditions"]>[number];

const CONDITIONS: readonly Pick<Condition, "type" | "status" | "reason" | "message">[] = [
  { type: "MemoryPressure", status: "False", reason: "KubeletHasSufficientMemory", message: "memory is not watched" },
  { type: "DiskPressure", status: "False", reason: "KubeletHasNoDiskPressure", message: "the disk is not watched" },
  { type: "PIDPressure", status: "False", reason: "KubeletHasSufficientPID", message: "processes are not counted" },
  { type: "Ready", status: "True", reason: "KubeletReady", message: "the agent looks after the Pods of the node" },
];

/**
 * The status of the Node.
 *
 * @param known what is stored
 * @param volumesInUse sorted
 * @param isBeat whether the times of conditions are to be those of now
 */
export function nodeStatusOf(
  facts: NodeFacts,
  known: Node | undefined,
  {
    volumesInUse,
    isBeat,
    now,
  }: { readonly volumesInUse: readonly string[]; readonly isBeat: boolean; readonly now: number },
): WrittenNodeStatus {
  const { machine, name } = facts;
  const time = formatTime(now);
  const capacity = capacityOf(facts);
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: "InternalIP", address: machine.address },
      { type: "Hostname", address: name },
    ],
    nodeInfo: machine.nodeInfo,
    volumesInUse,
    conditions: CONDITIONS.map((condition) => {
      const before = known?.status.conditions?.find(({ type }) => type === condition.type);
      const isSame = before?.status === condition.status;
      return {
        ...condition,
        lastHeartbeatTime: isBeat ? time : (before?.lastHeartbeatTime ?? time),
        lastTransitionTime: isSame ? (before.lastTransitionTime ?? time) : time,
      };
    }),
  };
}
