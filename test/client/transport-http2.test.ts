/** Many requests on few connections. */
import { once } from "node:events";
import {
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  createSecureServer,
} from "node:http2";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import type { NodeTransport } from "../../src/client/index.ts";
import { http2Transport } from "../../src/client/transport-http2.ts";
import type { TransportResponse } from "../../src/client/transport.ts";
import { createPki } from "../../src/pki/index.ts";
import { systemClock } from "../../src/util/clock.ts";

const pki = createPki({ hosts: ["127.0.0.1", "localhost"], clock: systemClock });
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

type Answer = (stream: ServerHttp2Stream, headers: Record<string, unknown>) => void;

interface Served {
  readonly server: Http2SecureServer;
  readonly sessions: ServerHttp2Session[];
  readonly transport: NodeTransport;
}

async function serve(
  answer: Answer,
  { streams = 3, path = "", token = undefined as string | undefined } = {},
): Promise<Served> {
  const server = createSecureServer({ ...pki.server, settings: { maxConcurrentStreams: streams } });
  const sessions: ServerHttp2Session[] = [];
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    answer(stream, headers);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const transport = http2Transport({ url: `https://127.0.0.1:${port}${path}`, ca: pki.trust, token });
  open.push(
    () => transport.close(),
    () => server.close(),
    () => sessions.forEach((session) => session.destroy()),
  );
  return { server, sessions, transport };
}

async function text({ body }: TransportResponse): Promise<string> {
  let all = "";
  for await (const chunk of body) all += Buffer.from(chunk).toString();
  return all;
}

const GET = { method: "GET", headers: {}, path: "/" } as const;
const ok: Answer = (stream) => {
  stream.respond({ ":status": 200 });
  stream.end("ok");
};

test("method, path, headers, body and token arrive, and code, headers and body come back", async () => {
  const { transport } = await serve(
    (stream, headers) => {
      let body = "";
      stream.on("data", (chunk: Buffer) => (body += chunk.toString()));
      stream.on("end", () => {
        stream.respond({ ":status": 201, "x-b": "2" });
        stream.end([headers[":method"], headers[":path"], headers["x-a"], headers["authorization"], body].join(" "));
      });
    },
    { path: "/proxy/", token: "secret" },
  );
  const answer = await transport({ method: "POST", path: "/a?b=c", headers: { "x-a": "1" }, body: "bödy" });
  expect([answer.status, answer.headers?.["x-b"]]).toEqual([201, "2"]);
  expect(await text(answer)).toBe("POST /proxy/a?b=c 1 Bearer secret bödy");
});

test("requests share connections, as many on each as the server allows", async () => {
  const streams: ServerHttp2Stream[] = [];
  const { transport, sessions } = await serve((stream) => {
    streams.push(stream);
    stream.respond({ ":status": 200 });
    stream.write("x");
  });
  await text(
    await (async () => {
      const first = await transport(GET);
      streams[0]!.end();
      return first;
    })(),
  );
  const answers = await Promise.all(Array.from({ length: 7 }, () => transport(GET)));
  expect(sessions.length).toBeLessThanOrEqual(4);
  expect(sessions.length).toBeGreaterThanOrEqual(3);
  for (const stream of streams) stream.end();
  expect(await Promise.all(answers.map(text))).toEqual(Array.from({ length: 7 }, () => "x"));
  const before = sessions.length;
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      const answer = transport(GET);
      await answer;
      streams.at(-1)!.end();
    }),
  );
  expect(sessions.length).toBe(before);
});

test("a request ends by its signal, before the answer and while it is read; its place is free again", async () => {
  const { transport, sessions } = await serve(
    (stream, headers) => {
      if (headers[":path"] === "/silent") return;
      stream.respond({ ":status": 200 });
      stream.write("x");
    },
    { streams: 1 },
  );
  for (let i = 0; i < 3; i++) {
    const silent = new AbortController();
    const waiting = transport({ ...GET, path: "/silent", signal: silent.signal });
    setTimeout(() => silent.abort(), 20);
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    const reading = new AbortController();
    const answer = await transport({ ...GET, signal: reading.signal });
    setTimeout(() => reading.abort(), 20);
    await expect(text(answer)).rejects.toMatchObject({ name: "AbortError" });
  }
  expect(sessions.length).toBeLessThanOrEqual(2);
});

test("who comes when a connection was just given up waits for another one", async () => {
  const { transport } = await serve(ok);
  const first = new AbortController();
  const waiting = transport({ ...GET, signal: first.signal });
  await Promise.resolve();
  first.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  expect(await text(await transport(GET))).toBe("ok");
});

test("a connection that the server ends is replaced, and what was refused is sent again", async () => {
  let refusals = 0;
  const { transport, sessions } = await serve((stream, headers) => {
    if (headers[":path"] === "/refused" && refusals++ === 0) stream.close(7);
    else ok(stream, headers);
  });
  expect(await text(await transport({ ...GET, path: "/refused" }))).toBe("ok");
  sessions[0]!.goaway();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await text(await transport(GET))).toBe("ok");
  sessions.at(-1)!.destroy();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await text(await transport(GET))).toBe("ok");
  expect(sessions.length).toBe(3);
});

test("a broken response is an error, and so is an untrusted or missing server", async () => {
  const { transport, server } = await serve((stream) => {
    stream.respond({ ":status": 200 });
    stream.write("half");
    setTimeout(() => stream.session?.socket.destroy(), 20);
  });
  await expect(text(await transport(GET))).rejects.toThrow("the response broke off");
  const { port } = server.address() as AddressInfo;
  const stranger = http2Transport({ url: `https://127.0.0.1:${port}` });
  await expect(stranger(GET)).rejects.toThrow(/^no response from https:\/\/127.0.0.1:\d+ to GET \/\S*: /);
  const nobody = http2Transport({ url: "https://127.0.0.1:1" });
  await expect(nobody(GET)).rejects.toThrow("ECONNREFUSED");
});

test("a response is complete for a reader that begins after the server has ended it", async () => {
  const { transport } = await serve((stream) => {
    stream.respond({ ":status": 200 });
    stream.end("all of it");
  });
  for (const millis of [0, 1, 30]) {
    const answer = await transport(GET);
    await pause(millis);
    expect(await text(answer)).toBe("all of it");
  }
});

test("a request that is aborted while its connection opens ends, and others still wait for the connection", async () => {
  const sockets: net.Socket[] = [];
  const silent = net.createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  open.push(() => silent.close());
  const transport = http2Transport({ url: `https://127.0.0.1:${(silent.address() as AddressInfo).port}` });
  const [first, second] = [new AbortController(), new AbortController()];
  const [one, two] = [first, second].map(({ signal }) => transport({ ...GET, signal }));
  await expect.poll(() => sockets.length).toBe(1);
  first.abort(new Error("enough"));
  await expect(one).rejects.toThrow("enough");
  expect(sockets[0]!.readyState).toBe("open");
  second.abort(new Error("enough, too"));
  await expect(two).rejects.toThrow("enough, too");
  // No caller waits for it any more.
  await expect.poll(() => sockets[0]!.resume().closed).toBe(true);
});

test("a server without HTTP/2 is spoken to as before", async () => {
  const server = https.createServer({ ...pki.server }, (request, response) =>
    response.end(`${request.httpVersion} ${request.url}`),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const transport = http2Transport({
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: pki.trust,
  });
  open.push(
    () => transport.close(),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  expect(await text(await transport({ ...GET, path: "/a" }))).toBe("1.1 /a");
  expect(await text(await transport({ ...GET, path: "/b" }))).toBe("1.1 /b");
});
