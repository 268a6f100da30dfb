import type http from "node:http";
import type https from "node:https";

/**
 * `node:http` without its face as an ES module: to import it reads every name that it has, and behind some of them waits a
 * whole client of HTTP (undici), some 40 ms of CPU to load, which nothing here uses.
 */
export const nodeHttp: Pick<typeof http, "createServer" | "ServerResponse"> = process.getBuiltinModule("node:http");

/** `node:https`, likewise. */
export const nodeHttps: Pick<typeof https, "createServer"> = process.getBuiltinModule("node:https");
