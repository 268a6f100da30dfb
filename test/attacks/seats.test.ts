/** Clients with a credential who begin much and end nothing: seats, memory of bodies, threads, buffers of watchers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { CONFIG_MAPS, type Http2Client, Scratch, configMap, readAnswer, until } from "../serve/keelson.ts";
import { AUTHORIZATION, EACH, begin, fill, list, slowPost, unreadList } from "./begun.ts";
import { type Attack, type Row, attacks } from "./rows.ts";
import { Target } from "./target.ts";
import { type Wire, request } from "./wire.ts";

const SOMEBODY = "the-token-of-somebody-who-is-no-admin";
const FILE = "test/attacks/seats.test.ts";

/** Holds many requests while the healthy client continues. */
const held =
  (count: number, bytes: (stream: number) => Buffer) =>
  async ({ target, client }: Attack): Promise<void> => {
    await fill(client);
    const known = (): Promise<number> => target.metric('keelson_connections{trusted="true"}');
    const before = await known();
    const wires = await begin(target, count, bytes);
    await sleep(500);
    for (const wire of wires) wire.destroy();
    await until(async () => (await known()) <= before);
  };

/** Sends all of a body but its last byte. */
function stop(client: Http2Client, bytes: number): void {
  const stream = client.open("POST", CONFIG_MAPS, {
    "content-type": "application/json",
    "content-length": String(bytes),
  });
  stream.on("error", () => {});
  stream.write(Buffer.alloc(bytes - 1, " "));
}

async function stoppedBodies({ target, client }: Attack): Promise<void> {
  const others = await Promise.all(list(10, () => target.connect()));
  for (const other of others) for (let i = 0; i < 10; i++) stop(other, 3e6);
  await sleep(1000);
  const { status } = await client.send("POST", CONFIG_MAPS, configMap("beside", { text: "x".repeat(900_000) }));
  expect(status).toBe(201);
  for (const other of others) other.session.destroy();
  await client.send("DELETE", `${CONFIG_MAPS}/beside`);
}

/** Watches that are not read end when too much waits for them; writers do not wait for them. */
async function unreadWatches({ target, client }: Attack): Promise<void> {
  const watches = (): Promise<number> => target.metric("keelson_cache_watches");
  const others = await watches();
  const wires = await begin(target, 50, (stream) => request(stream, `${CONFIG_MAPS}?watch=1`, [AUTHORIZATION]));
  await until(async () => (await watches()) >= others + 50);
  const text = "x".repeat(200_000);
  await client.send("POST", CONFIG_MAPS, configMap("watched"));
  for (let i = 0; i < 40; i++)
    await client.send("PUT", `${CONFIG_MAPS}/watched`, configMap("watched", { text, i: String(i) }));
  await until(async () => (await watches()) <= others);
  for (const wire of wires) wire.destroy();
  await client.send("DELETE", `${CONFIG_MAPS}/watched`);
}

const ROWS: readonly Row[] = [
  {
    name: "3,900 lists of the admin, who needs no seats, that are never read",
    play: held(3900, unreadList),
    bounds: { peakMiB: 300 },
  },
  { name: "900 bodies of the admin of which a byte comes", play: held(900, slowPost) },
  { name: "100 bodies of 3 MB that stop before their last byte", play: stoppedBodies, bounds: { peakMiB: 400 } },
  { name: "50 watchers that never read, 40 changes of 200 kB", play: unreadWatches, bounds: { peakMiB: 200 } },
];

attacks("What is begun and not ended", FILE, ROWS, { args: ["--history", "1s"] });

const scratch = new Scratch();
afterAll(() => scratch.remove());

test.concurrent.each([
  ["reads", "--max-requests-inflight", unreadList, "GET", "/api/v1/namespaces/default", undefined],
  [
    "writes",
    "--max-mutating-requests-inflight",
    slowPost,
    "POST",
    CONFIG_MAPS,
    { metadata: { generateName: "late-" } },
  ],
] as const)(
  "all seats for %s taken: health answers, others are told to wait, and then go on",
  async (_what, flag, bytes, method, path, body) => {
    // The admin needs no seat (APF-22).
    const file = join(scratch.path, "users.csv");
    writeFileSync(file, `${SOMEBODY},somebody,1\n`);
    const args = [
      "--request-timeout=5s",
      "--enable-priority-and-fairness=false",
      "--authorization-mode=AlwaysAllow",
      `${flag}=40`,
    ];
    const target = await Target.start(scratch.fresh(), { args: [...args, `--token-auth-file=${file}`] });
    const client = await target.connect({ authorization: `Bearer ${SOMEBODY}` });
    await fill(await target.connect());
    const code = async (): Promise<number> => (await client.send(method, path, body)).status;
    // A slow client has its seat for a second; there are always more of them.
    const wires: Wire[] = [];
    await until(async () => {
      wires.push(...(await begin(target, EACH, (stream) => bytes(stream, SOMEBODY))));
      return (await code()) === 429;
    });
    const stranger = await target.connect({});
    expect((await stranger.send("GET", "/livez")).status).toBe(200);
    expect((await stranger.send("GET", "/readyz")).status).toBe(200);
    await expect.poll(code, { timeout: 60_000 }).toBeLessThan(300);
    for (const wire of wires) wire.destroy();
    await target.stop();
  },
);

test("40 YAML documents of 3 MB do not keep a small one of another connection waiting", async () => {
  const target = await Target.start(scratch.fresh());
  const [many, one] = [await target.connect(), await target.connect()];
  const large = list(250_000, (i) => `k${i}: 1`).join("\n");
  let done = 0;
  const send = async (client: Http2Client, name: string, text: string): Promise<number> => {
    const stream = client.open("POST", `${CONFIG_MAPS}?name=${name}`, { "content-type": "application/yaml" });
    stream.end(text);
    return (await readAnswer(stream)).status;
  };
  // Those for which there is no place in the queue are refused at once; they have not been read.
  const counted = (status: number): void => void (done += status === 429 ? 0 : 1);
  const all = list(40, (i) => send(many, `large-${i}`, large).then(counted, () => {}));
  await until(() => done > 0);
  const before = done;
  const data = list(5000, (i) => `  k${i}: ${"x".repeat(30)}`).join("\n");
  expect(await send(one, "small", `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: small\ndata:\n${data}\n`)).toBe(
    201,
  );
  expect(done - before).toBeLessThan(4);
  many.session.destroy();
  await target.stop();
  await Promise.all(all);
});
