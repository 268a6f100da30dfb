/** Many who watch and hear little: what they cost, and that they hear what is theirs. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, Http2Client, Keelson, Scratch, configMap } from "./keelson.ts";

const WATCHERS = 10_000;
const NAMESPACES = 100;
/** As many streams as Go's client opens on one connection. */
const PER_CONNECTION = 100;
const MOST_MORE_MIB = 150;

const scratch = new Scratch();
const directory = scratch.fresh();
let keelson: Keelson;
beforeAll(async () => {
  keelson = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
});
afterAll(async () => {
  await keelson.stop("SIGKILL");
  scratch.remove();
});

const collection = (i: number): string => `/api/v1/namespaces/ns-${i % NAMESPACES}/configmaps`;

/** Counts the texts that a watch has sent; resolves when its headers have come. */
async function openWatch(client: Http2Client, i: number, counts: Uint16Array): Promise<void> {
  const stream = client.open("GET", `${collection(i)}?watch=true&resourceVersion=0&allowWatchBookmarks=true`);
  const status = await new Promise((resolve, reject) => {
    stream.on("response", (headers) => resolve(headers[":status"]));
    stream.on("error", reject);
  });
  expect(status).toBe(200);
  stream.on("data", (chunk: Buffer) => {
    counts[i]! += chunk.toString().split('"type":"ADDED"').length - 1;
  });
}

test(
  `${WATCHERS} idle watchers cost less than ${MOST_MORE_MIB} MiB, and each hears its own`,
  { timeout: 180_000 },
  async ({ skip }) => {
    if (process.platform !== "linux") return skip("resident memory is read from /proc");
    const clients = await Promise.all(
      Array.from({ length: WATCHERS / PER_CONNECTION }, () => Http2Client.connect(keelson, directory)),
    );
    // The connections are there already: what is counted is what a watch costs.
    const writer = await Http2Client.connect(keelson, directory);
    const warm: Promise<Answer>[] = clients.map((client) => client.send("GET", collection(0)));
    await Promise.all(warm);
    const before = keelson.residentMiB;

    const counts = new Uint16Array(WATCHERS);
    for (let from = 0; from < WATCHERS; from += 1000) {
      const some = Array.from({ length: 1000 }, (_, j) => from + j);
      await Promise.all(some.map((i) => openWatch(clients[Math.floor(i / PER_CONNECTION)]!, i, counts)));
    }
    // What opening them left behind is given back when nothing grows any more.
    let more = keelson.residentMiB - before;
    for (let left = 20; more >= MOST_MORE_MIB && left > 0; left--) {
      await sleep(1000);
      more = keelson.residentMiB - before;
    }
    console.log(`${WATCHERS} watchers: ${more.toFixed(0)} MiB more than ${before.toFixed(0)} MiB`);
    expect(more).toBeLessThan(MOST_MORE_MIB);

    const created = await writer.send("POST", collection(7), configMap("web"));
    expect(created.status).toBe(201);
    const theirs = (i: number): boolean => i % NAMESPACES === 7;
    await expect
      .poll(() => counts.filter((count, i) => theirs(i) && count === 1).length, { timeout: 10_000 })
      .toBe(WATCHERS / NAMESPACES);
    expect(counts.filter((count, i) => !theirs(i) && count > 0)).toHaveLength(0);
    for (const client of [...clients, writer]) client.session.destroy();
  },
);
