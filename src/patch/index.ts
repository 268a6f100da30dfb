/**
 * The three kinds of patch that a client may send besides an apply: JSON patch (RFC 6902), JSON merge patch (RFC 7386) and
 * strategic merge patch. Pure functions of values; inputs are never modified, results share with them what did not change.
 *
 * They know nothing of objects, versions or owners: whether the result is an object of its kind is for the registry to say.
 *
 * @module
 */

export { followJsonPatch, parseJsonPatch } from "./json-patch.ts";
export { applyMergePatch } from "./merge-patch.ts";
export { PatchError } from "./patch-error.ts";
export { applyStrategicMergePatch } from "./strategic-merge-patch.ts";
