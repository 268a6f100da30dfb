/**
 * Mounts parts of volumes for containers (subPath).
 *
 * @module
 */
export { expandSubPath } from "./expand.ts";
export { mountSubPath, subPathTarget, unmountSubPaths } from "./mount-sub-path.ts";
