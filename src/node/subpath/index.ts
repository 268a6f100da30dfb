/**
 * Parts of volumes, as containers mount them by subPath.
 *
 * @module
 */
export { expandSubPath } from "./expand.ts";
export { mountSubPath, subPathTarget, unmountSubPaths } from "./mount-sub-path.ts";
