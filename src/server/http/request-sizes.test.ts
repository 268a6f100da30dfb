/** How large requests may be, in either protocol: LIMIT-1, LIMIT-2. */
import { once } from "node:events";
import http2 from "node:http2";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Listening } from "../testing/listening.ts";
import { ADMIN, CM } from "../testing/test-server.ts";

const MIB = 1 << 20;

let listening: Listening;
let port: number;
beforeAll(async () => {
  listening = await Listening.prepare();
  ({ port } = (await listening.start(true)).listener);
});
afterAll(() => listening.clean());

/** What comes back on a connection of HTTP/1.1 for a request: the response, and whether the connection has ended. */
async function send(head: readonly string[], body: Buffer | string = ""): Promise<{ text: string; isOver: boolean }> {
  const socket = tls.connect({ host: "127.0.0.1", port, ca: listening.authority.cert });
  listening.onClean(() => socket.destroy());
  let text = "";
  let isOver = false;
  socket.on("error", () => {});
  socket.on("close", () => (isOver = true));
  const responded = new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const [, length] = /^content-length: (\d+)$/im.exec(text) ?? [];
      const content = text.split("\r\n\r\n")[1];
      const isWhole = content !== undefined && length !== undefined && content.length >= Number(length);
      if (isWhole && !/^connection: close$/im.test(text)) resolve();
    });
  });
  const auth = `authorization: ${ADMIN.authorization}`;
  socket.write(`${[...head, "host: x", auth].join("\r\n")}\r\n\r\n`);
  socket.write(body);
  await responded;
  return { text, isOver };
}

const codeOf = ({ text }: { text: string }): number => Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]);
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `x-${i}: a`);

describe("HTTP/1.1", () => {
  test.each([
    ["a header of nearly 1 MiB", ["GET /version HTTP/1.1", `x-a: ${"a".repeat(MIB - 300)}`]],
    ["a line of nearly 1 MiB", [`GET /version?${"a".repeat(MIB - 300)} HTTP/1.1`]],
    ["10,000 headers", ["GET /version HTTP/1.1", ...many(10_000)]],
  ])("LIMIT-1: %s", async (_, head) => {
    expect(codeOf(await send(head))).toBe(200);
  });

  test.each([
    ["a header", ["GET /version HTTP/1.1", `x-a: ${"a".repeat(MIB + 5000)}`]],
    ["a line", [`GET /version?${"a".repeat(MIB + 5000)} HTTP/1.1`]],
    ["many headers", ["GET /version HTTP/1.1", ...many(120_000)]],
  ])("LIMIT-1: %s of more than there may be is 431 with a text, and the end of the connection", async (_, head) => {
    const { text, isOver } = await send(head);
    expect(text).toMatch(/^HTTP\/1.1 431 Request Header Fields Too Large\r\n[^]*content-type: text\/plain/);
    expect(text).toMatch(/\r\n\r\n431 Request Header Fields Too Large$/);
    expect(isOver).toBe(true);
  });

  test("LIMIT-1: what a proxy puts behind many headers of its client is not left out", async () => {
    expect(codeOf(await send([`GET ${CM} HTTP/1.1`, ...many(20_000), "accept: image/png"]))).toBe(406);
  });

  const POST = [`POST ${CM} HTTP/1.1`, "content-type: application/json"];
  test.each([
    ["told by its length", [`content-length: ${3 * MIB + 1}`], Buffer.alloc(3 * MIB + 1, " ")],
    [
      "in pieces",
      ["transfer-encoding: chunked"],
      Buffer.concat([Buffer.from("400000\r\n"), Buffer.alloc(4 * MIB, " "), Buffer.from("\r\n0\r\n\r\n")]),
    ],
  ])("LIMIT-2: a body of more than 3 MiB, %s, is 413", async (_, headers, body) => {
    const { text } = await send([...POST, ...headers], body);
    expect(text).toMatch(/^HTTP\/1.1 413/);
    expect(JSON.parse(text.split("\r\n\r\n")[1]!)).toMatchObject({ kind: "Status", reason: "RequestEntityTooLarge" });
  });

  test("LIMIT-2: a body of 3 MiB is read", async () => {
    const response = await send([...POST, `content-length: ${3 * MIB}`], Buffer.alloc(3 * MIB, " "));
    expect(codeOf(response)).toBe(400);
  });
});

describe("HTTP/2", () => {
  /** The code of a response, or why there was none. */
  async function ask(headers: http2.OutgoingHttpHeaders, body?: Buffer): Promise<{ came: unknown; text: string }> {
    const options = { ca: listening.authority.cert, maxSendHeaderBlockLength: 8 * MIB };
    const session = http2.connect(`https://127.0.0.1:${port}`, options);
    session.on("error", () => {});
    listening.onClean(() => session.destroy());
    const stream = session.request({ ":path": "/version", ...ADMIN, ...headers }, { endStream: body === undefined });
    let came: unknown;
    let text = "";
    stream.on("response", (head) => (came = head[":status"]));
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    stream.on("error", (error) => (came ??= error.message));
    session.on("goaway", (code) => (came ??= `goaway ${code}`));
    if (body) stream.end(body);
    await once(stream, "close").catch(() => {});
    return { came, text };
  }

  test("LIMIT-1: the server tells how much it takes", async () => {
    const session = http2.connect(`https://127.0.0.1:${port}`, { ca: listening.authority.cert });
    const [{ maxHeaderListSize }] = (await once(session, "remoteSettings")) as [http2.Settings];
    session.destroy();
    expect(maxHeaderListSize).toBe(MIB + 320);
  });

  test("LIMIT-1: headers of 10,000 of them", async () => {
    expect((await ask({ "x-a": Array<string>(10_000).fill("a") })).came).toBe(200);
  });

  test.each([
    [17, 200],
    [20, 431],
  ])("LIMIT-1: headers of 1 MiB and a little are taken: %d lines of 60 kB are %s", async (lines, code) => {
    const socket = tls.connect({ host: "127.0.0.1", port, ca: listening.authority.cert, ALPNProtocols: ["h2"] });
    listening.onClean(() => socket.destroy());
    socket.on("error", () => {});
    await once(socket, "secureConnect");
    const fields = { ":method": "GET", ":scheme": "https", ":path": "/version", ":authority": "x", ...ADMIN };
    const block = Buffer.concat([
      ...Object.entries(fields).map(([name, value]) => field(name, value)),
      ...Array.from({ length: lines }, () => field("x-a", "a".repeat(60_000))),
    ]);
    const pieces = Array.from({ length: Math.ceil(block.length / PIECE) }, (_, i) =>
      block.subarray(i * PIECE, (i + 1) * PIECE),
    );
    socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]));
    // What the server says of its frames counts from when it was acknowledged.
    let read = ((await once(socket, "data")) as [Buffer])[0];
    socket.pause();
    socket.write(frame(4, 1, 0));
    for (const [i, piece] of pieces.entries()) {
      // HEADERS that end the stream, and CONTINUATION; the last one ends the headers.
      const flags = (i === 0 ? 1 : 0) | (i === pieces.length - 1 ? 4 : 0);
      socket.write(frame(i === 0 ? 1 : 9, flags, 1, piece));
    }
    const head = (): Buffer | undefined =>
      framesOf(read).find(({ stream, kind }) => stream === 1 && kind === 1)?.payload;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      read = Buffer.concat([read, chunk]);
      if (head()) break;
    }
    expect(statusOf(head()!)).toBe(code);
  });

  test("LIMIT-1: a single line of more than 1 MiB and a little ends the connection with a compression error", async () => {
    expect((await ask({ "x-a": "a".repeat(MIB + 3000) })).came).toBe("goaway 9");
  });

  test("LIMIT-2: a body of more than 3 MiB is 413", async () => {
    const head = { ":method": "POST", ":path": CM, "content-type": "application/json" };
    const { came, text } = await ask(head, Buffer.alloc(3 * MIB + 1, " "));
    expect(came).toBe(413);
    expect(JSON.parse(text)).toMatchObject({ kind: "Status", reason: "RequestEntityTooLarge" });
  });
});

/** As large as the server lets a frame be. */
const PIECE = 16_384;

/** A header as HPACK has it, without an index (RFC 7541 6.2.2). */
const field = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(0), lengthOf(name), Buffer.from(name), lengthOf(value), Buffer.from(value)]);

/** The length of a text, with a prefix of seven bits (RFC 7541 5.1). */
function lengthOf({ length }: string): Buffer {
  if (length < 127) return Buffer.of(length);
  const bytes = [127];
  for (let rest = length - 127; ; rest >>= 7) {
    bytes.push(rest < 128 ? rest : (rest & 127) | 128);
    if (rest < 128) return Buffer.from(bytes);
  }
}

/** A frame (RFC 9113 4.1). */
function frame(kind: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = kind;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The whole frames in what was read. */
function framesOf(read: Buffer): { kind: number; stream: number; payload: Buffer }[] {
  const frames = [];
  for (let at = 0; at + 9 <= read.length; at += 9 + read.readUIntBE(at, 3)) {
    const payload = read.subarray(at + 9, at + 9 + read.readUIntBE(at, 3));
    frames.push({ kind: read[at + 3]!, stream: read.readUInt32BE(at + 5), payload });
  }
  return frames;
}

/** The status with which a header block begins: 200 by its index, others as a text behind the index of their name. */
const statusOf = (block: Buffer): number => (block[0] === 0x88 ? 200 : Number(block.toString("latin1", 2, 5)));
