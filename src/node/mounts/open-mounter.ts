/**
 * Opens the mounter that this machine permits.
 *
 * @module
 */
import { mkdtemp, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { type Log, silentLog } from "../../util/log.ts";
import type { Mounter } from "../contract.ts";
import { linkingMounter } from "./linking-mounter.ts";
import { type MachineOptions, machineMounter } from "./machine-mounter.ts";
import { messageOf } from "../../util/error.ts";

/** Options of {@link openMounter}. */
export interface OpenOptions extends MachineOptions {
  /** A directory of the agent, for a trial mount. */
  readonly directory: string;
}

/** A mounter that mounts where a trial mount succeeds; otherwise one that creates links and directories, with a warning. */
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

/** Why this process cannot mount; undefined where it can. */
async function obstacle(mounter: Mounter, directory: string, log: Log): Promise<string | undefined> {
  if (process.platform !== "linux") return `mounts are made on Linux, this is ${process.platform}`;
  if (!(await mayAdminister())) return "the process lacks CAP_SYS_ADMIN";
  const path = await mkdtemp(join(directory, ".mount-"));
  try {
    await mounter.mount({ type: "tmpfs", source: "tmpfs", path, options: ["size=4k", "mode=0700"] });
    await mounter.unmount(path);
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    // Only as an empty directory: what is still mounted there stays.
    await rmdir(path).catch((error: unknown) => log.warn("A directory stays", { path, error: String(error) }));
  }
}

/** The bit of CAP_SYS_ADMIN in sets of capabilities (capabilities(7)). */
const SYS_ADMIN = 21n;

async function mayAdminister(): Promise<boolean> {
  const status = await readFile("/proc/self/status", "utf8");
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return ((BigInt(`0x${effective}`) >> SYS_ADMIN) & 1n) === 1n;
}
