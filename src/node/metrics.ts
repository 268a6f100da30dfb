/**
 * Metrics of an agent: its Pods, and the usage of volumes with the names of a kubelet (NODE-53).
 *
 * @module
 */
import type { Metric, Sample } from "../util/exposition.ts";
import type { VolumeUsage } from "./contract.ts";
import type { AgentMemory } from "./memory.ts";

const USAGE: readonly (readonly [member: keyof VolumeUsage, name: string, help: string])[] = [
  ["capacityBytes", "kubelet_volume_stats_capacity_bytes", "Capacity in bytes of the volume."],
  ["availableBytes", "kubelet_volume_stats_available_bytes", "Number of available bytes in the volume."],
  ["usedBytes", "kubelet_volume_stats_used_bytes", "Number of used bytes in the volume."],
  ["inodes", "kubelet_volume_stats_inodes", "Maximum number of inodes in the volume."],
  ["inodesFree", "kubelet_volume_stats_inodes_free", "Number of free inodes in the volume."],
  ["inodesUsed", "kubelet_volume_stats_inodes_used", "Number of used inodes in the volume."],
];

/** The current metrics of an agent. */
export function agentMetrics(memory: AgentMemory): readonly Metric[] {
  const volumes = [...memory.records.values()].flatMap((record) => [...record.volumes.values()]);
  const count = (holds: (volume: (typeof volumes)[number]) => boolean): number => volumes.filter(holds).length;
  const states: Metric = {
    name: "keelson_node_volumes",
    type: "gauge",
    help: "Volumes of the Pods of the node, by their state.",
    samples: [
      { labels: { state: "mounted" }, value: count(({ made }) => made !== undefined) },
      { labels: { state: "waiting" }, value: count(({ made }) => made === undefined) },
    ],
  };
  const pods: Metric = {
    name: "keelson_node_pods",
    type: "gauge",
    help: "Pods that the agent manages or tears down.",
    samples: [{ value: memory.records.size }],
  };
  const usages = USAGE.map(([member, name, help]): Metric => {
    const samples = volumes.flatMap(({ usage, needed }): Sample[] => {
      const claim = needed?.persistent?.claim.metadata;
      const value = usage?.[member];
      if (!claim || value === undefined) return [];
      return [{ labels: { namespace: claim.namespace ?? "", persistentvolumeclaim: claim.name }, value }];
    });
    return { name, type: "gauge", help, samples };
  });
  return [pods, states, ...usages];
}
