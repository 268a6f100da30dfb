import { setImmediate as pass } from "node:timers/promises";
import { expect, test } from "vitest";
import type { TransportRequest } from "../../../client/index.ts";
import { type KeptRequests, Requests, requestOf } from "./requests.ts";

const NONE: KeptRequests = { unsent: [], open: [] };
const HEAD =
  "GET https://kubernetes.default.svc:443/api/v1/pods?watch=true&resourceVersion=5\r\nAccept: application/json\r\nAccept: text/plain\r\nAuthorization: Bearer token\r\n";

/** A server that responds with pieces as the test gives them. */
function serve(kept = NONE) {
  const sent: TransportRequest[] = [];
  const woken: number[] = [];
  const pieces: PromiseWithResolvers<Uint8Array | undefined>[] = [Promise.withResolvers()];
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let index = 0; ; index++) {
      const piece = await pieces[index]!.promise;
      if (!piece) return;
      yield piece;
    }
  }
  const requests = new Requests(
    kept,
    async (request) => {
      sent.push(request);
      return { status: 200, headers: { "content-type": "application/json", connection: "close" }, body: body() };
    },
    new Set(["kubernetes.default.svc"]),
    (id) => void woken.push(id),
  );
  const give = async (piece: string | undefined): Promise<void> => {
    const last = pieces.at(-1)!;
    pieces.push(Promise.withResolvers());
    last.resolve(piece === undefined ? undefined : Buffer.from(piece));
    await pass();
  };
  return { requests, sent, woken, give };
}

const read = (requests: Requests, id: number, length: number): string | number => {
  const to = new Uint8Array(length);
  const count = requests.read(id, to);
  return count > 0 ? Buffer.from(to.subarray(0, count)).toString() : count;
};

test("a request is sent when the program waits, without headers of connections and credentials", async () => {
  const { requests, sent } = serve();
  requests.add(requestOf(1, HEAD, Buffer.from("bytes")));
  expect(sent).toEqual([]);
  requests.flush();
  await pass();
  expect(sent).toMatchObject([
    {
      method: "GET",
      path: "/api/v1/pods?watch=true&resourceVersion=5",
      headers: { accept: "application/json, text/plain" },
    },
  ]);
  expect(Object.keys(sent[0]!.headers)).toEqual(["accept"]);
  expect(Buffer.from(sent[0]!.body as Uint8Array).toString()).toBe("bytes");
});

test.for([
  ["application/vnd.kubernetes.protobuf, */*", "*/*"],
  ["application/vnd.kubernetes.protobuf;as=Table,application/json;as=Table", "application/json;as=Table"],
  ["application/vnd.kubernetes.protobuf", "application/json"],
])("of %s a response has %s", ([accept, sent]) => {
  const { headers } = requestOf(
    1,
    `GET https://kubernetes.default.svc/api\r\nAccept: ${accept}\r\n`,
    new Uint8Array(0),
  );
  expect(headers["accept"]).toBe(sent);
});

test("a program reads the head, and the body in its own pieces, and is woken for each", async () => {
  const { requests, woken, give } = serve();
  requests.add(requestOf(1, HEAD, new Uint8Array(0)));
  expect(requests.head(1)).toBe(-1);
  requests.flush();
  await pass();
  expect(Buffer.from(requests.head(1) as Uint8Array).toString()).toBe(
    "200 status\r\ncontent-type: application/json\r\n",
  );
  expect(read(requests, 1, 4)).toBe(0);
  await give("abcdef");
  expect([read(requests, 1, 4), read(requests, 1, 4), read(requests, 1, 4)]).toEqual(["abcd", "ef", 0]);
  await give(undefined);
  expect(read(requests, 1, 4)).toBe(-1);
  expect(woken).toEqual([1, 1, 1]);
});

test("a cancelled request wakes no goroutine, and the server sees its end", async () => {
  const { requests, sent, woken, give } = serve();
  requests.add(requestOf(1, HEAD, new Uint8Array(0)));
  requests.flush();
  await pass();
  requests.cancel(1);
  expect(sent[0]!.signal!.aborted).toBe(true);
  await give("abc");
  expect(woken).toEqual([1]);
  expect(read(requests, 1, 4)).toBe(-2);
});

test("another host than the server fails", async () => {
  const { requests, sent } = serve();
  requests.add(requestOf(1, "GET https://example.com/\r\n", new Uint8Array(0)));
  requests.flush();
  await pass();
  expect(requests.head(1)).toBe(-2);
  expect(Buffer.from(requests.failure(1)).toString()).toMatch(/^lookup example.com: no such host/);
  expect(sent).toEqual([]);
});

test("in a copy a watch ends, another request fails, and what was not sent is sent", async () => {
  const { requests } = serve();
  requests.add(requestOf(1, HEAD, new Uint8Array(0)));
  requests.add(requestOf(2, "GET https://kubernetes.default.svc/api\r\n", new Uint8Array(0)));
  requests.flush();
  await pass();
  requests.add(requestOf(3, "GET https://kubernetes.default.svc/apis\r\n", new Uint8Array(0)));
  const copy = serve(requests.keep());
  expect(copy.requests.ended).toEqual([1, 2]);
  expect([1, 2].map((id) => read(copy.requests, id, 4))).toEqual([-1, -2]);
  expect(Buffer.from(copy.requests.failure(2)).toString()).toBe("connection reset by peer");
  copy.requests.flush();
  expect(copy.sent.map(({ path }) => path)).toEqual(["/apis"]);
});
