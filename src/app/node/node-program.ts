/**
 * `keelson node` as a program of its own.
 *
 * @module
 */
import type { Command } from "commander";
import { nodeCommand } from "../../cli/node.ts";
import { runNode } from "./run-node.ts";
import { VERSION } from "../process/version.ts";

/** The command, with what it does. */
export const command = (): Command => nodeCommand({ version: VERSION, node: runNode, terminal: { env: process.env } });
