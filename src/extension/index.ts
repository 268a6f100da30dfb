/**
 * Kinds that somebody brings: definitions that are stored are served, by every server of a store (CRD-1..46).
 *
 * A definition is an object like any other; what is served follows from it, and goes with it. What a custom kind is made of
 * is in `schema/structural/`; the registry serves it and does not know that it is one.
 *
 * @module
 */
export { definitionPreview } from "./preview.ts";
export { type Extension, type ExtensionParts, type KeptExtension, startExtension } from "./definition-server.ts";
