import { createServer } from "node:net";
import { codeOf } from "../util/error.ts";

/** Listens on a port for a moment; resolves to `free`, or to the code of the error. */
export function tryPort(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(codeOf(error) ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve("free")));
  });
}
