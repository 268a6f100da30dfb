/**
 * Metrics of an agent: its Pods, and what is taken of volumes, under the names that dashboards know (NODE-53).
 *
 * @module
 */
import type { Metric, Sample } from "../util/exposition.ts";
import type { VolumeUsage } from "./contract.ts";
import type { AgentMemory } from "./memory.ts";

const OF_USAGE: readonly (readonly [member: keyof VolumeUsage, name: string, help: string])[] = [
  ["capacityBytes", "kubelet_volume_stats_capacity_bytes", "Bytes of the volume of a claim."],
  ["availableBytes", "kubelet_volume_stats_available_bytes", "Bytes that are free in the volume of a claim."],
  ["usedBytes", "kubelet_volume_stats_used_bytes", "Bytes that are taken in the volume of a claim."],
  ["inodes", "kubelet_volume_stats_inodes", "Files that the volume of a claim can have."],
  ["inodesFree", "kubelet_volume_stats_inodes_free", "Files that the volume of a claim can have yet."],
  ["inodesUsed", "kubelet_volume_stats_inodes_used", "Files that the volume of a claim has."],
];

/** The metrics of an agent, as they are now. */
export function agentMetrics(memory: AgentMemory): readonly Metric[] {
  const volumes = [...memory.records.values()].flatMap((record) => [...record.volumes.values()]);
  const count = (holds: (volume: (typeof volumes)[number]) => boolean): number => volumes.filter(holds).length;
  const stands: Metric = {
    name: "keelson_node_volumes",
    type: "gauge",
    help: "Volumes of the Pods of the node, by how they are.",
    samples: [
      { labels: { state: "mounted" }, value: count(({ made }) => made !== undefined) },
      { labels: { state: "waiting" }, value: count(({ made }) => made === undefined) },
    ],
  };
  const pods: Metric = {
    name: "keelson_node_pods",
    type: "gauge",
    help: "Pods that the agent looks after, or takes down.",
    samples: [{ value: memory.records.size }],
  };
  const usages = OF_USAGE.map(([member, name, help]): Metric => {
    const samples = volumes.flatMap(({ usage, needed }): Sample[] => {
      const claim = needed?.persistent?.claim.metadata;
      const value = usage?.[member];
      if (!claim || value === undefined) return [];
      return [{ labels: { namespace: claim.namespace ?? "", persistentvolumeclaim: claim.name }, value }];
    });
    return { name, type: "gauge", help, samples };
  });
  return [pods, stands, ...usages];
}
