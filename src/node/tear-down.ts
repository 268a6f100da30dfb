/**
 * Tears the volumes of a Pod down and removes its directory, as they are found on disk (NODE-7, NODE-9).
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { KeyedSemaphore } from "../util/semaphore.ts";
import type { FoundVolume, Mounter, PluginContext } from "./contract.ts";
import { foundVolumes } from "./found.ts";
import type { AgentMemory } from "./memory.ts";
import { podDirectory } from "./paths.ts";
import type { PodRecord } from "./record.ts";
import { removeTree } from "./mounts/index.ts";
import { unmountSubPaths } from "./subpath/index.ts";
import { directoryOf, inLane } from "./volume-work.ts";
import { messageOf } from "../util/error.ts";

/** The context of a tear-down. */
export interface TearDownWork {
  readonly memory: AgentMemory;
  readonly mounter: Mounter;
  readonly event: PluginContext["event"];
  readonly permits: KeyedSemaphore;
  readonly signal: AbortSignal;
}

/** Tears all volumes of a Pod down at once, and returns them. @throws the errors, after all others have ended */
export async function tearDown(work: TearDownWork, record: PodRecord): Promise<readonly FoundVolume[]> {
  await unmountSubPaths(work.memory.root, record.uid, work.mounter);
  const all = await volumesOf(work.memory, record);
  const done = await Promise.all(
    all.map(async (found) => {
      try {
        await tearDownOne(work, found);
        return [];
      } catch (error) {
        return [{ found, why: messageOf(error) }];
      }
    }),
  );
  const failures = done.flat().map(({ found: { name, path }, why }) => {
    const message = `UnmountVolume.TearDown failed for volume "${name}" : ${why}`;
    if (record.pod) work.event("Warning", record.pod, "FailedUnmount", message);
    return `${path}: ${why}`;
  });
  if (failures.length > 0) throw new Error(failures.join("; "));
  return all;
}

/** The volumes of a Pod on disk, and those that a set-up may have begun. */
async function volumesOf({ root }: AgentMemory, record: PodRecord): Promise<readonly FoundVolume[]> {
  const found = new Map((await foundVolumes(root, record.uid)).map((one) => [one.path, one]));
  for (const { needed, plugin } of record.volumes.values()) {
    if (!needed || !plugin) continue;
    const directory = directoryOf(root, plugin, needed);
    if (!found.has(directory.path)) found.set(directory.path, directory);
  }
  return [...found.values()];
}

async function tearDownOne(work: TearDownWork, found: FoundVolume): Promise<void> {
  const { memory, mounter, signal } = work;
  const plugin = memory.pluginOf(found);
  if (plugin) await inLane(work, plugin, found, () => plugin.tearDown(found, signal));
  else if (await exists(found.path)) throw new Error(`this node has no volume plugin for the kind ${found.kind}`);
  // The plugin has left an empty directory, or has failed.
  await removeTree(found.path, mounter);
}

/** Removes the directory of a Pod, except for some names; a mount point in it stays, with an error. */
export async function removePodDirectory(work: TearDownWork, uid: string, kept: readonly string[] = []): Promise<void> {
  const { memory, mounter, permits, signal } = work;
  const directory = podDirectory(memory.root, uid);
  await permits.run("directories", signal, async () => {
    const names = kept.length === 0 ? [] : await readdir(directory).catch((): string[] => []);
    if (!names.some((name) => kept.includes(name))) return removeTree(directory, mounter);
    for (const name of names) if (!kept.includes(name)) await removeTree(join(directory, name), mounter);
  });
}

async function exists(path: string): Promise<boolean> {
  return (await readdir(dirname(path)).catch((): string[] => [])).includes(basename(path));
}
