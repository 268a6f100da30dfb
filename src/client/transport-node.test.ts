import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type NodeTransport, TransportError, nodeTransport } from "./transport-node.ts";
import type { TransportResponse } from "./transport.ts";

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A server with a handler, and its transport. */
async function serve(listener: http.RequestListener, path = "", token?: string): Promise<NodeTransport> {
  const server = http.createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const transport = nodeTransport({ url: `http://127.0.0.1:${port}${path}`, token });
  open.push(
    () => transport.close(),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return transport;
}

async function text({ body }: TransportResponse): Promise<string> {
  let all = "";
  for await (const chunk of body) all += Buffer.from(chunk).toString();
  return all;
}

const GET = { method: "GET", headers: {} } as const;

describe("the transport over sockets", () => {
  test("sends method, path, headers and body, and gives back code and body", async () => {
    const transport = await serve((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        response.writeHead(201);
        response.end(JSON.stringify([request.method, request.url, request.headers["x-a"], body]));
      });
    });
    const response = await transport({ method: "POST", path: "/a?b=c%20d", headers: { "x-a": "1" }, body: "bödy" });
    expect(response.status).toBe(201);
    expect(JSON.parse(await text(response))).toEqual(["POST", "/a?b=c%20d", "1", "bödy"]);
  });

  test("puts the path of the address before every other, and the token where no credential is", async () => {
    const transport = await serve(
      (request, response) => response.end(`${request.url} ${request.headers.authorization}`),
      "/proxy/",
      "secret",
    );
    expect(await text(await transport({ ...GET, path: "/api" }))).toBe("/proxy/api Bearer secret");
    const own = { authorization: "Bearer own" };
    expect(await text(await transport({ ...GET, path: "/api", headers: own }))).toBe("/proxy/api Bearer own");
  });

  test("uses a connection again", async () => {
    const ports = new Set<number | undefined>();
    const transport = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("x");
    });
    for (let i = 0; i < 3; i++) await text(await transport({ ...GET, path: "/" }));
    expect(ports.size).toBe(1);
  });

  test("gives a body piece by piece, and ends when the request is aborted", async () => {
    const transport = await serve((_request, response) => void response.write("one"));
    const abort = new AbortController();
    const { body } = await transport({ ...GET, path: "/", signal: abort.signal });
    const pieces = body[Symbol.asyncIterator]();
    expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe("one");
    abort.abort();
    await expect(pieces.next()).rejects.toThrow(/abort/i);
  });

  test("an abort before the response rejects", async () => {
    const transport = await serve(() => {});
    const abort = new AbortController();
    const response = transport({ ...GET, path: "/", signal: abort.signal });
    abort.abort();
    await expect(response).rejects.toThrow(/abort/i);
  });

  test("a server that breaks off in the middle of a body is an error, not an end", async () => {
    const transport = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("half");
      setImmediate(() => response.destroy());
    });
    await expect(transport({ ...GET, path: "/" }).then(text)).rejects.toThrow("aborted");
  });

  test("a port without a listener is an error with the address", async () => {
    const server = http.createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    const asked = nodeTransport({ url: `http://127.0.0.1:${port}` })({ ...GET, path: "/" });
    await expect(asked).rejects.toThrow(TransportError);
    await expect(asked).rejects.toThrow(`no response from http://127.0.0.1:${port} to GET /: connect ECONNREFUSED`);
  });

  test.each(["", "localhost:80", "ftp://x"])("%j is no address of a server", (url) => {
    expect(() => nodeTransport({ url })).toThrow("expected the address of a server");
  });
});
