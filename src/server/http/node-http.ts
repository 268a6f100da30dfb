import type http from "node:http";
import type https from "node:https";

/**
 * `node:http`, loaded by `require`: an import of it as an ES module reads all of its names, and some of them load an HTTP client (undici),
 * which takes some 40 ms of CPU and is not used here.
 */
export const nodeHttp: Pick<typeof http, "createServer" | "ServerResponse"> = process.getBuiltinModule("node:http");

/** `node:https`, in the same way. */
export const nodeHttps: Pick<typeof https, "createServer"> = process.getBuiltinModule("node:https");
