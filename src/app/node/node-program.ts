import type { Command } from "commander";
import { nodeCommand } from "../../cli/node.ts";
import { runNode } from "./run-node.ts";
import { VERSION } from "../process/version.ts";

/** Returns the command `keelson node`, as a program of its own. */
export const command = (): Command => nodeCommand({ version: VERSION, node: runNode, terminal: { env: process.env } });
