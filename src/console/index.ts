/**
 * The server side of the console: the files of its page, who is signed in, and what the page asks for. It is HTTP over the
 * server's routes; it knows no file, no port and no store, and the page's own code is in the workspace `console/`.
 *
 * Nothing of it is loaded before its first request: `door.ts` has the paths only.
 *
 * @module
 */
export { ConsoleDoor } from "./door.ts";
export type { PageSource } from "./session/page.ts";
export type { ShareSignOut } from "./session/desk.ts";
export type { SharedSignOuts } from "./session/sessions.ts";
export { openWindows } from "./windows/index.ts";
