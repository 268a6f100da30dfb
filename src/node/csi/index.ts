/**
 * CSI on a node: the drivers that register there, and a volume plugin for their volumes.
 *
 * @module
 */
export { entriesOnDisk } from "./in-use.ts";
export { csiPlugin } from "./plugin.ts";
