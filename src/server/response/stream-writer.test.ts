import { expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import type { HttpResponse } from "../request/response.ts";
import { testServer } from "../testing/test-server.ts";
import { StreamWriter } from "./stream-writer.ts";

const CM = "/api/v1/namespaces/n/configmaps";

/** Keeps the event loop for some ms. */
function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test("a long list leaves the event loop to others between its pieces, however fast its reader is", async () => {
  // Each look at an entry is made slow, also the one for the size of the response.
  const { ask, put, resource } = await testServer({ unmetered: true });
  for (let i = 0; i < 40; i++) {
    await put({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: `o${i}`, namespace: "n" },
      data: { k: "x".repeat(100_000) },
    });
  }
  const configMaps = resource("configmaps");
  const view = configMaps.view.bind(configMaps);
  configMaps.view = (entry) => {
    busy(4);
    return view(entry);
  };
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const { length } = await (await ask("GET", CM)).bytes();
  done = true;
  expect(length).toBeGreaterThan(4_000_000);
  expect(turns).toBeGreaterThan(8);
});

test("responses whose readers have gone wait for no turn, however many there are", async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  let closed = false;
  const out = {
    write: () => false,
    drained: () => left,
    get closed() {
      return closed;
    },
  };
  const server = {
    compress: "never",
    slowClients: { waitFor: (_holder: unknown, done: Promise<void>) => done },
    clock: systemClock,
    untaken: { bytes: 0 },
  };
  const incoming = { sent: { connection: { address: "" } } };
  const response = { headers: () => ({}), stream: () => out, incoming, server } as unknown as HttpResponse;
  const writers = Array.from({ length: 100 }, () => new StreamWriter(response, "application/json", Infinity));
  for (const writer of writers) writer.add(new Uint8Array(1000));
  const flushed = writers.map((writer) => writer.flush());
  // Each has had its time by then.
  busy(12);
  closed = true;
  leave();
  let turns = 0;
  const count = (): void => {
    turns++;
    if (turns < 100) setImmediate(count);
  };
  setImmediate(count);
  expect(new Set(await Promise.all(flushed))).toEqual(new Set([false]));
  expect(turns).toBeLessThan(2);
});
