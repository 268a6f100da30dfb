/**
 * Mounts of the machine, and the removal of directories that may contain mounts.
 *
 * @module
 */
export { openMounter } from "./open-mounter.ts";
export { removeTree } from "./remove-tree.ts";
export { mountTmpfs } from "./tmpfs.ts";
