import type http from "node:http";

/**
 * `node:http` without its face as an ES module: to import it reads every name that it has, and behind some of them waits a
 * whole client of HTTP (undici), which cost 40 ms of each start and is not used here.
 */
export const nodeHttp: Pick<typeof http, "createServer" | "ServerResponse"> = process.getBuiltinModule("node:http");
