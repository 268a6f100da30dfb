import { expect, test } from "vitest";
import { areTrailers, requestHead } from "./request-head.ts";

const list = (fields: readonly string[]) => ({ fields, isTooLarge: false, invalid: undefined });
const REQUEST = [":method", "GET", ":scheme", "https", ":path", "/a?b", ":authority", "x"];
const POST = [":method", "POST", ...REQUEST.slice(2)];

test("a request has a method and a path, and says how long its body is", () => {
  expect(requestHead(list([...POST, "content-length", "12", "a", "b"]))).toEqual({
    method: "POST",
    path: "/a?b",
    fields: [...POST, "content-length", "12", "a", "b"],
    contentLength: 12,
    refusal: undefined,
  });
  expect(requestHead(list(REQUEST))?.contentLength).toBe(-1);
  expect(requestHead(list([":method", "OPTIONS", ":scheme", "https", ":path", "*"]))?.path).toBe("*");
  expect(requestHead(list([":method", "CONNECT", ":authority", "x:1"]))).toMatchObject({ method: "CONNECT", path: "" });
});

test.each([
  ["no method", REQUEST.slice(2)],
  ["no path", [":method", "GET", ":scheme", "https"]],
  ["no scheme", [":method", "GET", ":path", "/"]],
  ["an empty path", [":method", "GET", ":scheme", "https", ":path", ""]],
  ["a path that is a URL", [":method", "GET", ":scheme", "https", ":path", "https://x/"]],
  ["a star that is not for OPTIONS", [":method", "GET", ":scheme", "https", ":path", "*"]],
  ["a method with a blank", [":method", "GE T", ":scheme", "https", ":path", "/"]],
  ["CONNECT with a path", [":method", "CONNECT", ":authority", "x", ":path", "/"]],
  ["the same pseudo-header field twice", [...REQUEST, ":path", "/b"]],
  ["a pseudo-header field behind a header", [...REQUEST.slice(0, 6), "a", "b", ":authority", "x"]],
  ["a pseudo-header field that there is not", [...REQUEST, ":protocol", "websocket"]],
  ["one of responses", [...REQUEST, ":status", "200"]],
  ["a header of the connection", [...REQUEST, "connection", "close"]],
  ["a coding of the connection", [...REQUEST, "transfer-encoding", "chunked"]],
  ["a wish for an upgrade", [...REQUEST, "upgrade", "websocket"]],
  ["te that is not for trailers", [...REQUEST, "te", "gzip"]],
  ["two lengths", [...REQUEST, "content-length", "1", "content-length", "1"]],
  ["a length that is no number", [...REQUEST, "content-length", "1x"]],
  ["a length with a sign", [...REQUEST, "content-length", "+1"]],
  ["a length without an end", [...REQUEST, "content-length", "9".repeat(40)]],
])("RFC 9113 8.2 and 8.3: %s is malformed", (_what, fields) => {
  expect(requestHead(list(fields))).toBeUndefined();
});

test("a request with a field that cannot be taken whole is refused by its name, and nothing of it is looked at", () => {
  const invalid = { field: "impersonate-user", part: "value" } as const;
  expect(requestHead({ ...list([...REQUEST, "impersonate-user", " x"]), invalid })).toMatchObject({
    fields: [],
    refusal: { status: 400, message: expect.stringContaining("impersonate-user") },
  });
  expect(requestHead({ ...list(REQUEST), invalid: { field: "A", part: "name" } })).toBeUndefined();
  expect(requestHead({ ...list(REQUEST), invalid: { field: ":path", part: "value" } })).toBeUndefined();
});

test("headers that are too large are refused with 431", () => {
  expect(requestHead({ fields: [], isTooLarge: true, invalid: undefined })?.refusal?.status).toBe(431);
});

test("RFC 9113 8.1: trailers have no pseudo-header fields", () => {
  expect(areTrailers(list(["a", "b"]))).toBe(true);
  expect(areTrailers(list(["a", "b", ":path", "/"]))).toBe(false);
});
