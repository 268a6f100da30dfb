import { afterAll, expect, test } from "vitest";
import { seededRandom } from "../../src/util/clock.ts";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, WatchReader } from "./keelson.ts";
import { Known, Load, type Seen, seenBy, seenOf } from "./load.ts";
import { amount } from "../../src/util/testing/amount.ts";

const ROUNDS = amount("ROUNDS", 3, 10);
const SEED = Number(process.env["SEED"]);
const CONNECTIONS = 3;

const scratch = new Scratch();
afterAll(() => scratch.remove());

const WATCH = `${CONFIG_MAPS}?watch=true&allowWatchBookmarks=true`;

/** Every change after a version that the server knows of, and the objects that there are. */
async function history(client: Http2Client, version: string): Promise<{ events: Seen[]; live: Seen[] }> {
  const watch = new WatchReader(client.open("GET", `${WATCH}&timeoutSeconds=1&resourceVersion=${version}`));
  const { items } = (await client.send("GET", CONFIG_MAPS)).json as { items: Parameters<typeof seenOf>[1][] };
  await watch.ended;
  return { events: seenBy(watch), live: items.map((item) => seenOf("", item)) };
}

/** Writes under load for a while, with a watch beside it, then kills the process. */
async function loadAndKill(
  keelson: Keelson,
  directory: string,
  load: Load,
  from: string,
  millis: number,
): Promise<Seen[]> {
  const connect = (): Promise<Http2Client> => Http2Client.connect(keelson, directory);
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, connect));
  const watcher = await connect();
  const watch = new WatchReader(watcher.open("GET", `${WATCH}&resourceVersion=${from}`));
  const written = load.run(clients);
  await new Promise((resolve) => setTimeout(resolve, millis));
  expect(await keelson.stop("SIGKILL")).toEqual({ code: null, signal: "SIGKILL" });
  await written;
  return seenBy(watch);
}

test(
  `killed ${ROUNDS} times under load over HTTP, the server keeps all that it acknowledged or showed, and nothing else`,
  { timeout: 60_000 + ROUNDS * 20_000 },
  async () => {
    console.log(`crash test over HTTP: SEED=${SEED} ROUNDS=${ROUNDS}`);
    const random = seededRandom(SEED);
    const directory = scratch.fresh();
    const known = new Known();
    let shown = 0;
    const start = (): Promise<Keelson> => Keelson.serve(["--data-dir", directory, "--port", "0"]);
    let keelson = await start();
    let client = await Http2Client.connect(keelson, directory);
    known.version = (await client.send("GET", CONFIG_MAPS)).json.metadata.resourceVersion as string;
    for (let round = 0; round < ROUNDS; round++) {
      const load = new Load(round, random);
      const watched = await loadAndKill(keelson, directory, load, known.version, 100 + random.next() * 800);
      keelson = await start();
      client = await Http2Client.connect(keelson, directory);
      const { events, live } = await history(client, known.version);
      known.check(events, watched, load.tries);
      shown += watched.length;
      const expected = [...known.live.values()].map((seen) => ({ ...seen, type: "" }));
      expect(live).toEqual(expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
    }
    await keelson.stop();
    console.log(`crash test over HTTP: ${known.acknowledged} acknowledged writes, ${shown} shown, ${ROUNDS} kills`);
    expect(Math.min(known.acknowledged, shown)).toBeGreaterThan(ROUNDS * 5);
  },
);
