import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { setImmediate as nextCheck, setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { authority, serving } from "../pki/certificate.ts";
import { systemClock } from "../util/clock.ts";
import { type HookAddress, type Hooks, openHooks } from "./hooks.ts";

const term = { now: Date.now(), days: 1 };
const ca = authority(term);

interface Called {
  readonly hooks: Hooks;
  readonly address: HookAddress;
  /** The TCP connections below TLS. */
  readonly sockets: readonly Socket[];
}

/** Calls of a webhook that responds as a function does. */
async function webhook(listener: RequestListener, name = "127.0.0.1"): Promise<Called> {
  const server = createServer(serving(ca, [name], term), listener);
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket as Socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hooks = openHooks({ clock: systemClock });
  onTestFinished(() => {
    hooks.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    hooks,
    address: { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, ca: ca.cert },
    sockets,
  };
}

test("a call that waits for a connection ends with its time, too", async () => {
  const { hooks, address } = await webhook(() => undefined);
  const others = Array.from({ length: 32 }, () => hooks.call(address, "{}", 20_000));
  const ended = Promise.allSettled(others);
  await pause(300);
  const began = performance.now();
  await expect(hooks.call(address, "{}", 200)).rejects.toThrow("expected a response within 0.2 s, got none");
  expect(performance.now() - began).toBeLessThan(5000);
  hooks.close();
  await ended;
});

test("a response that breaks off is a failure, and the review is not sent again", async () => {
  let calls = 0;
  const { hooks, address, sockets } = await webhook((request, response) => {
    request.resume();
    if (++calls === 1) return void response.end("{}");
    response.writeHead(200, { "content-length": 1000 });
    response.write("{");
    setTimeout(() => sockets[0]?.resetAndDestroy(), 20);
  });
  await hooks.call(address, "{}", 5000);
  await expect(hooks.call(address, "{}", 5000)).rejects.toThrow(/aborted|ECONNRESET/);
  await pause(100);
  expect(calls).toBe(2);
});

test("a connection is kept for the next call", async () => {
  const { hooks, address, sockets } = await webhook((_, response) => response.end('{"a":"ü"}'));
  for (let i = 0; i < 3; i++) expect(await hooks.call(address, '{"b":"ü"}', 5000)).toEqual({ a: "ü" });
  expect(sockets).toHaveLength(1);
});

test("a connection that the webhook wants to close is not used again", async () => {
  const { hooks, address, sockets } = await webhook((_, response) =>
    response.writeHead(200, { connection: "close" }).end("{}"),
  );
  for (let i = 0; i < 3; i++) await hooks.call(address, "{}", 5000);
  expect(sockets).toHaveLength(3);
});

test("a connection is not used any more right before the webhook closes it", async () => {
  const { hooks, address, sockets } = await webhook((_, response) =>
    response.writeHead(200, { "keep-alive": "timeout=1" }).end("{}"),
  );
  for (let i = 0; i < 3; i++) await hooks.call(address, "{}", 5000);
  expect(sockets).toHaveLength(3);
});

test("a review that was not sent goes over a new connection where the webhook has closed the kept one", async () => {
  const { hooks, address, sockets } = await webhook((_, response) => response.end("{}"));
  await hooks.call(address, "{}", 5000);
  // The reset is read after the call has begun, and before it is sent.
  await nextCheck();
  sockets[0]!.resetAndDestroy();
  const until = performance.now() + 20;
  while (performance.now() < until);
  expect(await hooks.call(address, "{}", 5000)).toEqual({});
  expect(sockets).toHaveLength(2);
});

test("a webhook that responds before it has read the request has a new connection for the next one", async () => {
  let connections = 0;
  const server = createTlsServer(serving(ca, ["127.0.0.1"], term), (socket) => {
    connections++;
    socket.on("error", () => {}).pause();
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n");
    setTimeout(() => socket.write("{}"), 20);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hooks = openHooks({ clock: systemClock });
  onTestFinished(() => {
    hooks.close();
    server.close();
  });
  const address = { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, ca: ca.cert };
  for (let i = 0; i < 3; i++) expect(await hooks.call(address, `"${"x".repeat(8 << 20)}"`, 5000)).toEqual({});
  expect(connections).toBe(3);
});

test("calls that wait for a connection have one when others fail", async () => {
  const { hooks, address } = await webhook((_, response) => response.writeHead(500).end());
  const calls = Array.from({ length: 100 }, () => hooks.call(address, "{}", 10_000));
  for (const call of await Promise.allSettled(calls)) {
    expect(call).toMatchObject({ reason: { message: "expected the status 200, got 500" } });
  }
});

test.each([
  ["101", "expected the status 200, got 101"],
  ["103", "expected the status 200, got 103"],
])("a webhook that responds with %s for ever is given up", async (status, message) => {
  const { hooks, address } = await webhook(({ socket }) => {
    for (let i = 0; i < 100; i++) socket.write(`HTTP/1.1 ${status} X\r\n\r\n`);
  });
  await expect(hooks.call(address, "{}", 10_000)).rejects.toThrow(message);
});

test("a response in small pieces is one", async () => {
  const { hooks, address } = await webhook((_, response) => {
    for (const piece of `"${"ü".repeat(1000)}"`) response.write(piece);
    response.end();
  });
  expect(await hooks.call(address, "{}", 5000)).toBe("ü".repeat(1000));
});

test("after the end there are no more calls", async () => {
  const { hooks, address } = await webhook((_, response) => response.end("{}"));
  hooks.close();
  await expect(hooks.call(address, "{}", 5000)).rejects.toThrow("the webhooks are closed");
});

test("a review is sent once, also where a kept connection is closed before the response begins", async () => {
  let calls = 0;
  const { hooks, address } = await webhook((request, response) => {
    if (++calls === 1) response.end("{}");
    else request.socket.destroy();
  });
  await hooks.call(address, "{}", 5000);
  await expect(hooks.call(address, "{}", 5000)).rejects.toThrow("other side closed");
  expect(calls).toBe(2);
});

test("a review is not sent to a webhook whose certificate is another one's", async () => {
  let calls = 0;
  const { hooks, address } = await webhook((_, response) => {
    calls++;
    response.end("{}");
  });
  await expect(hooks.call({ ...address, ca: authority(term).cert }, "{}", 5000)).rejects.toThrow("certificate");
  await expect(hooks.call({ ...address, serverName: "hook.other.svc" }, "{}", 5000)).rejects.toThrow("altnames");
  await pause(50);
  expect(calls).toBe(0);
});

test("the name in the certificate may be another one than the host", async () => {
  const { hooks, address } = await webhook((_, response) => response.end("{}"), "hook.team.svc");
  expect(await hooks.call({ ...address, serverName: "hook.team.svc" }, "{}", 5000)).toEqual({});
});

test("the path is tidy, the query stays, and the length counts bytes", async () => {
  const { hooks, address } = await webhook((request, response) => {
    response.end(JSON.stringify([request.method, request.url, request.headers]));
  });
  const { host } = new URL(address.url);
  const headers = {
    host,
    accept: "application/json",
    connection: "keep-alive",
    "content-type": "application/json",
    "content-length": "4",
  };
  expect(await hooks.call({ ...address, url: `https://${host}//a//b/?timeout=1s` }, '"ü"', 5000)).toEqual([
    "POST",
    "/a/b?timeout=1s",
    headers,
  ]);
});

test("calls that run and calls that wait end with the connections", async () => {
  const { hooks, address } = await webhook(() => undefined);
  const all = Array.from({ length: 40 }, () => hooks.call(address, "{}", 20_000));
  const ended = Promise.allSettled(all);
  await pause(100);
  hooks.close();
  for (const { status } of await ended) expect(status).toBe("rejected");
});

test("a signal ends a call", async () => {
  const { hooks, address } = await webhook(() => undefined);
  const abort = new AbortController();
  const call = hooks.call(address, "{}", 20_000, abort.signal);
  setTimeout(() => abort.abort(new Error("enough")), 50);
  await expect(call).rejects.toThrow("enough");
  await expect(hooks.call(address, "{}", 20_000, abort.signal)).rejects.toThrow("enough");
});
