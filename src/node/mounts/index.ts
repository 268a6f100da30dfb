/**
 * What only the machine can: mounts, and the removal of directories in which some may be.
 *
 * @module
 */
export { linkingMounter } from "./linking-mounter.ts";
export { machineMounter } from "./machine-mounter.ts";
export { openMounter } from "./open-mounter.ts";
export { StillMounted, removeTree } from "./remove-tree.ts";
export { mountTmpfs } from "./tmpfs.ts";
