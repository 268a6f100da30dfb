import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { authority, serving } from "../pki/certificate.ts";
import { systemClock } from "../util/clock.ts";
import { type HookAddress, type Hooks, openHooks } from "./hooks.ts";

const term = { now: Date.now(), days: 1 };
const ca = authority(term);

interface Called {
  readonly hooks: Hooks;
  readonly address: HookAddress;
  /** The connections under its TLS. */
  readonly sockets: readonly Socket[];
}

/** Calls of a webhook that answers as a function does. */
async function webhook(answer: RequestListener): Promise<Called> {
  const server = createServer(serving(ca, ["127.0.0.1"], term), answer);
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket as Socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hooks = openHooks({ clock: systemClock });
  onTestFinished(() => {
    hooks.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    hooks,
    address: { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, ca: ca.cert },
    sockets,
  };
}

test("a call that waits for a connection ends with its time, too", async () => {
  const { hooks, address } = await webhook(() => undefined);
  const others = Array.from({ length: 32 }, () => hooks.call(address, "{}", 20_000));
  const ended = Promise.allSettled(others);
  await pause(300);
  const began = performance.now();
  await expect(hooks.call(address, "{}", 200)).rejects.toThrow("expected an answer within 0.2 s, got none");
  expect(performance.now() - began).toBeLessThan(5000);
  hooks.close();
  await ended;
});

test("a response that breaks off is a failure, and the review is not sent again", async () => {
  let calls = 0;
  const { hooks, address, sockets } = await webhook((request, response) => {
    request.resume();
    if (++calls === 1) return void response.end("{}");
    response.writeHead(200, { "content-length": 1000 });
    response.write("{");
    setTimeout(() => sockets[0]?.resetAndDestroy(), 20);
  });
  await hooks.call(address, "{}", 5000);
  await expect(hooks.call(address, "{}", 5000)).rejects.toThrow(/aborted|ECONNRESET/);
  await pause(100);
  expect(calls).toBe(2);
});
