/** What storms leave behind: resident memory comes back within half a minute. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type http2 from "node:http2";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { CONFIG_MAPS, type Http2Client, type Keelson, Scratch, configMap } from "../serve/keelson.ts";
import { SHORT } from "./rows.ts";
import { Target } from "./target.ts";

const MIB = 1 << 20;
const MOST_SECONDS = 30;
const MOST_FACTOR = 1.5;
const STRANGERS = SHORT ? 500 : 1000;
const MOST_STRANGERS_MIB = 50;

const scratch = new Scratch();
afterAll(() => scratch.remove());

/** Sends a whole body that is refused once it has been read. */
const refused = (client: Http2Client, i: number): Promise<unknown> =>
  client.send("POST", CONFIG_MAPS, configMap(`large-${i}`, { text: "x".repeat(2.5 * MIB) }));

/** Begins a body and never ends it. */
function unfinished(client: Http2Client): http2.ClientHttp2Stream {
  const stream = client.open("POST", CONFIG_MAPS, { "content-length": String(3 * MIB) });
  stream.on("error", () => {});
  stream.write("x".repeat(MIB));
  return stream;
}

/** Begins a list and never reads it. */
function unread(client: Http2Client, accept: string): http2.ClientHttp2Stream {
  const stream = client.open("GET", CONFIG_MAPS, { accept });
  stream.on("error", () => {});
  return stream;
}

const ATTACKER = new URL("attacker.ts", import.meta.url).pathname;

/** Waits until a server has no more than `most` MiB, half a minute at most; what it has, and after how many seconds. */
async function comesBack(keelson: Keelson, most: number): Promise<{ after: number; seconds: number }> {
  const from = performance.now();
  const seconds = (): number => (performance.now() - from) / 1000;
  while (keelson.residentMiB > most && seconds() < MOST_SECONDS) await sleep(500);
  return { after: keelson.residentMiB, seconds: seconds() };
}

// Resident memory is read from /proc.
test.skipIf(process.platform !== "linux")(
  `after a storm of large bodies and lists the server is back within ${MOST_SECONDS} s`,
  { timeout: 300_000 },
  async () => {
    const target = await Target.start(scratch.fresh());
    const { keelson } = target;
    const writer = await target.connect();
    for (let i = 0; i < 150; i++) {
      const { status } = await writer.send("POST", CONFIG_MAPS, configMap(`n${i}`, { text: "x".repeat(200_000) }));
      expect(status).toBe(201);
    }
    await sleep(5_000);
    const before = keelson.residentMiB;

    const clients = await Promise.all(Array.from({ length: SHORT ? 3 : 6 }, () => target.connect()));
    for (const client of clients) for (let i = 0; i < 60; i++) unfinished(client);
    for (const accept of ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"]) {
      for (const client of clients) for (let i = 0; i < 20; i++) unread(client, accept);
    }
    const answers = await Promise.allSettled(clients.flatMap((client) => [0, 1, 2, 3].map((i) => refused(client, i))));
    expect(answers.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    const peak = keelson.residentMiB;
    for (const { session } of clients) session.destroy();

    const { after, seconds } = await comesBack(keelson, MOST_FACTOR * before);
    console.log(
      `${before.toFixed(0)} MiB before, ${peak.toFixed(0)} in the storm, ${after.toFixed(0)} after ${seconds.toFixed(0)} s`,
    );
    writer.close();
    await target.stop();
    expect(after).toBeLessThanOrEqual(MOST_FACTOR * before);
  },
);

test.skipIf(process.platform !== "linux")(
  `${STRANGERS} unauthenticated clients that read no response take less than ${MOST_STRANGERS_MIB} MiB together soon after they came`,
  { timeout: 300_000 },
  async () => {
    const target = await Target.start(scratch.fresh());
    const { keelson, directory, port } = target;
    await (await target.healthy()).stop();
    await sleep(3_000);
    const before = keelson.residentMiB;
    const what = ["answers that are never read", String(port), join(directory, "pki/ca.crt"), String(STRANGERS)];
    const strangers = spawn(process.execPath, [ATTACKER, ...what], { stdio: ["ignore", "pipe", "inherit"] });
    await once(strangers.stdout, "data");
    const peak = keelson.residentMiB - before;
    const { after, seconds } = await comesBack(keelson, before + MOST_STRANGERS_MIB);
    const held = await target.metric('keelson_connections{trusted="false"}');
    const more = after - before;
    console.log(
      `${held} held: ${peak.toFixed(0)} MiB more than ${before.toFixed(0)}, ${more.toFixed(0)} after ${seconds.toFixed(0)} s`,
    );
    strangers.kill("SIGKILL");
    await target.stop();
    expect(held).toBeGreaterThan(100);
    expect(more).toBeLessThanOrEqual(MOST_STRANGERS_MIB);
  },
);
