/**
 * Takes the volumes of a Pod down and removes its directory, by what lies on disk (NODE-7, NODE-9).
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Lanes } from "../util/lanes.ts";
import type { FoundVolume, Mounter, NodeGround } from "./contract.ts";
import { foundVolumes } from "./found.ts";
import type { AgentMemory } from "./memory.ts";
import { podDirectory } from "./paths.ts";
import type { PodRecord } from "./record.ts";
import { removeTree } from "./mounts/index.ts";
import { unmountSubPaths } from "./subpath/index.ts";
import { inLane, placeOf } from "./volume-work.ts";

/** What taking down is given. */
export interface TakingDown {
  readonly memory: AgentMemory;
  readonly mounter: Mounter;
  readonly event: NodeGround["event"];
  readonly lanes: Lanes;
  readonly signal: AbortSignal;
}

/** Takes every volume of a Pod down, side by side, and says which there were. @throws what failed, when all others are down */
export async function takeDown(work: TakingDown, record: PodRecord): Promise<readonly FoundVolume[]> {
  await unmountSubPaths(work.memory.root, record.uid, work.mounter);
  const all = await volumesOf(work.memory, record);
  const done = await Promise.allSettled(all.map((found) => takeDownOne(work, found)));
  const failures = done.flatMap((result, i) => {
    if (result.status === "fulfilled") return [];
    const why = (result.reason as Error).message;
    if (record.pod) {
      work.event("Warning", record.pod, "FailedUnmount", `volume "${all[i]!.name}" was not taken down: ${why}`);
    }
    return [`${all[i]!.path}: ${why}`];
  });
  if (failures.length > 0) throw new Error(failures.join("; "));
  return all;
}

/** What lies on disk of a Pod, and what was tried and has not come so far. */
async function volumesOf({ root }: AgentMemory, record: PodRecord): Promise<readonly FoundVolume[]> {
  const found = new Map((await foundVolumes(root, record.uid)).map((one) => [one.path, one]));
  for (const { needed, plugin } of record.volumes.values()) {
    if (!needed || !plugin) continue;
    const place = placeOf(root, plugin, needed);
    if (!found.has(place.path)) found.set(place.path, place);
  }
  return [...found.values()];
}

async function takeDownOne(work: TakingDown, found: FoundVolume): Promise<void> {
  const { memory, mounter, signal } = work;
  const plugin = memory.pluginOf(found);
  if (plugin) await inLane(work, plugin, found, () => plugin.tearDown(found, signal));
  else if (await isIn(found.path)) throw new Error(`nobody here takes down volumes of kind ${found.kind}`);
  // What a plugin leaves behind is empty, or it would have failed.
  await removeTree(found.path, mounter);
}

/** Removes what is left of a Pod's directory, but for what is kept of it; a mount point in it stays, and is told. */
export async function removePodDirectory(work: TakingDown, uid: string, kept: readonly string[] = []): Promise<void> {
  const { memory, mounter, lanes, signal } = work;
  const directory = podDirectory(memory.root, uid);
  await lanes.run("directories", signal, async () => {
    const names = kept.length === 0 ? [] : await readdir(directory).catch((): string[] => []);
    if (!names.some((name) => kept.includes(name))) return removeTree(directory, mounter);
    for (const name of names) if (!kept.includes(name)) await removeTree(join(directory, name), mounter);
  });
}

async function isIn(path: string): Promise<boolean> {
  return (await readdir(dirname(path)).catch((): string[] => [])).includes(basename(path));
}
