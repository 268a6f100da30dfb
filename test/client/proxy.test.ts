/** Clients that reach a server through a proxy, on HTTP/2 and HTTP/1.1. */
import { once } from "node:events";
import http from "node:http";
import { createSecureServer } from "node:http2";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type NodeTransport, fromKubeconfig, http2Transport, nodeTransport } from "../../src/client/index.ts";
import { createPki } from "../../src/pki/index.ts";
import { systemClock } from "../../src/util/clock.ts";

const pki = createPki({ hosts: ["127.0.0.1", "localhost"], clock: systemClock });
const open = new DisposableStack();
/** The requests that proxies got: the method, the target, and the user. */
const asked: string[] = [];
let refuses = false;

const portOf = (server: net.Server): number => (server.address() as AddressInfo).port;
async function listen<S extends net.Server>(server: S): Promise<S> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => void sockets.add(socket.on("error", () => {})));
  open.defer(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

const answer = (request: { httpVersion: string; url?: string | undefined }): string =>
  JSON.stringify({ saw: `${request.httpVersion} ${request.url}` });
let server: net.Server;
let plain: net.Server;

/** Leads everything here, whatever its name. */
function asProxy<S extends http.Server>(proxy: S): S {
  proxy.on("connect", ({ method, url, headers }: http.IncomingMessage, client: net.Socket) => {
    asked.push(`${method} ${url} ${headers["proxy-authorization"] ?? "nobody"}`);
    if (refuses) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const upstream = net.connect(portOf(server), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream])
      socket.on("error", () => {}).on("close", () => (client.destroy(), upstream.destroy()));
  });
  proxy.on("request", ({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers["proxy-authorization"] ?? "nobody"} for ${headers.host}`);
    response.end(JSON.stringify({ saw: "proxy" }));
  });
  return proxy;
}
let proxy: net.Server;
let secureProxy: net.Server;

beforeAll(async () => {
  server = await listen(
    createSecureServer({ ...pki.server, allowHTTP1: true }, (request, response) => void response.end(answer(request))),
  );
  plain = await listen(http.createServer((request, response) => void response.end(answer(request))));
  proxy = await listen(asProxy(http.createServer()));
  secureProxy = await listen(asProxy(https.createServer({ ...pki.server })));
});
afterAll(() => open.dispose());
beforeEach(() => {
  asked.length = 0;
  refuses = false;
});

async function get(transport: NodeTransport): Promise<string> {
  const { body } = await transport({ method: "GET", path: "/path?a=b", headers: {} });
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  transport.close();
  return (JSON.parse(text) as { saw: string }).saw;
}

const API = "https://api.example:6443";
const trust = { url: API, ca: pki.trust, serverName: "localhost" };

test.each([
  ["http2Transport", http2Transport, "2.0"],
  ["nodeTransport", nodeTransport, "1.1"],
])("%s leads through a proxy of http or https, as the user of its address", async (_name, transport, version) => {
  const of = (address: string): Promise<string> => get(transport({ ...trust, proxy: address }));
  expect(await of(`http://ann:p%40ss@127.0.0.1:${portOf(proxy)}`)).toBe(`${version} /path?a=b`);
  expect(await of(`https://localhost:${portOf(secureProxy)}`)).toBe(`${version} /path?a=b`);
  const ann = `Basic ${Buffer.from("ann:p@ss").toString("base64")}`;
  expect(asked).toEqual([`CONNECT api.example:6443 ${ann}`, "CONNECT api.example:6443 nobody"]);
  refuses = true;
  await expect(of(`http://127.0.0.1:${portOf(proxy)}`)).rejects.toThrow(
    /expected the proxy 127\.0\.0\.1:\d+ to lead to api\.example:6443: it responded 407 Proxy Authentication Required/,
  );
  await expect(of("http://127.0.0.1:1")).rejects.toThrow(/expected the proxy 127\.0\.0\.1:1 to lead .*ECONNREFUSED/);
  expect(() => transport({ ...trust, proxy: "socks5://127.0.0.1:1" })).toThrow("SOCKS is not supported");
});

test("what is not encrypted is sent to the proxy with its whole address", async () => {
  const url = "http://api.example:8080/base";
  for (const to of [`http://ann@127.0.0.1:${portOf(proxy)}`, `https://localhost:${portOf(secureProxy)}`]) {
    expect(await get(nodeTransport({ url, ca: pki.trust, proxy: to }))).toBe("proxy");
  }
  const whole = "GET http://api.example:8080/base/path?a=b";
  expect(asked).toEqual([
    `${whole} Basic ${btoa("ann:")} for api.example:8080`,
    `${whole} nobody for api.example:8080`,
  ]);
});

test("proxy-url counts also on the machine itself; else the environment says, but for the machine and NO_PROXY", async () => {
  const at = `http://127.0.0.1:${portOf(proxy)}`;
  const data = Buffer.from(pki.trust).toString("base64");
  const saw = async (url: string, env: Record<string, string>, more: object = {}): Promise<string> => {
    const cluster = { server: url, "certificate-authority-data": data, "tls-server-name": "localhost", ...more };
    const text = JSON.stringify({
      clusters: [{ name: "c", cluster }],
      contexts: [{ name: "x", context: { cluster: "c" } }],
      "current-context": "x",
    });
    using connection = await fromKubeconfig({ text, env });
    return (await connection.client.json<{ saw: string }>("GET", "/x")).saw;
  };
  const here = `https://127.0.0.1:${portOf(server)}`;
  expect(await saw(here, {}, { "proxy-url": at })).toBe("2.0 /x");
  expect(asked).toEqual([`CONNECT ${new URL(here).host} nobody`]);
  expect(await saw(here, { HTTPS_PROXY: at })).toBe("2.0 /x");
  expect(await saw(`http://127.0.0.1:${portOf(plain)}`, { HTTP_PROXY: at })).toBe("1.1 /x");
  expect(asked).toHaveLength(1);
  expect(await saw(API, { https_proxy: at })).toBe("2.0 /x");
  expect(await saw("http://api.example", { HTTP_PROXY: at })).toBe("proxy");
  expect(asked.slice(1)).toEqual([
    "CONNECT api.example:6443 nobody",
    "GET http://api.example/x nobody for api.example",
  ]);
  await expect(saw(API, { HTTPS_PROXY: at, NO_PROXY: ".example" })).rejects.toThrow(/no response from .*api\.example/);
  await expect(saw(API, {}, { "proxy-url": "ftp://a" })).rejects.toThrow(
    /proxy-url in .*: expected the address of a proxy/,
  );
});
