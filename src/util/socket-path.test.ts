import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, connect } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { MAX_SOCKET_PATH_BYTES, shortPath } from "./socket-path.ts";

const root = mkdtempSync(join(tmpdir(), "keelson-socket-"));
afterAll(() => rmSync(root, { recursive: true }));

test("a short path is not changed", () => {
  const path = `/${"a".repeat(MAX_SOCKET_PATH_BYTES - 1)}`;
  using short = shortPath(path);
  expect(short.path).toBe(path);
});

test.runIf(process.platform === "linux")("a socket in a deep directory is served and reached", async () => {
  const directory = join(root, ...Array.from({ length: 10 }, () => "a-directory-with-a-long-name"));
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "csi.sock");
  const server = createServer((socket) => socket.end("hello"));
  const listening = shortPath(path);
  server.listen(listening.path);
  await once(server, "listening");
  expect(readdirSync(directory)).toEqual(["csi.sock"]);
  using reached = shortPath(path);
  const socket = connect(reached.path);
  const [data] = (await once(socket, "data")) as [Buffer];
  expect(data.toString()).toBe("hello");
  server.close();
  await once(server, "close");
  listening[Symbol.dispose]();
  expect(readdirSync(directory)).toEqual([]);
});

test.runIf(process.platform === "linux")("a missing directory is reported", () => {
  expect(() => shortPath(join(root, "none", "x".repeat(60), "y".repeat(60), "csi.sock"))).toThrow(/ENOENT/);
});

test("a name that is too long is refused with the limit and the path", () => {
  const path = join("/", "x".repeat(200));
  expect(() => shortPath(path)).toThrow(
    new RangeError(`expected the path of a socket to have at most ${MAX_SOCKET_PATH_BYTES} bytes, got 201: ${path}`),
  );
});
