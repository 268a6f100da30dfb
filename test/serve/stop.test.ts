import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { afterAll, expect, test } from "vitest";
import {
  CONFIG_MAPS,
  Http2Client,
  Keelson,
  Scratch,
  WatchReader,
  configMap,
  has,
  read,
  readAnswer,
  until,
} from "./keelson.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

const WATCH = `${CONFIG_MAPS}?watch=true&allowWatchBookmarks=true`;

async function start(...args: string[]): Promise<{ directory: string; keelson: Keelson; client: Http2Client }> {
  const directory = scratch.fresh();
  const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", ...args]);
  return { directory, keelson, client: await Http2Client.connect(keelson, directory) };
}

/** A create of which half the body has arrived; `finish` sends the rest and reads the answer. */
async function halfWrite(client: Http2Client, name: string) {
  const text = JSON.stringify(configMap(name));
  const stream = client.open("POST", CONFIG_MAPS, { "content-type": "application/json" });
  stream.write(text.slice(0, 20));
  // An answer to a later request on the same connection shows that the first half has arrived.
  await client.send("GET", "/readyz");
  return {
    finish: () => {
      stream.end(text.slice(20));
      return readAnswer(stream);
    },
    broken: () => once(stream, "close"),
  };
}

/** Whether a new connection is accepted. */
const accepts = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const session = http2.connect(url, { rejectUnauthorized: false });
    session.on("connect", () => {
      session.close();
      resolve(true);
    });
    session.on("error", () => resolve(false));
  });

const versionsOf = (events: WatchReader["events"]): number[] =>
  events.map(({ object }) => Number(object.metadata.resourceVersion));

/** The versions of what the watch has seen come. */
const addedBy = ({ events }: WatchReader): number[] => versionsOf(events.filter(({ type }) => type === "ADDED"));

/** The version of the bookmark with which the watch ended; NaN when it ended otherwise. */
const lastBookmark = ({ events }: WatchReader): number =>
  versionsOf(events.slice(-1).filter(({ type }) => type === "BOOKMARK"))[0] ?? Number.NaN;

test("SIGTERM ends watches with a bookmark, finishes a running write, accepts no new connection, and ends with 0", async () => {
  const { directory, keelson, client } = await start();
  const watch = new WatchReader(client.open("GET", WATCH));
  await client.send("POST", CONFIG_MAPS, configMap("first"));
  await until(() => addedBy(watch).length === 1);
  const write = await halfWrite(client, "second");

  keelson.process.kill("SIGTERM");
  await watch.ended;
  const bookmark = lastBookmark(watch);
  expect(bookmark).toBeGreaterThanOrEqual(addedBy(watch)[0]!);
  await until(async () => !(await accepts(keelson.url)));
  expect(keelson.process.exitCode).toBeNull();

  const { status, json } = await write.finish();
  expect(status).toBe(201);
  expect(await keelson.ended).toEqual({ code: 0, signal: null });
  expect(keelson.messages).toEqual(["INFO  starting", "INFO  ready", "INFO  stopping", "INFO  stopped"]);
  expect(has(directory, "server.json")).toBe(false);

  const after = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
  const next = await Http2Client.connect(after, directory);
  expect((await next.send("GET", `${CONFIG_MAPS}/second`)).json).toEqual(json);
  const resumed = new WatchReader(next.open("GET", `${WATCH}&resourceVersion=${bookmark}`));
  await until(() => resumed.events.some(({ object }) => object.metadata.name === "second"));
  next.close();
  await after.stop();
});

test("SIGTERM ends a watch over HTTP/1.1 in order, and idle connections do not hold it up", async () => {
  const { directory, keelson, client } = await start();
  const agent = new https.Agent({ keepAlive: true, ca: read(directory, "pki/ca.crt") });
  const get = async (path: string): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${read(directory, "admin.token")}` };
    const [response] = await once(https.get(keelson.url + path, { agent, headers }), "response");
    return response as IncomingMessage;
  };
  const watch = new WatchReader(await get(WATCH));
  (await get("/api/v1/namespaces")).resume();
  await client.send("POST", CONFIG_MAPS, configMap("seen"));
  await until(() => addedBy(watch).length === 1);

  const began = performance.now();
  const end = await keelson.stop();
  await watch.ended;
  expect(lastBookmark(watch)).toBeGreaterThanOrEqual(addedBy(watch)[0]!);
  expect(end).toEqual({ code: 0, signal: null });
  // Less than the grace time.
  expect(performance.now() - began).toBeLessThan(25_000);
  agent.destroy();
});

test("SIGTERM breaks off what has not ended after the grace time, and still ends with 0", async () => {
  const { keelson, client } = await start("--shutdown-grace", "500ms");
  const write = await halfWrite(client, "never");
  const broken = write.broken();
  const began = performance.now();
  expect(await keelson.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - began).toBeGreaterThan(450);
  await broken;
});

test("SIGINT ends it in the same way; a second signal ends it at once", async () => {
  const first = await start();
  first.client.close();
  expect(await first.keelson.stop("SIGINT")).toEqual({ code: 0, signal: null });

  const second = await start();
  await halfWrite(second.client, "never");
  second.keelson.process.kill("SIGTERM");
  await until(async () => !(await accepts(second.keelson.url)));
  expect(await second.keelson.stop("SIGTERM")).toEqual({ code: 1, signal: null });
});
