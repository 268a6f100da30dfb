/**
 * The desired Node of an agent: a pure function of the machine, the options and the stored Node.
 *
 * @module
 */
import type { Node } from "../client/kinds/index.ts";
import { attachNames } from "../claims/attachment.ts";
import type { Dialect } from "../meta/dialect.ts";
import { formatTime } from "../meta/time.ts";
import type { Machine } from "./machine.ts";

/** What a Node follows from, in addition to the stored one. */
export interface NodeFacts {
  readonly name: string;
  readonly dialect: Dialect;
  readonly machine: Machine;
  /** Resources that replace or extend those of the machine. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Labels in addition to those of every node. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Labels and annotations of the Node (NODE-1); `kubernetes.io/hostname` is the same in each dialect. */
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

/** The capacity of the node. */
export const capacityOf = ({ machine, capacity }: NodeFacts): Readonly<Record<string, string>> => ({
  ...machine.capacity,
  ...capacity,
});

/** The members of a Node's status that the agent writes. */
export type WrittenNodeStatus = Pick<
  Node["status"],
  "capacity" | "allocatable" | "conditions" | "addresses" | "nodeInfo" | "volumesInUse"
>;

type Condition = NonNullable<Node["status"]["conditions"]>[number];

const CONDITIONS: readonly Pick<Condition, "type" | "status" | "reason" | "message">[] = [
  { type: "MemoryPressure", status: "False", reason: "KubeletHasSufficientMemory", message: "memory is not watched" },
  { type: "DiskPressure", status: "False", reason: "KubeletHasNoDiskPressure", message: "the disk is not watched" },
  { type: "PIDPressure", status: "False", reason: "KubeletHasSufficientPID", message: "processes are not counted" },
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
];

/**
 * The status of the Node.
 *
 * @param known the stored Node
 * @param volumesInUse sorted
 * @param isBeat whether to update the heartbeat times of conditions
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
