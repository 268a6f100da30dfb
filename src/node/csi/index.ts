/**
 * CSI on a node: the drivers that make themselves known there, and the volumes that they serve, as a plugin of the agent.
 *
 * The agent says which volumes are to be there and what was attached; this asks drivers. It mounts nothing itself.
 *
 * @module
 */
export { entriesOnDisk } from "./in-use.ts";
export { csiPlugin } from "./plugin.ts";
