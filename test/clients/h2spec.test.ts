/**
 * A suite of others for servers of HTTP/2 (h2spec): what it sends nearly keeps to RFC 9113 and RFC 7541, and a server has to
 * end the stream or the connection as they say. It is played against a server that reads every body before it answers: one that
 * has answered already need not look at what follows.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { afterAll, describe, expect, test } from "vitest";
import { Http2Connection, type Http2Stream, outputPages } from "../../src/http2/index.ts";
import { testAuthority } from "../../src/server/testing/certificates.ts";
import { systemClock } from "../../src/util/clock.ts";
import { built } from "./built.ts";

const bin = await built({
  name: "h2spec",
  folder: new URL("h2spec/", import.meta.url).pathname,
  commands: (output) => [["go", "build", "-o", `${output}/`, "tool"]],
});

const faults: unknown[] = [];
const pages = outputPages(8);

/** Answers when the body is there. */
function answer(stream: Http2Stream): void {
  stream.open({ data() {}, broken() {}, end: () => stream.respond(200, {}, Buffer.from("hello")) });
  stream.start();
}

const { key, cert } = testAuthority().server();
const server = tls.createServer({ key, cert, ALPNProtocols: ["h2"] }, (socket) => {
  const connection = new Http2Connection({
    transport: {
      write: (bytes, sent) => void socket.write(bytes, sent),
      end: () => void socket.end(),
      destroy: () => void socket.destroy(),
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
    },
    limits: {
      streams: 100,
      streamWindow: 65_536,
      headerBytes: 65_536,
      headerFields: 1000,
      resets: { burst: 500, perSecond: 33 },
    },
    later: systemClock.loop.later,
    now: () => systemClock.steady(),
    pages,
    headerMemory: { take: () => true, give() {} },
    onRequest: answer,
    onHeaders() {},
    onEnding() {},
    onFault: (error) => faults.push(error),
  });
  socket.on("data", (piece: Buffer) => connection.receive(piece));
  socket.on("error", () => {});
  socket.on("close", () => connection.closed());
});
afterAll(() => server.close());

describe.skipIf(bin === undefined)("h2spec", () => {
  test("finds nothing that the server does wrong", async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const flags = ["--tls", "--insecure", "--strict", "--timeout", "10"];
    const suite = spawn(`${bin}/h2spec`, [...flags, "--host", "127.0.0.1", "--port", String(port)]);
    let text = "";
    suite.stdout.on("data", (piece: Buffer) => (text += piece.toString()));
    await once(suite, "close");
    const [, tests = "", passed = ""] = /(\d+) tests, (\d+) passed/.exec(text) ?? [];
    const failures = text.includes("Failures:") ? text.slice(text.indexOf("Failures:")) : "";
    expect({ failures, passed, faults }).toEqual({ failures: "", passed: tests, faults: [] });
    expect(Number(tests)).toBeGreaterThan(140);
  });
});
