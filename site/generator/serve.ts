/**
 * Serves a folder on this machine, for those who write pages and for tests.
 *
 * @module
 */
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** A server of a folder. */
export interface FolderServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves a folder on 127.0.0.1.
 *
 * @param port 0 for any free one
 * @param base the path below which the folder is: `/` or `/keelson/`
 */
export async function serveFolder(folder: string, port = 0, base = "/"): Promise<FolderServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = normalize(decodeURIComponent(pathname));
    const inner = path.startsWith(base) ? path.slice(base.length) : undefined;
    const file =
      inner === undefined
        ? undefined
        : join(folder, inner === "" || inner.endsWith("/") ? `${inner}index.html` : inner);
    if (file === undefined || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, { "content-type": "text/plain" }).end("there is no such page\n");
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
