/**
 * The promises of the console's windows: what opening one, showing it and a change cost, and that nothing of it holds the event loop.
 *
 * `WINDOW_OBJECTS=1000000 FIGURES=1` prints the table of docs/evidence/console.md.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { Seats } from "../../src/console/windows/access.ts";
import { Untaken } from "../../src/console/windows/untaken.ts";
import { ConsoleStream } from "../../src/console/windows/stream.ts";
import { Lists } from "../../src/console/windows/lists.ts";
import { LIST_LIMITS } from "../../src/console/windows/memory.ts";
import { Rights } from "../../src/console/windows/rights.ts";
import type { ConsoleRequest, ConsoleResponse, WindowList, WindowState } from "../../src/meta/console-protocol.ts";
import type { ServerContext } from "../../src/server/index.ts";
import type { Messages } from "../../src/server/index.ts";
import { testServer } from "../../src/server/testing/test-server.ts";
import { KINDS } from "../../src/server/testing/kinds.ts";
import { type MemoryStore, openMemoryStore } from "../../src/storage/memory/store.ts";
import type { StoredRecord } from "../../src/storage/contract.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { bytesInUse } from "../../src/util/testing/heap.ts";
import { SliceMeter, expectNotLong } from "../../src/util/testing/slices.ts";

const OBJECTS = amount("WINDOW_OBJECTS", 100_000, 1_000_000);
const CM = { group: "", version: "v1", resource: "configmaps" };
const PREFIX = "/core/configmaps/";
/** Bytes of objects in tests of a million, so that they fit into the memory of a small machine. */
const TEXT = "x".repeat(200);

const keyOf = (i: number): string => `${PREFIX}n${i % 50}/object-${i}`;
const valueOf = (i: number, count: number): Buffer => {
  const data = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, TEXT]));
  const metadata = {
    name: `object-${i}`,
    namespace: `n${i % 50}`,
    uid: `uid-${i}`,
    creationTimestamp: "2026-01-02T03:04:05Z",
    labels: { part: String(i % 1000) },
  };
  return Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata, data }));
};

const records = (count: number): StoredRecord[] =>
  Array.from({ length: count }, (_, i) => ({ key: keyOf(i), value: valueOf(i, 1 + (i % 5)), revision: i + 1 }));

const figures: [what: string, figure: string][] = [];
const note = (what: string, figure: string): void => void figures.push([what, figure]);
const millis = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`;

/** A client in this process, which takes every message at once. */
class Client implements Messages {
  readonly protocol = "";
  closed = false;
  onMessage: Messages["onMessage"];
  onClose: Messages["onClose"];
  readonly states = new Map<number, number>();
  bytes = 0;
  #arrived: (() => void) | undefined;

  send(message: Uint8Array | string): Promise<void> {
    this.bytes += message.length;
    // Only the head is read: what a page does with it is no cost of the server.
    const [, type = "", id = ""] = /^\{"type":"(\w+)","id":(\d+)/.exec(String(message)) ?? [];
    if (type === ("window" satisfies ConsoleResponse["type"])) {
      this.states.set(Number(id), (this.states.get(Number(id)) ?? 0) + 1);
      this.last = String(message);
    }
    if (type === "error") throw new Error(String(message));
    this.#arrived?.();
    return Promise.resolve();
  }

  last = "";

  ask(request: ConsoleRequest): void {
    this.onMessage?.(Buffer.from(JSON.stringify(request)));
  }

  /** Opens a window and resolves when it shows rows. */
  async open(id: number, list: WindowList, offset = 0, size = 50): Promise<void> {
    const before = this.states.get(id) ?? 0;
    this.ask({ type: "open", id, list, offset, size });
    while ((this.states.get(id) ?? 0) === before) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  pause(): void {}
  resume(): void {}
  end(): void {
    this.closed = true;
  }
  destroy(): void {
    this.closed = true;
  }
}

let store: MemoryStore;
let context: ServerContext;
let resource: ReturnType<Awaited<ReturnType<typeof testServer>>["resource"]>;
beforeAll(async () => {
  store = await openMemoryStore({ records: records(OBJECTS), revision: OBJECTS });
  const { ask, resource: find } = await testServer({
    kinds: KINDS,
    store,
    unmetered: true,
    routes: [
      {
        path: "/context",
        handle: (server, { response }) => {
          context = server;
          response.respond(200, {});
        },
      },
    ],
  });
  await ask("GET", "/context");
  resource = find("configmaps");
}, 480_000);

const limits = { bytes: 8 * LIST_LIMITS.bytes, userBytes: 8 * LIST_LIMITS.bytes, userLists: 1000 };

/** Streams with lists of their own. */
function begin(): { connect: () => Client; stop: () => void } {
  const parts = {
    server: context,
    lists: new Lists(context, limits),
    rights: new Rights(context.registry, context.clock),
    seats: new Seats(context),
    untaken: new Untaken(),
  };
  const streams: ConsoleStream[] = [];
  const user = { user: "kim", groups: [] };
  const connection = { certificate: undefined, address: "", encrypted: false };
  return {
    connect() {
      const client = new Client();
      streams.push(new ConsoleStream(parts, { identity: user, owner: user, connection }, client, () => {}));
      return client;
    },
    stop() {
      for (const stream of streams) stream.destroy();
    },
  };
}

const SORTED: WindowList = { ...CM, sort: { column: "Data", descending: true } };

describe(`of ${OBJECTS} objects`, () => {
  test("opening and moving a window in the order of the list takes no longer than a page of it", async () => {
    const { connect, stop } = begin();
    const client = connect();
    await client.open(1, CM);
    let begun = performance.now();
    for (let i = 0; i < 100; i++) await client.open(1, CM, Math.floor((OBJECTS * (i * 37)) % OBJECTS), 50);
    const each = (performance.now() - begun) / 100;
    note("open or move a window of 50 rows, in the order of the list", millis(each));
    expect(each).toBeLessThan(20);
    begun = performance.now();
    await client.open(1, { ...CM, namespace: "n7" }, 100, 50);
    note("the same in one namespace", millis(performance.now() - begun));
    expect((JSON.parse(client.last) as WindowState).rows).toHaveLength(50);
    stop();
  });

  const lists: [string, WindowList][] = [
    ["sorted by a column that is read from objects", SORTED],
    ["sorted by name over all namespaces", { ...CM, sort: { column: "Name" } }],
    ["filtered by a name", { ...CM, name: "99" }],
    ["filtered by a text in any cell", { ...CM, text: "99" }],
    ["filtered by a label, one of a thousand", { ...CM, labelSelector: "part=7" }],
  ];
  test.each(lists)("%s: no slice is long", { timeout: 240_000 }, async (what, list) => {
    const before = bytesInUse();
    const { connect, stop } = begin();
    const client = connect();
    const meter = new SliceMeter();
    const begun = performance.now();
    await client.open(1, list);
    const took = performance.now() - begun;
    const longest = meter.stop();
    const moved = performance.now();
    for (let i = 0; i < 20; i++) await client.open(1, list, Math.floor((OBJECTS * i) / 20), 50);
    const each = (performance.now() - moved) / 20;
    const bytes = bytesInUse() - before;
    const { matching } = JSON.parse(client.last) as WindowState;
    note(
      `open, ${what}`,
      `${millis(took)}, then ${millis(each)} for a move; ${matching} rows, ${(bytes / (1 << 20)).toFixed(1)} MiB; longest slice ${millis(longest)}`,
    );
    expect(bytes / Math.max(1, matching)).toBeLessThan(matching > 10_000 ? 250 : Infinity);
    stop();
    expectNotLong(longest, 100, "the longest slice");
  });

  /** Milliseconds of CPU of this thread for a change, at a thousand changes a second. */
  async function cpuOfChanges(count: number): Promise<number> {
    await resource.ready([]);
    const cpu = (): number => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    };
    const before = cpu();
    const begun = performance.now();
    for (let i = 0; i < count; i++) {
      const at = (i * 7919) % OBJECTS;
      const key = keyOf(at);
      const known = await store.get(key);
      await store.write({ type: "update", key, value: valueOf(at, 1 + (i % 5)), expected: known!.revision });
      const late = begun + i + 1 - performance.now();
      // Also where it is late: changes of clients come one by one, and a chain of promises never returns to the event loop.
      await new Promise<void>((resolve) => (late > 2 ? setTimeout(resolve, late) : setImmediate(resolve)));
    }
    return (cpu() - before) / count;
  }

  const COUNT = amount("WINDOW_CHANGES", 1000, 5000);
  const settings: [string, (i: number) => [WindowList, number], number][] = [
    ["1 window, in the order of the list", () => [CM, 0], 1],
    ["1 window, sorted by a column", () => [SORTED, 0], 1],
    ["10 equal windows, sorted by a column", () => [SORTED, 0], 10],
    ["10 windows at different rows of one sorted list", (i) => [SORTED, Math.floor((OBJECTS * i) / 10)], 10],
    ["10 windows on different lists: a filter by name each", (i) => [{ ...CM, name: `object-${i}` }, 0], 10],
  ];
  test(
    "a transaction that concerns many lists is evaluated in slices that they share",
    { timeout: 240_000 },
    async () => {
      const { connect, stop } = begin();
      const count = 960;
      const clients = Array.from({ length: count / 15 }, connect);
      for (let i = 0; i < count; i++)
        await clients[i % clients.length]!.open(i + 1, { ...CM, namespace: "n1", text: `object-${i}` });
      const meter = new SliceMeter();
      for (let turn = 0; turn < 5; turn++) {
        const keys = Array.from({ length: 100 }, (_, at) => 50 * at + 1);
        const known = await Promise.all(keys.map((i) => store.get(keyOf(i))));
        await store.transact(
          keys.map((i, at) => ({ type: "update", key: keyOf(i), value: valueOf(i, 1), expected: known[at]!.revision })),
        );
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      const longest = meter.stop();
      note(
        `changes of 100 objects at once, ${count} lists with a filter by text each`,
        `longest slice ${millis(longest)}`,
      );
      stop();
      expectNotLong(longest, 30, "the longest slice");
    },
  );

  test("a change that a thousand pages show is sent in slices that they share", { timeout: 240_000 }, async () => {
    const { connect, stop } = begin();
    for (let i = 0; i < 1000; i++) await connect().open(1, CM, 0, 500);
    const meter = new SliceMeter();
    for (let turn = 0; turn < 10; turn++) {
      const key = keyOf(0);
      const known = await store.get(key);
      await store.write({ type: "update", key, value: valueOf(0, 1 + (turn % 5)), expected: known!.revision });
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    const longest = meter.stop();
    note("a change in 500 rows that a thousand windows show", `longest slice ${millis(longest)}`);
    stop();
    expectNotLong(longest, 50, "the longest slice");
  });

  test("a change costs little, and the event loop is never held", { timeout: 240_000 }, async () => {
    const without = Math.min(await cpuOfChanges(COUNT), await cpuOfChanges(COUNT));
    note("a change without a window (the write to the memory store, and the cache)", millis(without));
    for (const [what, windowOf, count] of settings) {
      const { connect, stop } = begin();
      for (let i = 0; i < count; i++) {
        const client = connect();
        const [list, offset] = windowOf(i);
        await client.open(1, list, offset);
      }
      const each = Math.min(await cpuOfChanges(COUNT), await cpuOfChanges(COUNT)) - without;
      // The meter keeps the event loop busy, so that its pass does not count.
      const meter = new SliceMeter();
      await cpuOfChanges(COUNT);
      const longest = meter.stop();
      note(
        `CPU of a change beside that, at 1000 a second: ${what}`,
        `${millis(each)}; longest slice ${millis(longest)}`,
      );
      stop();
      expect(each).toBeLessThan(1);
      expectNotLong(longest, 100, "the longest slice");
    }
    if (process.env["FIGURES"] === "1")
      console.log(figures.map(([what, figure]) => `| ${what} | ${figure} |`).join("\n"));
  });
});
