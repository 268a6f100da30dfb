/**
 * An agent of a node on this machine, for `keelson node` and `keelson serve --node`.
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

/** A node, and where it has its volumes. */
export interface NodeSettings extends Omit<AgentOptions, "root" | "version" | "mounter" | "log" | "held"> {
  readonly directory: string;
  /** In which images lie as directories (NODE-63). */
  readonly imageDirectory?: string | undefined;
  readonly log: Log;
}

/** Starts the agent with what this machine can mount. @throws CliError where another agent has the directory */
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

/** Two agents in one directory would each take down what the other has made. */
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
    const who = error.owner === undefined ? "another process" : `process ${error.owner}`;
    throw new CliError(`${directory} is the directory of an agent that runs as ${who}: give each node one of its own`, {
      cause: error,
    });
  }
}
