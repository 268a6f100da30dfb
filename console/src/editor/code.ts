/**
 * The editor: views of text, with owners and for editing. It is loaded when the first one is shown.
 *
 * @module
 */
export { editorView } from "./edit-view.ts";
export { ownedView } from "./owned-view.ts";
