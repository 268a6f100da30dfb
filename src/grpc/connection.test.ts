import { describe, expect, test } from "vitest";
import { DEFAULT_FRAME_SIZE, DEFAULT_WINDOW, ERROR } from "../http2/constants.ts";
import { type Frame, FrameReader } from "../http2/frame-reader.ts";
import { HeaderDecoder } from "../http2/header-decoder.ts";
import { FLAG, SETTING, TYPE, frame, headerBlock, settings, uint32 } from "../http2/testing/frames.ts";
import { ClientConnection, type ClientStream, type StreamFailure, type StreamListener } from "./connection.ts";
import { RequestHeaders } from "./request-headers.ts";

/** Records what arrives on a stream. */
class RecordedStream implements StreamListener {
  readonly fields: string[] = [];
  body = "";
  outcome: StreamFailure | "ended" | undefined;

  headers(fields: readonly string[]): void {
    this.fields.push(...fields);
  }

  data(bytes: Buffer, from: number, to: number): void {
    this.body += bytes.toString("latin1", from, to);
  }

  closed(failure: StreamFailure | undefined): void {
    this.outcome = failure ?? "ended";
  }
}

/** A connection to a server that the test controls. */
class Server {
  readonly connection: ClientConnection;
  /** The length of each write. */
  readonly writes: number[] = [];
  readonly requests: { readonly stream: number; readonly fields: readonly string[]; readonly block: number }[] = [];
  readonly bodies = new Map<number, number>();
  readonly ended = new Set<number>();
  readonly resets = new Map<number, number>();
  readonly pongs: string[] = [];
  granted = 0;
  destroyed = false;
  #later: (() => void)[] = [];
  readonly #reader = new FrameReader(DEFAULT_FRAME_SIZE, (got) => this.#take(got));
  readonly #decoder = new HeaderDecoder({ listBytes: 1 << 16, listFields: 100 });

  constructor() {
    this.connection = new ClientConnection({
      transport: {
        write: (bytes, sent) => {
          this.writes.push(bytes.length);
          this.#reader.read(Buffer.from(bytes));
          sent();
        },
        destroy: () => {
          this.destroyed = true;
        },
      },
      later: (work) => void this.#later.push(work),
      headers: new RequestHeaders({ ":method": "POST", ":scheme": "http", ":authority": "host:1", te: "trailers" }),
    });
    this.flush();
  }

  flush(): void {
    for (const work of this.#later.splice(0)) work();
  }

  send(...frames: readonly Buffer[]): void {
    this.connection.receive(Buffer.concat(frames));
    this.flush();
  }

  request(path = "/a", bytes: Uint8Array = Buffer.from("body")): [RecordedStream, ClientStream] {
    const recorded = new RecordedStream();
    const stream = this.connection.request(path, recorded);
    this.connection.send(stream, bytes, true);
    return [recorded, stream];
  }

  #take({ type, flags, stream, bytes, from, to }: Frame): boolean {
    if (type === TYPE.headers) {
      this.requests.push({ stream, fields: this.#decoder.decode(bytes, from, to).fields, block: to - from });
    } else if (type === TYPE.data) {
      this.bodies.set(stream, (this.bodies.get(stream) ?? 0) + to - from);
      if (flags & FLAG.endStream) this.ended.add(stream);
    } else if (type === TYPE.reset) this.resets.set(stream, bytes.readUInt32BE(from));
    else if (type === TYPE.ping) this.pongs.push(bytes.toString("latin1", from, to));
    else if (type === TYPE.windowUpdate) this.granted += bytes.readUInt32BE(from);
    return true;
  }
}

const response = (stream: number, fields: readonly (readonly [string, string])[], ends = false): Buffer =>
  frame(TYPE.headers, FLAG.endHeaders | (ends ? FLAG.endStream : 0), stream, headerBlock(fields));

describe("sending", () => {
  test("requests of one slice of the event loop leave in one write", () => {
    const server = new Server();
    const before = server.writes.length;
    for (let i = 0; i < 100; i++) server.request(i % 2 === 0 ? "/a" : "/b", Buffer.alloc(20));
    server.flush();
    expect(server.writes.length).toBe(before + 1);
    expect(server.requests).toHaveLength(100);
    const fieldsOf = (path: string): string[] => [
      ":path",
      path,
      ":method",
      "POST",
      ":scheme",
      "http",
      ":authority",
      "host:1",
      "te",
      "trailers",
    ];
    for (const [i, { fields }] of server.requests.entries())
      expect(fields).toEqual(fieldsOf(i % 2 === 0 ? "/a" : "/b"));
    // A field in the table takes one byte.
    expect(server.requests[50]!.block).toBe(5);
    expect([...server.bodies.values()]).toEqual(Array.from({ length: 100 }, () => 20));
    expect(server.ended.size).toBe(100);
  });

  test("a server without a header table gets all fields in every request", () => {
    const server = new Server();
    server.request();
    server.request();
    server.flush();
    server.send(settings([[SETTING.headerTableSize, 0]]));
    server.request();
    server.request();
    server.flush();
    expect(server.requests.map(({ fields }) => fields)).toEqual(Array(4).fill(server.requests[0]!.fields));
    expect(server.requests[3]!.block).toBeGreaterThan(20);
  });

  test("a large message keeps to the windows, and a small one does not wait behind its window", () => {
    const server = new Server();
    server.send(settings([[SETTING.initialWindowSize, 1000]]));
    server.request("/a", Buffer.alloc(200_000));
    server.request("/a", Buffer.alloc(100));
    server.flush();
    expect([...server.bodies]).toEqual([
      [1, 1000],
      [3, 100],
    ]);
    server.send(frame(TYPE.windowUpdate, 0, 1, uint32(1_000_000)));
    expect(server.bodies.get(1)).toBe(DEFAULT_WINDOW - 100);
    expect(server.ended).toEqual(new Set([3]));
    server.send(frame(TYPE.windowUpdate, 0, 0, uint32(1_000_000)));
    expect(server.bodies.get(1)).toBe(200_000);
    expect(server.ended).toEqual(new Set([3, 1]));
  });

  test("no more streams are open than the server allows; the others follow in their order", () => {
    const server = new Server();
    server.send(settings([[SETTING.maxConcurrentStreams, 1]]));
    const [first] = server.request("/a");
    const [, second] = server.request("/b");
    server.request("/c");
    server.flush();
    expect(server.requests).toHaveLength(1);
    expect(server.connection.cancel(second)).toBe(false);
    server.send(response(1, [[":status", "200"]], true));
    expect(first.outcome).toBe("ended");
    expect(server.requests.map(({ fields }) => fields[1])).toEqual(["/a", "/c"]);
    expect(server.ended).toEqual(new Set([1, 3]));
  });
});

describe("receiving", () => {
  test("headers, data and trailers go to their stream, wherever the pieces are cut", () => {
    const server = new Server();
    const [one] = server.request();
    const [other] = server.request();
    server.flush();
    const all = Buffer.concat([
      response(3, [[":status", "200"]]),
      response(1, [[":status", "404"]], true),
      frame(TYPE.data, FLAG.padded, 3, Buffer.from("\x02onexx")),
      frame(TYPE.data, 0, 3, Buffer.from("two")),
      frame(TYPE.headers, FLAG.endStream, 3, headerBlock([["grpc-status", "0"]])),
      frame(TYPE.continuation, FLAG.endHeaders, 3, headerBlock([["grpc-message", "x"]])),
    ]);
    for (const byte of all) server.connection.receive(Buffer.of(byte));
    expect(one).toMatchObject({ fields: [":status", "404"], outcome: "ended" });
    expect(other).toMatchObject({
      fields: [":status", "200", "grpc-status", "0", "grpc-message", "x"],
      body: "onetwo",
      outcome: "ended",
    });
  });

  test("the server gets window updates for what was read, and acknowledgements of its pings", () => {
    const server = new Server();
    server.request();
    server.flush();
    const { granted } = server;
    const piece = frame(TYPE.data, 0, 1, Buffer.alloc(DEFAULT_FRAME_SIZE));
    for (let i = 0; i < 512; i++) server.connection.receive(piece);
    server.send(frame(TYPE.ping, 0, 0, Buffer.from("12345678")));
    // Both windows, on the stream and on the connection.
    expect(server.granted - granted).toBe(2 * 512 * DEFAULT_FRAME_SIZE);
    expect(server.pongs).toEqual(["12345678"]);
  });

  test("a refused stream had no effect; a reset stream may have had one", () => {
    const server = new Server();
    const [refused] = server.request();
    const [reset] = server.request();
    server.flush();
    server.send(frame(TYPE.reset, 0, 1, uint32(ERROR.refusedStream)), frame(TYPE.reset, 0, 3, uint32(ERROR.internal)));
    expect(refused.outcome).toMatchObject({ sent: false });
    expect(reset.outcome).toMatchObject({ sent: true });
  });

  test("after GOAWAY the server ends the streams that it has begun; the others had no effect", () => {
    const server = new Server();
    const [begun] = server.request();
    const [ignored] = server.request();
    server.flush();
    server.send(frame(TYPE.goAway, 0, 0, Buffer.concat([uint32(1), uint32(ERROR.none)])));
    expect(ignored.outcome).toMatchObject({ sent: false });
    expect([server.connection.open, server.destroyed, begun.outcome]).toEqual([false, false, undefined]);
    server.send(response(1, [[":status", "200"]], true));
    expect([begun.outcome, server.destroyed]).toEqual(["ended", true]);
  });

  test("a connection that ends says which requests may have had an effect", () => {
    const server = new Server();
    const [left] = server.request();
    server.flush();
    const [stayed] = server.request();
    server.connection.end("broken");
    expect(left.outcome).toEqual({ why: "broken", sent: true });
    expect(stayed.outcome).toEqual({ why: "broken", sent: false });
  });

  test("a cancelled stream is reset, and what still arrives on it is ignored", () => {
    const server = new Server();
    const [recorded, stream] = server.request();
    server.flush();
    expect(server.connection.cancel(stream)).toBe(true);
    server.send(response(1, [[":status", "200"]]), frame(TYPE.data, FLAG.endStream, 1, Buffer.from("late")));
    expect(server.resets.get(1)).toBe(ERROR.cancel);
    expect(recorded).toMatchObject({ fields: [], body: "", outcome: undefined });
    expect(server.destroyed).toBe(false);
  });

  test.each([
    ["no HTTP/2", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["a stream that was never opened", frame(TYPE.data, 0, 7, Buffer.from("x"))],
    ["a push", frame(TYPE.pushPromise, FLAG.endHeaders, 1, uint32(2))],
    ["headers that do not go on", Buffer.concat([frame(TYPE.headers, 0, 1), frame(TYPE.ping, 0, 0, Buffer.alloc(8))])],
    ["more padding than there is", frame(TYPE.data, FLAG.padded, 1, Buffer.of(9, 1))],
  ])("%s ends the connection, and nothing else", (_, bytes) => {
    const server = new Server();
    const [recorded] = server.request();
    server.flush();
    server.send(bytes);
    expect(server.destroyed).toBe(true);
    expect(recorded.outcome).toMatchObject({ sent: true });
    expect(server.connection.open).toBe(false);
  });
});
