import { describe, expect, test } from "vitest";
import { ResponseReader } from "./response-reader.ts";

const LONG = 1000;

/** What is read of a text that comes in pieces of a length, and whether the connection is kept. */
function read(text: string, piece: number): { readonly body: string; readonly isKept: boolean } | undefined {
  const bytes = Buffer.from(text, "latin1");
  const reader = new ResponseReader(LONG);
  let isComplete = false;
  for (let at = 0; at < bytes.length; at += piece) isComplete = reader.read(bytes.subarray(at, at + piece));
  if (!isComplete && !reader.end()) return undefined;
  return { body: reader.body().toString(), isKept: reader.isKept };
}

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

describe.each([1, 3, 100_000])("in pieces of %i bytes", (piece) => {
  test.each([
    ["a length", `${OK}Content-Length: 2\r\n\r\n{}`, "{}", true],
    ["a length of nothing", `${OK}content-length:0\r\n\r\n`, "", true],
    ["no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}", "{}", true],
    ["the same length twice", `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, "{}", true],
    ["chunks", `${CHUNKED}1\r\n{\r\n00A;x=y\r\n          \r\n1\r\n}\r\n0\r\n\r\n`, "{          }", true],
    ["trailers", `${CHUNKED}2\r\n{}\r\n0\r\nX-A: b\r\n\r\n`, "{}", true],
    ["the end of the connection as its end", `${OK}\r\n{}`, "{}", false],
    [
      "other responses before",
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nLink: x\r\n\r\n${OK}Content-Length: 2\r\n\r\n{}`,
      "{}",
      true,
    ],
    ["the wish to close", `${OK}Connection: Close\r\nContent-Length: 2\r\n\r\n{}`, "{}", false],
    ["an old version", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", "{}", false],
  ])("a response with %s is read", (_, text, body, isKept) => {
    expect(read(text, piece)).toEqual({ body, isKept });
  });

  test.each([
    ["307", "HTTP/1.1 307 Temporary Redirect\r\nLocation: /x\r\n\r\n", "expected the status 200, got 307"],
    ["101", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "expected the status 200, got 101"],
    ["another protocol", "SSH-2.0-OpenSSH_9.9\r\n", "HTTP/1.1 and a status"],
    ["HTTP/2", "HTTP/2 200 OK\r\n", "HTTP/1.1 and a status"],
    ["a number that is no status", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 and a status"],
    ["bare line feeds", "HTTP/1.1 200 OK\n", "lines that end with CRLF"],
    ["two lengths", `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n`, "one length"],
    ["a length below 0", `${OK}Content-Length: -2\r\n\r\n`, "one length"],
    ["a list of lengths", `${OK}Content-Length: 2, 2\r\n\r\n`, "one length"],
    ["a length and chunks", `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`, "a length or chunks"],
    ["an unknown encoding", `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`, "chunks"],
    [
      "a body of an interim response",
      "HTTP/1.1 100 Continue\r\nContent-Length: 2\r\n\r\n",
      "no body with the status 100",
    ],
    ["a space before the colon", `${OK}Content-Length : 2\r\n\r\n`, "a name and a value"],
    ["a line that goes on", `${OK}X-A: b\r\n c\r\n\r\n`, "a name and a value"],
    ["a size below 0", `${CHUNKED}-1\r\n`, "the size of a chunk"],
    ["a size beyond all numbers", `${CHUNKED}fffffffff\r\n`, "the size of a chunk"],
    ["a chunk that is longer than its size", `${CHUNKED}1\r\n{}\r\n`, "the end of a chunk"],
    ["a long line", `${OK}X-A: ${"x".repeat(20_000)}`, "a head of at most 16384 bytes"],
    ["interim responses without an end", "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000), "a head of at most 16384 bytes"],
    ["extensions without an end", `${CHUNKED}${`1;${"x".repeat(200)}\r\n{\r\n`.repeat(200)}`, "a head of at most"],
    ["a length above the bound", `${OK}Content-Length: 1001\r\n\r\n`, "at most 1000 bytes"],
    ["chunks above the bound", `${CHUNKED}${`64\r\n${"x".repeat(100)}\r\n`.repeat(11)}`, "at most 1000 bytes"],
    ["more than the bound up to the end of the connection", `${OK}\r\n${"x".repeat(1001)}`, "at most 1000 bytes"],
  ])("%s is refused", (_, text, words) => {
    expect(() => read(text, piece)).toThrow(words);
  });
});

test.each(["", OK, `${OK}Content-Length: 2\r\n\r\n{`, `${CHUNKED}2\r\n{}\r\n`, `${CHUNKED}0\r\n`])(
  "a response that ends after %j is not complete",
  (text) => {
    expect(read(text, 1)).toBeUndefined();
  },
);

test("after bytes that nobody has asked for the connection is not kept", () => {
  expect(read(`${OK}Content-Length: 2\r\n\r\n{}HTTP/1.1`, 100_000)).toEqual({ body: "{}", isKept: false });
});

test("the other side may say how long it keeps the connection", () => {
  const reader = new ResponseReader(LONG);
  reader.read(Buffer.from(`${OK}Keep-Alive: timeout=5, max=100\r\nContent-Length: 0\r\n\r\n`));
  expect(reader.keptMillis).toBe(5000);
});
