/**
 * The three kinds of patch besides apply: JSON patch (RFC 6902), JSON merge patch (RFC 7386) and strategic merge patch. Pure
 * functions of values: they never change their inputs, and results share unchanged parts with them. The registry decides
 * whether a result is a valid object.
 *
 * @module
 */
export { followJsonPatch, parseJsonPatch } from "./json-patch.ts";
export { applyMergePatch } from "./merge-patch.ts";
export { PatchError, TestFailed } from "./patch-error.ts";
export { applyStrategicMergePatch } from "./strategic-merge-patch.ts";
