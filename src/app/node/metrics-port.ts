/**
 * A port for metrics, on a loopback address.
 *
 * @module
 */
import { once } from "node:events";
import type http from "node:http";
import type { AddressInfo } from "node:net";
import { EXPOSITION_TYPE } from "../../util/exposition.ts";
import { OptionError } from "../options/error.ts";

// Not imported as an ES module, which loads more than is needed; see client/transport-node.ts.
const { createServer }: Pick<typeof http, "createServer"> = process.getBuiltinModule("node:http");

/** An open port; disposal closes it. */
export interface MetricsPort extends AsyncDisposable {
  readonly port: number;
}

/** Serves `GET /metrics` at `HOST:PORT`; 0 is any free port. @throws OptionError for an address that is not loopback */
export async function openMetricsPort(address: string, text: () => string): Promise<MetricsPort> {
  const [, host = "", port = ""] = /^\[?(127(?:\.\d{1,3}){3}|::1|localhost)\]?:(\d{1,5})$/.exec(address) ?? [];
  if (host === "") {
    throw new OptionError(`expected --metrics-address to be a loopback address such as 127.0.0.1:9100, got ${address}`);
  }
  const server = createServer((request, response) => {
    response.on("error", ignore);
    const isMetrics = request.method === "GET" && request.url === "/metrics";
    response.writeHead(isMetrics ? 200 : 404, { "content-type": isMetrics ? EXPOSITION_TYPE : "text/plain" });
    response.end(isMetrics ? text() : "GET /metrics\n");
  });
  server.listen(Number(port), host);
  await once(server, "listening");
  // A failure to accept one connection must not end the program.
  server.on("error", ignore);
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const ignore = (): void => {};
