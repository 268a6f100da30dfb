/** Those who show no credential and do more than hold connections: what it costs, and that others go on. */
import { expect } from "vitest";
import {
  FLAG,
  SETTING,
  TYPE,
  frame,
  indexed,
  literal,
  requestBlock,
  settings,
  uint32,
} from "../../src/http2/testing/frames.ts";
import { type Attack, LONG, type Row, SHORT, attacks, becomes } from "./rows.ts";
import { Wire, headersOf, request } from "./wire.ts";

const CANCEL = uint32(8);
const MANY = LONG ? 200 : SHORT ? 4 : 20;
/** Each would cost 10 kB if it were kept. */
const BROKEN = SHORT ? 300 : 800;
const LARGE = 1 << 20;

const AT_ONCE = 4;

/** Does the same on many connections, a few at once. */
async function onEach(count: number, play: () => Promise<void>): Promise<void> {
  const some = async (): Promise<void> => {
    for (let i = 0; i < count; i += AT_ONCE) await play();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
}

const takenBack = (path: string, count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, i) => [request(2 * i + 1, path), frame(TYPE.reset, 0, 2 * i + 1, CANCEL)]).flat(),
  );

/** Sends requests without a response, and reads nothing, until the connection is closed. */
const flood =
  (piece: Buffer, begin: Buffer = Buffer.alloc(0)) =>
  async ({ target }: Attack): Promise<void> => {
    const wire = await Wire.begin(target);
    wire.deaf();
    wire.send(begin);
    await wire.flood(Buffer.concat(Array.from({ length: 100 }, () => piece)), 20_000);
    wire.destroy();
  };

/** Sends a large request, again and again, each on its own connection: it is answered or refused within ten seconds. */
const large =
  (path: string, headers: readonly (readonly [string, string])[] = []) =>
  async ({ target }: Attack): Promise<void> => {
    await onEach(MANY, async () => {
      const wire = await Wire.begin(target, [[SETTING.initialWindowSize, 1 << 20]]);
      wire.send(request(1, path, headers));
      expect(await becomes(() => wire.closed || wire.answers > 0)).toBe(true);
      wire.destroy();
    });
  };

/** A header that is sent once and named again and again: 130 bytes that stand for 430,000. */
async function bomb({ target }: Attack): Promise<void> {
  const first = Buffer.concat([requestBlock("GET", "/livez"), literal("x", "y".repeat(3900), true)]);
  const next = Buffer.concat([requestBlock("GET", "/livez"), ...Array.from({ length: 110 }, () => indexed(62))]);
  await onEach(MANY, async () => {
    const wire = await Wire.begin(target);
    wire.send(headersOf(1, first));
    for (let i = 1; i < 500 && !wire.closed; i++) wire.send(headersOf(2 * i + 1, next));
    expect(await wire.ends()).toBe(true);
  });
}

const emptySettings = settings([]);
const ping = frame(TYPE.ping, 0, 0, Buffer.alloc(8));
const table = Buffer.concat([settings([[SETTING.headerTableSize, 0]]), settings([[SETTING.headerTableSize, 4096]])]);
const opened = frame(TYPE.headers, FLAG.endStream, 1, requestBlock("GET", "/livez"));

const ROWS: readonly Row[] = [
  {
    name: "requests that are taken back at once, 20,000 on a connection (CVE-2023-44487)",
    play: async ({ target }) => {
      const wire = await Wire.begin(target);
      wire.send(takenBack("/livez", 20_000));
      expect(await wire.ends()).toBe(true);
    },
  },
  {
    name: `requests that are taken back at once, 490 on each of ${MANY} connections`,
    play: async ({ target }) => {
      await onEach(MANY, async () => {
        const wire = await Wire.begin(target);
        wire.send(takenBack("/livez", 490));
        expect(await wire.ends()).toBe(true);
      });
    },
  },
  {
    name: "requests without a right that are taken back at once",
    play: async ({ target }) => {
      const wire = await Wire.begin(target);
      wire.send(takenBack("/api/v1/nodes", 490));
      expect(await wire.ends()).toBe(true);
    },
  },
  {
    name: "CONTINUATION frames of 16 kB without an end (CVE-2024-27983)",
    play: flood(frame(TYPE.continuation, 0, 1, Buffer.alloc(16_384)), opened),
  },
  { name: "empty CONTINUATION frames without an end", play: flood(frame(TYPE.continuation, 0, 1), opened) },
  { name: "PING frames whose answers are not read (CVE-2019-9512)", play: flood(ping) },
  { name: "SETTINGS frames whose answers are not read (CVE-2019-9515)", play: flood(emptySettings) },
  { name: "SETTINGS frames that change the size of the table", play: flood(table) },
  { name: `headers of 430 kB in 130 bytes, 500 times on each of ${MANY} connections`, play: bomb },
  {
    name: "a query of 1 MiB",
    play: large(`/livez?${"a&".repeat(LARGE / 2 - 200)}`),
  },
  { name: "a path of 1 MiB", play: large(`/${"a".repeat(LARGE - 300)}`) },
  {
    name: "an Authorization header of 1 MiB",
    play: large("/api", [["authorization", `Bearer ${"a".repeat(LARGE - 300)}`]]),
  },
  { name: "an Accept header of 1 MiB", play: large("/version", [["accept", "a/b,".repeat(LARGE / 4 - 100)]]) },
  {
    name: "3,000 headers",
    play: large(
      "/livez",
      Array.from({ length: 3000 }, (_, i) => [`x-${i}`, "y"] as const),
    ),
  },
  {
    name: `connections of HTTP/2 that break its rules, ${BROKEN} after one another`,
    play: async ({ target }) => {
      await onEach(BROKEN, async () => {
        const wire = await Wire.begin(target);
        wire.send(request(1, "/livez"), frame(TYPE.data, 0, 0, Buffer.alloc(8)));
        expect(await wire.ends()).toBe(true);
      });
    },
    bounds: { keptMiB: 3 },
  },
  {
    name: `connections of HTTP/2 that take requests back and then break its rules, ${BROKEN} after one another`,
    play: async ({ target }) => {
      const taken = Array.from({ length: 50 }, (_, i) => [
        request(2 * i + 1, "/livez"),
        frame(TYPE.reset, 0, 2 * i + 1, CANCEL),
      ]).flat();
      await onEach(BROKEN, async () => {
        const wire = await Wire.begin(target);
        wire.send(
          ...taken,
          frame(TYPE.headers, FLAG.endStream, 101, requestBlock("GET", "/livez")),
          frame(TYPE.data, 0, 0, CANCEL),
        );
        expect(await wire.ends()).toBe(true);
      });
    },
    bounds: { keptMiB: 3 },
  },
  { name: "headers of 1.2 MiB", play: large("/livez", [["x", "y".repeat(1.2 * LARGE)]]) },
];

attacks("Without a credential", "test/attacks/strangers.test.ts", ROWS);
