/**
 * Measures the usage of volumes about once a minute, and evicts Pods above their limit (NODE-53, NODE-56).
 *
 * @module
 */
import type { KeyedSemaphore } from "../util/semaphore.ts";
import type { PluginContext, VolumeUsage } from "./contract.ts";
import type { AgentMemory } from "./memory.ts";

/** The context of a measurement. */
export interface UsageWork {
  readonly memory: AgentMemory;
  readonly event: PluginContext["event"];
  readonly permits: KeyedSemaphore;
  readonly signal: AbortSignal;
}

const INTERVAL_MS = 60_000;

/** Measures a volume; returns milliseconds until the next measurement, while it is set up. */
export async function syncUsage(
  { memory, event, permits, ...work }: UsageWork,
  key: string,
): Promise<number | undefined> {
  const slash = key.indexOf("/");
  const [uid, name] = [key.slice(0, slash), key.slice(slash + 1)];
  const record = memory.records.get(uid);
  const volume = record?.volumes.get(name);
  if (!record || record.isEnding || !volume?.made) return undefined;
  const { plugin, needed } = volume;
  if (!plugin || !needed) return undefined;
  await record.during(work.signal, async (signal) => {
    const measure = async (): Promise<VolumeUsage | undefined> => plugin.usage?.(needed, signal);
    const usage = await (plugin.isBounded ? measure() : permits.run(plugin.kind, signal, measure));
    volume.usage = usage;
    const max = plugin.maxBytes?.(needed);
    const used = usage?.usedBytes;
    if (max === undefined || used === undefined || used <= max) return;
    const message = `Usage of EmptyDir volume "${name}" exceeds the limit "${max}" bytes: it uses ${used} bytes`;
    event("Warning", needed.pod, "Evicted", message);
    record.end ??= { reason: "Evicted", message };
    memory.add("pods", uid);
  });
  return INTERVAL_MS;
}
