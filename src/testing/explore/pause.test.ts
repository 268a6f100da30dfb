import { expect, test } from "vitest";
import { readAll } from "../../client/bodies.ts";
import type { TransportResponse } from "../../client/transport.ts";
import { Pause } from "./pause.ts";

const REQUEST = { method: "DELETE", path: "/", headers: {} } as const;

test("a response that comes while a program stands still is read at once, as no response waits for a suspended process", async () => {
  const pause = new Pause();
  const { promise, resolve } = Promise.withResolvers<TransportResponse>();
  const log: string[] = [];
  const text = async (): Promise<string> => {
    log.push("read");
    return "done";
  };
  const sent = pause.transport(() => promise)(REQUEST);
  const told = sent.then(({ body }) => readAll(body)).then((whole) => log.push(whole));
  pause.pause();
  // oxlint-disable-next-line require-yield -- it is read as a whole
  resolve({ status: 200, body: { text, async *[Symbol.asyncIterator]() {} } });
  await new Promise(setImmediate);
  expect(log).toEqual(["read"]);
  pause.resumeRequests();
  await told;
  expect(log).toEqual(["read", "done"]);
});

test("a request that failed while a program stands still tells it later", async () => {
  const pause = new Pause();
  const { promise, reject } = Promise.withResolvers<TransportResponse>();
  let failed = false;
  const told = pause
    .transport(() => promise)(REQUEST)
    .catch(() => void (failed = true));
  pause.pause();
  reject(new Error("gone"));
  await new Promise(setImmediate);
  expect(failed).toBe(false);
  pause.resumeRequests();
  await told;
  expect(failed).toBe(true);
});
