/**
 * Looks about once a minute at how much of a volume is taken, and evicts Pods that take more than they may (NODE-53, NODE-56).
 *
 * @module
 */
import type { Lanes } from "../util/lanes.ts";
import type { NodeGround, VolumeUsage } from "./contract.ts";
import type { AgentMemory } from "./memory.ts";

/** What looking at usage is given. */
export interface UsageWork {
  readonly memory: AgentMemory;
  readonly event: NodeGround["event"];
  readonly lanes: Lanes;
  readonly signal: AbortSignal;
}

const LOOK_MS = 60_000;

/** Looks at a volume; milliseconds after which it is to be looked at again, while it stands. */
export async function syncUsage(
  { memory, event, lanes, signal: given }: UsageWork,
  key: string,
): Promise<number | undefined> {
  const slash = key.indexOf("/");
  const [uid, name] = [key.slice(0, slash), key.slice(slash + 1)];
  const record = memory.records.get(uid);
  const volume = record?.volumes.get(name);
  if (!record || record.isEnding || !volume?.made) return undefined;
  const { plugin, needed } = volume;
  await record.during(given, async (signal) => {
    const look = async (): Promise<VolumeUsage | undefined> => plugin!.usage?.(needed!, signal);
    const usage = await (plugin!.isBounded ? look() : lanes.run(plugin!.kind, signal, look));
    volume.usage = usage;
    const most = plugin!.mostBytes?.(needed!);
    const used = usage?.usedBytes;
    if (most === undefined || used === undefined || used <= most) return;
    const message = `volume "${name}" takes ${used} bytes, which is more than the ${most} bytes of its sizeLimit`;
    event("Warning", needed!.pod, "Evicted", message);
    record.end ??= { reason: "Evicted", message };
    memory.add("pods", uid);
  });
  return LOOK_MS;
}
