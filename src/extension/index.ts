/**
 * Custom kinds: every server of a store serves the stored definitions (CRD-1..46).
 *
 * A definition is an object like any other, and the served kinds follow from it. The parts of a custom kind are in
 * `schema/structural/`; the registry does not know that it is custom.
 */
export { definitionPreview } from "./preview.ts";
export { type Extension, type ExtensionParts, type KeptExtension, startExtension } from "./definition-server.ts";
