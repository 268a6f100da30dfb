import { describe, expect, test } from "vitest";
import { bytesInUse } from "../util/testing/heap.ts";
import { ERROR, FLAG, SETTING, TYPE } from "./constants.ts";
import { PREFACE, frame, headerBlock, indexed, literal, requestBlock, settings, uint32 } from "./testing/frames.ts";
import { LIMITS, Peer } from "./testing/peer.ts";

const HEADERS = FLAG.endHeaders | FLAG.endStream;
const get = (stream: number): Buffer => frame(TYPE.headers, HEADERS, stream, requestBlock("GET", "/"));
/** Bytes of a body that are accepted after its response. */
const MOST_UNREAD = 4 << 20;
const OK = { "content-type": "text/plain" };

describe("requests and responses", () => {
  test("a request comes with its fields, and its response leaves in one piece", () => {
    const peer = Peer.open();
    peer.request(1, { path: "/a?b", headers: [["accept", "x"]] });
    const [stream] = peer.requests;
    expect(stream!.head).toMatchObject({ method: "GET", path: "/a?b" });
    expect(stream!.head.fields.slice(-2)).toEqual(["accept", "x"]);
    stream!.respond(200, OK, Buffer.from("hello"));
    peer.turn();
    expect(peer.response(1)).toEqual({
      heads: [{ ":status": "200", ...OK }],
      body: "hello",
      isEnded: true,
      reset: undefined,
    });
    expect(peer.connection.openStreams).toBe(0);
  });

  test("a response in pieces, and one without a body", () => {
    const peer = Peer.open();
    peer.request(1);
    peer.request(3);
    peer.requests[0]!.respond(200, OK, [Buffer.from("a"), Buffer.from(""), Buffer.from("b")]);
    peer.requests[1]!.respond(204, {});
    peer.turn();
    expect([peer.response(1).body, peer.response(1).isEnded, peer.response(3).isEnded]).toEqual(["ab", true, true]);
  });

  test("a response whose bytes come later: the head leaves at once, each piece when it comes", () => {
    const peer = Peer.open();
    peer.request(1);
    const [stream] = peer.requests;
    stream!.begin(200, OK);
    peer.turn();
    expect(peer.response(1).heads).toHaveLength(1);
    stream!.write(Buffer.from("a"));
    peer.turn();
    expect(peer.response(1)).toMatchObject({ body: "a", isEnded: false });
    stream!.write(Buffer.from("b"));
    stream!.end();
    peer.turn();
    expect(peer.response(1)).toMatchObject({ body: "ab", isEnded: true });
  });

  test("an interim response comes before the final one, and not behind it", () => {
    const peer = Peer.open();
    peer.request(1, { method: "POST", ends: false });
    const [stream] = peer.requests;
    stream!.interim(100);
    stream!.respond(200, OK);
    stream!.interim(100);
    peer.turn();
    expect(peer.response(1).heads.map((head) => head[":status"])).toEqual(["100", "200"]);
  });

  test("headers of a response may need several frames", () => {
    const peer = Peer.open();
    peer.request(1);
    peer.requests[0]!.respond(200, { a: "x".repeat(40_000) });
    peer.turn();
    const kinds = peer.frames.filter(({ stream }) => stream === 1).map(({ type, flags }) => [type, flags]);
    expect(kinds).toEqual([
      [TYPE.headers, FLAG.endStream],
      [TYPE.continuation, 0],
      [TYPE.continuation, FLAG.endHeaders],
    ]);
  });

  test("a header that cannot be sent throws, and another response can be given", () => {
    const peer = Peer.open();
    peer.request(1);
    expect(() => peer.requests[0]!.respond(200, { a: "\r\n" })).toThrow("expected header a");
    peer.requests[0]!.respond(500, {});
    peer.turn();
    expect(peer.response(1).heads[0]).toEqual({ ":status": "500" });
  });
});

describe("whatever is called in whatever state, nothing throws", () => {
  const calls = (peer: Peer): void => {
    const [stream] = peer.requests;
    stream!.interim(100);
    stream!.respond(200, OK, Buffer.from("x"));
    stream!.begin(200, OK);
    stream!.write(Buffer.from("x"));
    stream!.end();
    stream!.allow(1e6);
    stream!.reset(ERROR.internal);
    stream!.respond(200, OK);
    peer.turn();
  };

  test.each<[string, (peer: Peer) => void]>([
    ["answered", (peer) => peer.requests[0]!.respond(200, OK)],
    ["begun", (peer) => peer.requests[0]!.begin(200, OK)],
    ["reset by the server", (peer) => peer.requests[0]!.reset(ERROR.internal)],
    ["reset by the peer", (peer) => peer.send(frame(TYPE.reset, 0, 1, uint32(ERROR.cancel)))],
    ["of a connection that fails", (peer) => peer.send(frame(TYPE.data, 0, 0))],
    ["of a connection that ends", (peer) => peer.connection.close()],
    ["of a connection that is broken off", (peer) => peer.connection.destroy()],
    ["of a socket that has closed", (peer) => peer.connection.closed()],
  ])("a stream that was %s", async (_what, bring) => {
    const peer = Peer.open();
    peer.request(1, { method: "POST", ends: false });
    let over = 0;
    peer.requests[0]!.onOver(() => over++);
    bring(peer);
    calls(peer);
    peer.turn();
    await Promise.resolve();
    expect([peer.faults, over, peer.connection.openStreams]).toEqual([[], 1, 0]);
    // A late listener is called, too.
    peer.requests[0]!.onOver(() => over++);
    await Promise.resolve();
    expect(over).toBe(2);
  });

  test("a listener that fails is reported, and the others are called", () => {
    const peer = Peer.open();
    peer.request(1);
    const [stream] = peer.requests;
    let notified = 0;
    stream!.onOver(() => {
      throw new Error("a mistake");
    });
    stream!.onOver(() => notified++);
    stream!.respond(200, OK);
    peer.turn();
    expect([notified, peer.faults.map(String)]).toEqual([1, ["Error: a mistake"]]);
  });

  test("a handler that fails ends its stream, and the connection goes on", () => {
    const peer = Peer.open({
      onRequest: ({ id }) => {
        if (id === 1) throw new Error("a mistake");
      },
    });
    peer.request(1);
    peer.request(3);
    expect([peer.response(1).reset, peer.response(3).reset, peer.goAway]).toEqual([
      ERROR.internal,
      undefined,
      undefined,
    ]);
    expect(peer.faults.map(String)).toEqual(["Error: a mistake"]);
  });
});

describe("windows (RFC 9113 5.2 and 6.9)", () => {
  test("no more is sent than the peer lets a stream send, and the rest when it lets", () => {
    const peer = Peer.open({}, [[SETTING.initialWindowSize, 10]]);
    peer.request(1);
    peer.requests[0]!.respond(200, OK, Buffer.from("0123456789abcdef"));
    peer.turn();
    expect(peer.response(1)).toMatchObject({ body: "0123456789", isEnded: false });
    peer.send(frame(TYPE.windowUpdate, 0, 1, uint32(100)));
    expect(peer.response(1)).toMatchObject({ body: "0123456789abcdef", isEnded: true });
  });

  test("no more is sent than the peer lets all streams send; heads and short responses pass", () => {
    const peer = Peer.open({}, [[SETTING.initialWindowSize, 1 << 20]]);
    peer.request(1);
    peer.requests[0]!.respond(200, OK, Buffer.alloc(100_000));
    peer.turn();
    expect(peer.response(1).body).toHaveLength(65_535);
    peer.request(3);
    peer.requests[1]!.respond(204, {});
    peer.turn();
    expect(peer.response(3).isEnded).toBe(true);
    peer.request(5);
    peer.requests[2]!.respond(200, OK, Buffer.from("x"));
    peer.turn();
    expect(peer.response(5)).toMatchObject({ heads: [expect.anything()], body: "" });
    peer.send(frame(TYPE.windowUpdate, 0, 0, uint32(1 << 20)));
    expect([peer.response(1).isEnded, peer.response(5).isEnded]).toEqual([true, true]);
  });

  test("RFC 9113 6.9.2: a window that the peer makes smaller may be less than nothing", () => {
    const peer = Peer.open();
    peer.request(1);
    peer.requests[0]!.begin(200, OK);
    peer.requests[0]!.write(Buffer.alloc(1000));
    peer.turn();
    peer.send(settings([[SETTING.initialWindowSize, 500]]));
    peer.requests[0]!.write(Buffer.from("abc"));
    peer.send(frame(TYPE.windowUpdate, 0, 1, uint32(500)));
    expect(peer.response(1).body).toHaveLength(1000);
    peer.send(frame(TYPE.windowUpdate, 0, 1, uint32(2)));
    expect(peer.response(1).body.slice(1000)).toBe("ab");
    peer.send(settings([[SETTING.initialWindowSize, 501]]));
    expect(peer.response(1).body.slice(1000)).toBe("abc");
  });

  test("streams send one frame each: a long response does not delay a short one", () => {
    const peer = Peer.open({}, [[SETTING.initialWindowSize, 1 << 24]]);
    peer.send(frame(TYPE.windowUpdate, 0, 0, uint32(1 << 24)));
    peer.takes = false;
    peer.request(1);
    peer.request(3);
    peer.requests[0]!.respond(200, OK, Buffer.alloc(1 << 20));
    peer.turn();
    peer.requests[1]!.respond(200, OK, Buffer.alloc(20_000));
    peer.takeAll();
    expect(peer.response(3).isEnded).toBe(true);
    expect(peer.response(1)).toMatchObject({ isEnded: true, body: expect.objectContaining({ length: 1 << 20 }) });
    const last = (stream: number): number => peer.frames.findLastIndex((got) => got.stream === stream);
    expect(last(3)).toBeLessThan(last(1));
  });

  test("a body comes as far as the window of its stream; who reads it opens that", () => {
    const peer = Peer.open();
    peer.connection.trust();
    peer.request(1, { method: "POST", ends: false });
    const [stream] = peer.requests;
    let got = 0;
    stream!.open({ data: (piece) => (got += piece.length), end: () => {}, broken: () => {} });
    for (let i = 0; i < 4; i++) peer.data(1, Buffer.alloc(16_384));
    expect(got).toBe(0);
    stream!.start();
    expect(got).toBe(65_536);
    stream!.allow(100_000);
    peer.turn();
    expect(
      peer
        .of(TYPE.windowUpdate)
        .find((sent) => sent.stream === 1)
        ?.payload.readUInt32BE(0),
    ).toBe(100_000 - 65_536);
    peer.data(1, Buffer.alloc(16_384));
    peer.data(1, Buffer.alloc(16_384));
    expect(got).toBe(98_304);
    peer.data(1, Buffer.alloc(2000));
    expect(peer.response(1).reset).toBe(ERROR.flowControl);
  });

  test("RFC 9113 6.9.1: padding counts, and is given back", () => {
    const peer = Peer.open();
    peer.request(1, { method: "POST", ends: false });
    peer.send(
      frame(TYPE.data, FLAG.padded, 1, Buffer.concat([Buffer.of(200), Buffer.from("body"), Buffer.alloc(200)])),
    );
    expect(peer.of(TYPE.windowUpdate).map(({ stream, payload }) => [stream, payload.readUInt32BE(0)])).toEqual([
      [1, 201],
    ]);
  });

  test("before authentication unread bodies share one window", () => {
    const peer = Peer.open();
    for (const id of [1, 3]) peer.request(id, { method: "POST", ends: false });
    for (let i = 0; i < 3; i++) peer.data(1, Buffer.alloc(16_384));
    peer.data(3, Buffer.alloc(16_383));
    expect(peer.of(TYPE.windowUpdate)).toEqual([]);
    peer.requests[0]!.respond(401, {});
    peer.turn();
    // The buffered bytes of its body are released, and the rest is not buffered.
    expect(peer.of(TYPE.windowUpdate).map(({ stream, payload }) => [stream, payload.readUInt32BE(0)])).toEqual([
      [1, MOST_UNREAD],
      [0, 49_152],
    ]);
    peer.connection.trust();
    peer.turn();
    expect(peer.of(TYPE.windowUpdate).at(-1)!.payload.readUInt32BE(0)).toBe(10 * 65_536 - 49_152);
  });
});

describe("a body that is not read to its end before the response (RFC 9113 8.1)", () => {
  const responded = (length?: number): Peer => {
    const peer = Peer.open();
    peer.connection.trust();
    const headers = length === undefined ? [] : ([["content-length", String(length)]] as const);
    peer.request(1, { method: "POST", ends: false, headers });
    peer.requests[0]!.respond(413, {}, Buffer.from("too large"));
    peer.turn();
    return peer;
  };
  const piece = Buffer.alloc(16_384);

  test("may come to its end, so that a client that reads no response before gets it whole, and the request is over", () => {
    const peer = responded(MOST_UNREAD);
    expect([peer.connection.openStreams, peer.requests[0]!.isClosed]).toEqual([0, true]);
    for (let i = 0; i < MOST_UNREAD / piece.length; i++) peer.data(1, piece);
    peer.data(1, "", true);
    expect(peer.response(1)).toMatchObject({ body: "too large", isEnded: true, reset: undefined });
    peer.data(1, "more");
    peer.request(3);
    expect([peer.requests.length, peer.goAway, peer.response(1).reset]).toEqual([2, undefined, undefined]);
  });

  test("needs no larger window when the rest of it is small", () => {
    const peer = responded(65_536);
    for (let i = 0; i < 3; i++) peer.data(1, piece);
    peer.data(1, piece, true);
    expect(peer.of(TYPE.windowUpdate).filter(({ stream }) => stream === 1)).toEqual([]);
    expect([peer.response(1).reset, peer.goAway]).toEqual([undefined, undefined]);
  });

  test("may end with trailers, or with a reset of its client", () => {
    const peer = responded();
    peer.send(frame(TYPE.headers, HEADERS, 1, headerBlock([["a", "b"]])));
    peer.request(3, { method: "POST", ends: false });
    peer.requests[1]!.respond(413, {});
    peer.turn();
    peer.send(frame(TYPE.reset, 0, 3, uint32(ERROR.cancel)));
    for (let i = 0; i < 1000; i++) for (const id of [1, 3]) peer.data(id, piece);
    expect([peer.response(1).reset, peer.response(3).reset, peer.goAway]).toEqual([undefined, undefined, undefined]);
  });

  test("is stopped without an error where its client sends more than 4 MiB", () => {
    const peer = responded();
    for (let i = 0; i < 300; i++) peer.data(1, piece);
    expect([peer.response(1).isEnded, peer.response(1).reset, peer.goAway]).toEqual([true, ERROR.none, undefined]);
    const all = peer.of(TYPE.windowUpdate).filter(({ stream }) => stream === 1);
    expect(all.map(({ payload }) => payload.readUInt32BE(0))).toEqual([MOST_UNREAD]);
  });

  test("is none where the response is sent while its last part is read", () => {
    const peer = Peer.open();
    const response = (id: number): void => {
      peer.request(id, { method: "POST", ends: false });
      const stream = peer.requests.at(-1)!;
      stream.open({ data: () => stream.respond(200, {}), end: () => {}, broken: () => {} });
      stream.start();
      peer.data(id, "all", true);
    };
    for (let i = 0; i <= LIMITS.streams; i++) response(1 + 2 * i);
    expect([peer.response(1).isEnded, peer.of(TYPE.reset)]).toEqual([true, []]);
  });

  test("is stopped where there are as many of them as there may be streams", () => {
    const peer = responded();
    for (let i = 1; i <= LIMITS.streams; i++) {
      expect(peer.response(1).reset).toBeUndefined();
      peer.request(1 + 2 * i, { method: "POST", ends: false });
      peer.requests[i]!.respond(413, {});
      peer.turn();
    }
    expect([peer.response(1).reset, peer.response(3).reset]).toEqual([ERROR.none, undefined]);
  });
});

describe("what a peer may not do ends a stream or the connection", () => {
  const open = (): Peer => {
    const peer = Peer.open();
    peer.request(1, { method: "POST", ends: false, headers: [["content-length", "5"]] });
    peer.request(3);
    peer.requests[1]!.respond(200, OK);
    peer.turn();
    return peer;
  };

  test.each([
    ["a body that is shorter than it says", [frame(TYPE.data, FLAG.endStream, 1, Buffer.from("{}"))], ERROR.protocol],
    ["a body that is longer than it says", [frame(TYPE.data, 0, 1, Buffer.from("123456"))], ERROR.protocol],
    ["no body where one was announced", [frame(TYPE.headers, HEADERS, 1, headerBlock([["a", "b"]]))], ERROR.protocol],
    [
      "trailers that do not end the stream",
      [frame(TYPE.headers, FLAG.endHeaders, 1, headerBlock([["a", "b"]]))],
      ERROR.protocol,
    ],
    ["a window that does not grow", [frame(TYPE.windowUpdate, 0, 1, uint32(0))], ERROR.protocol],
    ["a window that grows too large", [frame(TYPE.windowUpdate, 0, 1, uint32(2 ** 31 - 1))], ERROR.flowControl],
    [
      "a priority of its own stream",
      [frame(TYPE.priority, 0, 1, Buffer.concat([uint32(1), Buffer.of(1)]))],
      ERROR.protocol,
    ],
  ])("a stream: %s", async (_what, frames, code) => {
    const peer = open();
    let broken = 0;
    peer.requests[0]!.open({ data: () => {}, end: () => {}, broken: () => broken++ });
    peer.requests[0]!.start();
    peer.send(...frames);
    expect([peer.response(1).reset, peer.goAway, broken]).toEqual([code, undefined, 1]);
    peer.request(5);
    expect(peer.requests).toHaveLength(3);
    await Promise.resolve();
    expect(peer.faults).toEqual([]);
  });

  test.each([
    ["a request that is malformed", frame(TYPE.headers, HEADERS, 5, headerBlock([[":method", "GET"]])), ERROR.protocol],
    [
      "a header of HTTP/1.1",
      frame(TYPE.headers, HEADERS, 5, requestBlock("GET", "/", [["connection", "close"]])),
      ERROR.protocol,
    ],
    [
      "a capital in a name",
      frame(TYPE.headers, HEADERS, 5, requestBlock("GET", "/", [["Accept", "x"]])),
      ERROR.protocol,
    ],
    [
      "no body where one was announced",
      frame(TYPE.headers, HEADERS, 5, requestBlock("POST", "/", [["content-length", "1"]])),
      ERROR.protocol,
    ],
    ["a body of a stream that has ended", frame(TYPE.data, 0, 3, Buffer.from("x")), ERROR.streamClosed],
  ])("a stream that is not begun: %s", (_what, bytes, code) => {
    const peer = open();
    peer.send(bytes);
    expect(peer.of(TYPE.reset).at(-1)?.payload.readUInt32BE(0)).toBe(code);
    expect([peer.requests.length, peer.goAway]).toEqual([2, undefined]);
  });

  test.each<[string, readonly Buffer[], number]>([
    ["a frame of the connection on a stream", [frame(TYPE.settings, 0, 1)], ERROR.protocol],
    ["a frame of a stream on the connection", [frame(TYPE.data, 0, 0)], ERROR.protocol],
    ["data of a stream that has not begun", [frame(TYPE.data, 0, 9, Buffer.from("x"))], ERROR.protocol],
    ["a reset of a stream that has not begun", [frame(TYPE.reset, 0, 9, uint32(0))], ERROR.protocol],
    ["a window of a stream that has not begun", [frame(TYPE.windowUpdate, 0, 9, uint32(1))], ERROR.protocol],
    ["headers of a stream that has ended", [get(3)], ERROR.streamClosed],
    ["a stream with an even number", [get(6)], ERROR.protocol],
    ["a promise", [frame(TYPE.pushPromise, FLAG.endHeaders, 1, uint32(2))], ERROR.protocol],
    ["settings that are cut off", [frame(TYPE.settings, 0, 0, Buffer.alloc(5))], ERROR.frameSize],
    ["an acknowledgement that says something", [frame(TYPE.settings, FLAG.ack, 0, Buffer.alloc(6))], ERROR.frameSize],
    ["a window that is too large", [settings([[SETTING.initialWindowSize, 2 ** 31]])], ERROR.flowControl],
    [
      "windows that become too large",
      [
        settings([[SETTING.initialWindowSize, 100]]),
        frame(TYPE.windowUpdate, 0, 1, uint32(2 ** 31 - 101)),
        settings([[SETTING.initialWindowSize, 200]]),
      ],
      ERROR.flowControl,
    ],
    ["a frame size that is too small", [settings([[SETTING.maxFrameSize, 100]])], ERROR.protocol],
    ["a push that is neither on nor off", [settings([[SETTING.enablePush, 2]])], ERROR.protocol],
    ["a ping of seven bytes", [frame(TYPE.ping, 0, 0, Buffer.alloc(7))], ERROR.frameSize],
    ["a window of three bytes", [frame(TYPE.windowUpdate, 0, 0, Buffer.alloc(3))], ERROR.frameSize],
    ["the window of the connection that does not grow", [frame(TYPE.windowUpdate, 0, 0, uint32(0))], ERROR.protocol],
    [
      "the window of the connection that grows too large",
      [frame(TYPE.windowUpdate, 0, 0, uint32(2 ** 31 - 1))],
      ERROR.flowControl,
    ],
    ["GOAWAY that is cut off", [frame(TYPE.goAway, 0, 0, Buffer.alloc(7))], ERROR.frameSize],
    ["padding that is longer than its frame", [frame(TYPE.data, FLAG.padded, 1, Buffer.of(9, 0))], ERROR.protocol],
    ["padding without a length", [frame(TYPE.data, FLAG.padded, 1)], ERROR.frameSize],
    [
      "headers that depend on themselves",
      [
        frame(
          TYPE.headers,
          HEADERS | FLAG.priority,
          5,
          Buffer.concat([uint32(5), Buffer.of(1), requestBlock("GET", "/")]),
        ),
      ],
      ERROR.protocol,
    ],
    [
      "something between headers",
      [frame(TYPE.headers, FLAG.endStream, 5, requestBlock("GET", "/")), frame(TYPE.ping, 0, 0, Buffer.alloc(8))],
      ERROR.protocol,
    ],
    [
      "headers that go on on another stream",
      [frame(TYPE.headers, FLAG.endStream, 5, requestBlock("GET", "/")), frame(TYPE.continuation, FLAG.endHeaders, 7)],
      ERROR.protocol,
    ],
    ["headers that go on and have not begun", [frame(TYPE.continuation, FLAG.endHeaders, 5)], ERROR.protocol],
    ["headers that are none", [frame(TYPE.headers, HEADERS, 5, indexed(100))], ERROR.compression],
    ["a frame that is too large", [frame(TYPE.data, 0, 1, Buffer.alloc(16_385))], ERROR.frameSize],
  ])("the connection: %s", async (_what, frames, code) => {
    const peer = open();
    peer.send(...frames);
    expect([peer.goAway, peer.socket, peer.isEnding, peer.connection.openStreams]).toEqual([code, ["end"], true, 0]);
    const before = peer.frames.length;
    peer.send(get(11), frame(TYPE.ping, 0, 0, Buffer.alloc(8)));
    expect([peer.frames.length, peer.requests.length]).toEqual([before, 2]);
    await Promise.resolve();
    expect(peer.faults).toEqual([]);
  });

  test.each([
    ["no preface", [Buffer.from("GET / HTTP/1.1\r\nhost: x\r\n\r\n")]],
    ["no settings", [PREFACE, get(1)]],
    ["an acknowledgement of settings first", [PREFACE, frame(TYPE.settings, FLAG.ack, 0)]],
  ])("the connection, at its beginning: %s", (_what, pieces) => {
    const peer = new Peer();
    peer.send(...pieces);
    expect([peer.goAway, peer.socket]).toEqual([ERROR.protocol, ["end"]]);
  });
});

describe("what is no mistake", () => {
  test("a body, trailers, padding, priorities, unknown frames and settings", () => {
    const peer = Peer.open({}, [[99, 1]]);
    const priority = Buffer.concat([uint32(0), Buffer.of(1)]);
    peer.send(
      frame(
        TYPE.headers,
        FLAG.endHeaders | FLAG.priority | FLAG.padded,
        1,
        Buffer.concat([Buffer.of(3), priority, requestBlock("POST", "/"), Buffer.alloc(3)]),
      ),
      frame(TYPE.priority, 0, 7, priority),
      frame(77, 0xff, 1, Buffer.from("?")),
      frame(TYPE.data, 0, 1, Buffer.from("ab")),
      frame(TYPE.data, 0, 1),
      frame(TYPE.headers, HEADERS, 1, headerBlock([["x-checksum", "1"]])),
    );
    let body = "";
    peer.requests[0]!.open({
      data: (piece) => (body += Buffer.from(piece).toString()),
      end: () => (body += "."),
      broken: () => {},
    });
    peer.requests[0]!.start();
    expect([body, peer.goAway, peer.of(TYPE.reset)]).toEqual(["ab.", undefined, []]);
  });

  test("headers in many frames", () => {
    const peer = Peer.open();
    const block = requestBlock("GET", "/", [["x", "y".repeat(5000)]]);
    peer.send(frame(TYPE.headers, FLAG.endStream, 1, block.subarray(0, 1)));
    for (let at = 1; at < block.length; at += 100) {
      const isLast = at + 100 >= block.length;
      peer.send(frame(TYPE.continuation, isLast ? FLAG.endHeaders : 0, 1, block.subarray(at, at + 100)));
    }
    expect(peer.requests[0]?.head.fields.at(-1)).toHaveLength(5000);
  });

  test("what still comes on a stream that the server has reset", () => {
    const peer = Peer.open();
    peer.request(1, { method: "POST", ends: false });
    peer.requests[0]!.respond(413, {});
    peer.turn();
    const resets = peer.of(TYPE.reset).length;
    peer.send(
      frame(TYPE.data, 0, 1, Buffer.from("more")),
      frame(TYPE.windowUpdate, 0, 1, uint32(5)),
      frame(TYPE.headers, HEADERS, 1, headerBlock([["a", "b"]])),
      frame(TYPE.reset, 0, 1, uint32(ERROR.cancel)),
    );
    expect([peer.of(TYPE.reset).length, peer.goAway]).toEqual([resets, undefined]);
  });

  test("settings and pings are acknowledged, each once and in order", () => {
    const peer = Peer.open();
    peer.send(
      frame(TYPE.ping, 0, 0, Buffer.from("12345678")),
      settings([]),
      frame(TYPE.ping, FLAG.ack, 0, Buffer.from("abcdefgh")),
    );
    expect(
      peer.frames.map(({ type, flags, payload }) => `${type} ${flags} ${type === TYPE.ping ? payload.toString() : ""}`),
    ).toEqual(["4 0 ", "4 1 ", "6 1 12345678", "4 1 "]);
  });

  test("an indexed field is the one that was sent, on every stream", () => {
    const peer = Peer.open();
    peer.send(frame(TYPE.headers, HEADERS, 1, Buffer.concat([requestBlock("GET", "/"), literal("x", "y", true)])));
    peer.send(frame(TYPE.headers, HEADERS, 3, Buffer.concat([requestBlock("GET", "/"), indexed(62)])));
    expect(peer.requests[1]?.head.fields.slice(-2)).toEqual(["x", "y"]);
  });
});

describe("a connection has bounds", () => {
  test("streams beyond the limit are refused, and may be tried again", () => {
    const peer = Peer.open();
    for (let i = 0; i <= LIMITS.streams; i++) peer.request(2 * i + 1);
    expect([peer.requests.length, peer.response(21).reset]).toEqual([10, ERROR.refusedStream]);
    peer.requests[0]!.respond(200, OK);
    peer.turn();
    peer.request(23);
    expect(peer.requests).toHaveLength(11);
  });

  test("headers that are too large are refused with 431, a field that cannot be taken with 400", () => {
    const peer = Peer.open();
    peer.request(1, { headers: Array.from({ length: 95 }, (_, i) => [`x-${i}`, "y".repeat(140)] as const) });
    peer.request(3, { headers: [["impersonate-user", " jane"]] });
    expect(peer.requests.map(({ head }) => [head.refusal?.status, head.fields])).toEqual([
      [431, []],
      [400, []],
    ]);
  });

  test("headers that go on without an end are cut off (CVE-2024-27983)", () => {
    const empty = Peer.open();
    empty.send(frame(TYPE.headers, FLAG.endStream, 1, requestBlock("GET", "/")));
    for (let i = 0; i < 300; i++) empty.send(frame(TYPE.continuation, 0, 1));
    expect(empty.goAway).toBe(ERROR.enhanceYourCalm);
    const long = Peer.open();
    long.send(frame(TYPE.headers, FLAG.endStream, 1, requestBlock("GET", "/")));
    for (let i = 0; i < 3; i++) long.send(frame(TYPE.continuation, 0, 1, Buffer.alloc(16_384)));
    expect(long.goAway).toBe(ERROR.enhanceYourCalm);
  });

  test("headers that are not whole take memory that connections share, and give it back", () => {
    let taken = 0;
    const waits: boolean[] = [];
    const headerMemory = {
      take: (bytes: number) => taken + bytes <= 1000 && ((taken += bytes), true),
      give: (bytes: number) => void (taken -= bytes),
    };
    const peer = Peer.open({ headerMemory, onHeaders: (areWaitedFor) => waits.push(areWaitedFor) });
    const block = requestBlock("GET", "/", [["x", "y".repeat(500)]]);
    peer.send(frame(TYPE.headers, FLAG.endStream, 1, block.subarray(0, 400)));
    expect(taken).toBe(400);
    peer.send(frame(TYPE.continuation, FLAG.endHeaders, 1, block.subarray(400)));
    expect([taken, peer.requests.length, waits]).toEqual([0, 1, [true, false]]);
    peer.send(frame(TYPE.headers, FLAG.endStream, 3, block.subarray(0, 400)));
    peer.send(frame(TYPE.continuation, 0, 3, Buffer.alloc(800)));
    expect([taken, peer.goAway, waits]).toEqual([0, ERROR.enhanceYourCalm, [true, false, true, false]]);
  });

  test.each<[string, (peer: Peer, id: number) => void]>([
    [
      "takes requests back (CVE-2023-44487)",
      (peer, id) => peer.send(get(id), frame(TYPE.reset, 0, id, uint32(ERROR.cancel))),
    ],
    [
      "makes the server reset streams (CVE-2025-8671)",
      (peer, id) => peer.send(get(id), frame(TYPE.windowUpdate, 0, id, uint32(0))),
    ],
    [
      "sends malformed requests",
      (peer, id) => peer.send(frame(TYPE.headers, HEADERS, id, headerBlock([[":method", "GET"]]))),
    ],
  ])("a peer that %s again and again is cut off, one that does it now and then is not", (_what, play) => {
    const slow = Peer.open();
    for (let i = 0; i < 100; i++) {
      play(slow, 2 * i + 1);
      slow.now += 1000;
    }
    expect(slow.goAway).toBeUndefined();
    const fast = Peer.open();
    for (let i = 0; i < 30; i++) play(fast, 2 * i + 1);
    expect(fast.goAway).toBe(ERROR.enhanceYourCalm);
  });

  test("nothing is read from a peer that takes no responses to what it asks again and again", () => {
    const peer = Peer.open();
    peer.takes = false;
    const pings = Buffer.concat(Array.from({ length: 1000 }, () => frame(TYPE.ping, 0, 0, Buffer.alloc(8))));
    for (let i = 0; i < 100 && peer.socket.length === 0; i++) peer.send(pings);
    expect(peer.socket).toEqual(["pause"]);
    peer.takeAll();
    expect(peer.socket).toEqual(["pause", "resume"]);
  });

  test("no more of a long response is written than the socket accepts", () => {
    const peer = Peer.open({}, [[SETTING.initialWindowSize, 1 << 24]]);
    peer.send(frame(TYPE.windowUpdate, 0, 0, uint32(1 << 24)));
    peer.takes = false;
    peer.request(1);
    const [stream] = peer.requests;
    stream!.respond(200, OK, Buffer.alloc(1 << 20));
    peer.turn();
    expect(stream!.buffered).toBeGreaterThan(700_000);
    peer.takeAll();
    expect([stream!.buffered, peer.response(1).body.length]).toEqual([0, 1 << 20]);
  });

  test("short pieces of an unread body are kept together", () => {
    const peer = Peer.open();
    peer.connection.trust();
    peer.request(1, { method: "POST", ends: false });
    const bytes = Buffer.concat(Array.from({ length: 65_536 }, (_, i) => frame(TYPE.data, 0, 1, Buffer.of(i & 0xff))));
    const before = bytesInUse();
    peer.connection.receive(bytes);
    expect(bytesInUse() - before).toBeLessThan(2_000_000);
    const pieces: Buffer[] = [];
    peer.requests[0]!.open({ data: (piece) => pieces.push(Buffer.from(piece)), end: () => {}, broken: () => {} });
    peer.requests[0]!.start();
    expect(pieces.length).toBeLessThan(20);
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(Array.from({ length: 65_536 }, (_, i) => i & 0xff)));
  });
});

describe("the end", () => {
  test("a connection that is closed in order responds to what runs, takes nothing more, and ends", () => {
    const peer = Peer.open();
    peer.request(1);
    peer.connection.close();
    peer.request(3);
    expect([peer.goAway, peer.requests.length, peer.socket, peer.isEnding]).toEqual([ERROR.none, 1, [], false]);
    expect(peer.of(TYPE.goAway)[0]!.payload.readUInt32BE(0)).toBe(1);
    peer.requests[0]!.respond(200, OK, Buffer.from("x"));
    peer.turn();
    expect([peer.response(1).isEnded, peer.socket, peer.isEnding]).toEqual([true, ["end"], true]);
  });

  test("RFC 9113 6.8: a peer that goes away gets the responses that it has asked for", () => {
    const peer = Peer.open();
    peer.request(1);
    peer.send(frame(TYPE.goAway, 0, 0, Buffer.concat([uint32(0), uint32(0)])));
    expect(peer.socket).toEqual([]);
    peer.requests[0]!.respond(200, OK);
    peer.turn();
    expect([peer.response(1).isEnded, peer.socket]).toEqual([true, ["end"]]);
  });

  test("a response is over when its last byte was sent", () => {
    const peer = Peer.open();
    peer.takes = false;
    peer.request(1);
    let over = false;
    peer.requests[0]!.onOver(() => (over = true));
    peer.requests[0]!.respond(200, OK, Buffer.from("x"));
    peer.turn();
    expect(over).toBe(false);
    peer.takeAll();
    expect(over).toBe(true);
  });

  test("a writer that waits is resumed when the peer reads, and when the stream is closed", async () => {
    const peer = Peer.open({}, [[SETTING.initialWindowSize, 0]]);
    peer.request(1);
    const [stream] = peer.requests;
    stream!.begin(200, OK);
    let taken = 0;
    expect(stream!.write(Buffer.alloc(70_000), () => taken++)).toBe(false);
    const drained = stream!.drained();
    peer.send(frame(TYPE.windowUpdate, 0, 1, uint32(65_535)), frame(TYPE.windowUpdate, 0, 0, uint32(65_535)));
    await drained;
    peer.send(frame(TYPE.windowUpdate, 0, 1, uint32(65_535)));
    expect(taken).toBe(1);
    stream!.write(Buffer.alloc(300_000));
    const gone = stream!.drained();
    peer.connection.closed();
    await gone;
    expect(stream!.isClosed).toBe(true);
  });
});
