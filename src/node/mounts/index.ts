/**
 * What only the machine can: mounts, and the removal of directories in which some may be.
 *
 * @module
 */
export { openMounter } from "./open-mounter.ts";
export { removeTree } from "./remove-tree.ts";
export { mountTmpfs } from "./tmpfs.ts";
