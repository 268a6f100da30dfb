import { once } from "node:events";
import { type Http2Server, type ServerHttp2Stream, createServer } from "node:http2";
import { type AddressInfo, type Socket, createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../util/clock.ts";
import { WireWriter } from "../wire/encoding/wire-writer.ts";
import { CODES, type GrpcError } from "./error.ts";
import { frameOf } from "./messages.ts";
import { GrpcSession } from "./session.ts";

const framed = (bytes: Uint8Array): Buffer => {
  const writer = new WireWriter(bytes.length + 16);
  writer.raw(bytes);
  return frameOf(writer);
};

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end();
});

/** A server that runs `work` with each request, when all of it has arrived. */
async function open(work: (stream: ServerHttp2Stream, path: string, body: Buffer) => void): Promise<GrpcSession> {
  const server: Http2Server = createServer();
  server.on("stream", (stream, headers) => {
    const pieces: Buffer[] = [];
    stream.on("error", () => {});
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => work(stream, String(headers[":path"]), Buffer.concat(pieces)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.close());
  const session = await GrpcSession.open(urlOf(server), {}, systemClock, 5000);
  ends.push(() => session.destroy("the test is over"));
  return session;
}

const urlOf = (server: { address(): unknown }): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function respond(stream: ServerHttp2Stream, frames: Buffer, trailers: Record<string, string> = { "grpc-status": "0" }) {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(frames);
}

describe("against the HTTP/2 of Node", () => {
  test("each call gets its own response, whatever its size", async () => {
    const session = await open((stream, _, body) => respond(stream, body));
    const sizes = [0, 1, 100, 16_384, 70_000, 3_000_000, ...Array.from({ length: 200 }, (_, i) => 1000 + i)];
    const responses = await Promise.all(
      sizes.map((size, i) => session.call("/echo", framed(Buffer.alloc(size, i)), 20_000)),
    );
    for (const [i, response] of responses.entries()) {
      expect(Buffer.compare(response, Buffer.alloc(sizes[i]!, i))).toBe(0);
    }
  });

  test("a status that is not ok is an error with its code and its message", async () => {
    const session = await open((stream) =>
      respond(stream, Buffer.alloc(0), { "grpc-status": "9", "grpc-message": "not%20now" }),
    );
    const call = session.call("/x", framed(Buffer.alloc(1)), 5000);
    await expect(call).rejects.toMatchObject({ name: "GrpcError", code: 9, message: "not now", sent: true });
  });

  test("a response of another kind is an error", async () => {
    const session = await open((stream, path) => {
      if (path === "/http") stream.respond({ ":status": 503 }, { endStream: true });
      else if (path === "/none") stream.respond({ ":status": 200 }, { endStream: true });
      else respond(stream, Buffer.alloc(0));
    });
    const call = (path: string) => session.call(path, framed(Buffer.alloc(1)), 5000).catch((error: unknown) => error);
    expect(await call("/http")).toMatchObject({
      code: CODES.unavailable,
      message: "the server responded with HTTP 503",
    });
    expect(await call("/none")).toMatchObject({ code: CODES.unavailable });
    expect(await call("/empty")).toMatchObject({ code: CODES.internal });
  });

  test("a call that takes too long is given up, and may have had an effect", async () => {
    const session = await open(() => {});
    const call = session.call("/x", framed(Buffer.alloc(1)), 0).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    session.expire();
    expect(await call).toMatchObject({ code: CODES.unavailable, message: "no response in time", sent: true });
  });

  test("messages of a stream come in order; a sink that fails ends it, one that has ended hears nothing more", async () => {
    const server = createServer();
    server.on("stream", (stream) => {
      stream.on("error", () => {});
      respond(stream, Buffer.concat(["one", "two", "three"].map((text) => framed(Buffer.from(text)))));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ends.push(() => server.close());
    const session = await GrpcSession.open(urlOf(server), {}, systemClock, 5000);
    ends.push(() => session.destroy("the test is over"));
    const follow = (most: number, stop: (stream: { cancel(): void }) => void): Promise<[string[], GrpcError]> =>
      new Promise((resolve) => {
        const heard: string[] = [];
        const stream = session.stream("/x", {
          message: (bytes) => {
            heard.push(bytes.toString());
            if (heard.length === most) stop(stream);
          },
          ended: (error) => resolve([heard, error]),
        });
        stream.send(framed(Buffer.from("begin")));
      });
    expect(await follow(9, () => {})).toMatchObject([
      ["one", "two", "three"],
      { message: "the server ended the stream" },
    ]);
    const fail = (): never => {
      throw new Error("no more");
    };
    expect(await follow(2, fail)).toMatchObject([["one", "two"], { message: "no more" }]);
    const cancelled = await Promise.race([
      follow(2, (stream) => stream.cancel()),
      follow(9, () => {}).then(() => "nothing"),
    ]);
    expect(cancelled).toBe("nothing");
  });
});

test("a server that is not there, hangs up or speaks something else is unavailable, and nothing was sent", async () => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write("220 mail.example.com\r\n".repeat(3));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await expect(GrpcSession.open("http://127.0.0.1:1", {}, systemClock, 5000)).rejects.toMatchObject({
    name: "GrpcError",
    code: CODES.unavailable,
    sent: false,
  });
  const session = await GrpcSession.open(urlOf(server), {}, systemClock, 5000);
  while (session.open) await new Promise((resolve) => setTimeout(resolve, 5));
  await expect(session.call("/x", framed(Buffer.alloc(1)), 5000)).rejects.toMatchObject({
    code: CODES.unavailable,
    sent: false,
  });
});
