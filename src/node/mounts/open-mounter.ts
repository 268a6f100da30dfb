/**
 * The mounter that this machine permits.
 *
 * @module
 */
import { mkdtemp, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { type Log, silentLog } from "../../util/log.ts";
import type { Mounter } from "../contract.ts";
import { linkingMounter } from "./linking-mounter.ts";
import { type MachineOptions, machineMounter } from "./machine-mounter.ts";

/** Where to try, and whom to tell. */
export interface OpenOptions extends MachineOptions {
  /** Of the agent: a directory is made in it, mounted at, and removed. */
  readonly directory: string;
}

/**
 * Finds out by a mount in a directory of its own whether this process may mount, and returns a mounter that does, or one that
 * makes links and directories instead. That is told once.
 */
export async function openMounter(options: OpenOptions): Promise<Mounter> {
  const { directory, log = silentLog } = options;
  const mounter = machineMounter(options);
  const why = await obstacle(mounter, directory, log);
  if (why === undefined) return mounter;
  log.warn(
    "This agent cannot mount: binds are links, which are never read-only, and volumes in memory are directories on disk",
    { why },
  );
  return linkingMounter(process.platform === "linux" ? mounter : { mounts: () => Promise.resolve([]) });
}

/** What keeps this process from mounting; undefined when nothing does. */
async function obstacle(mounter: Mounter, directory: string, log: Log): Promise<string | undefined> {
  if (process.platform !== "linux") return `mounts are made on Linux, this is ${process.platform}`;
  if (!(await mayAdminister())) return "the process lacks CAP_SYS_ADMIN";
  const path = await mkdtemp(join(directory, ".mount-"));
  try {
    await mounter.mount({ type: "tmpfs", source: "tmpfs", path, options: ["size=4k", "mode=0700"] });
    await mounter.unmount(path);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    // Only as the empty directory that it was made as: what is still mounted there stays.
    await rmdir(path).catch((error: unknown) => log.warn("A directory stays", { path, error: String(error) }));
  }
}

/** The bit of CAP_SYS_ADMIN in the sets of capabilities (capabilities(7)). */
const SYS_ADMIN = 21n;

async function mayAdminister(): Promise<boolean> {
  const status = await readFile("/proc/self/status", "utf8");
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return ((BigInt(`0x${effective}`) >> SYS_ADMIN) & 1n) === 1n;
}
