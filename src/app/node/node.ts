/**
 * Starts the agent of a node on this machine, for `keelson node` and `keelson serve --node`.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { CliError } from "../../cli/cli-error.ts";
import { type AgentOptions, type RunningAgent, startAgent } from "../../node/agent.ts";
import { hasSELinux } from "../../node/machine.ts";
import { openMounter } from "../../node/mounts/index.ts";
import { openPlugins } from "../../node/plugins.ts";
import { StoreError } from "../../storage/contract.ts";
import { lockDirectory } from "../../storage/sqlite/lock.ts";
import type { Log } from "../../util/log.ts";
import { VERSION } from "../process/version.ts";

/** The settings of a node. */
export interface NodeSettings extends Omit<AgentOptions, "root" | "version" | "mounter" | "log" | "held"> {
  readonly directory: string;
  /** The directory of images, each of which is a directory (NODE-63). */
  readonly imageDirectory?: string | undefined;
  readonly log: Log;
}

/** Starts the agent with the volume plugins of this machine. @throws CliError if another agent uses the directory */
export async function openAgent({ directory, imageDirectory, ...options }: NodeSettings): Promise<RunningAgent> {
  await mkdir(directory, { recursive: true, mode: 0o750 });
  const held = lockOf(directory);
  try {
    const mounter = await openMounter({ directory, log: options.log });
    const plugins: AgentOptions["plugins"] = (ground) =>
      openPlugins(ground, { imageDirectory, hasSELinux: hasSELinux() });
    return await startAgent({ plugins, ...options, root: directory, version: VERSION, mounter, held });
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
}

/** Locks the directory: two agents would tear down each other's volumes. */
function lockOf(directory: string): Disposable {
  try {
    const lock = lockDirectory(directory);
    let isHeld = true;
    return {
      [Symbol.dispose]() {
        if (isHeld) lock.release();
        isHeld = false;
      },
    };
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "inUse") throw error;
    const owner = error.owner === undefined ? "another process" : `process ${error.owner}`;
    throw new CliError(`${directory} is in use by the agent in ${owner}: use another directory for each node`, {
      cause: error,
    });
  }
}
