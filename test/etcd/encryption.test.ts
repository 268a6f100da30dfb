/**
 * Encryption at rest of servers that share an etcd: the stored bytes, and changes of keys while at least one server always runs.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openEtcdStore } from "../../src/storage/etcd/store.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
import { Http2Client, Keelson, Scratch, WatchReader, until } from "../serve/keelson.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "./start.ts";

const SECRETS = "/api/v1/namespaces/default/secrets";
const WORD = Buffer.from("planted secret").toString("base64");
const secret = (name: string, word = WORD): object => ({ metadata: { name }, data: { word } });

const keyOf = (name: string): object => ({ name, secret: Buffer.alloc(32, name).toString("base64") });
const gcm = (...names: string[]): object => ({ aesgcm: { keys: names.map(keyOf) } });
const secretbox = (...names: string[]): object => ({ secretbox: { keys: names.map(keyOf) } });
const identity = { identity: {} };

describe.skipIf(!(await hasEtcd()))("two servers with keys on one etcd", { timeout: 120_000 }, () => {
  const scratch = new Scratch();
  const file = join(scratch.path, "encryption.json");
  let etcd: EtcdCluster;
  let tests = 0;
  let prefix: string;
  let directories: readonly [string, string];
  let servers: (Keelson | undefined)[];
  let clients: Http2Client[];

  const serve = async (i: 0 | 1): Promise<void> => {
    const to = ["--store", "etcd", "--etcd-servers", etcd.endpoints.join(","), "--etcd-prefix", prefix];
    const keys = ["--encryption-provider-config", file];
    const own = ["--data-dir", directories[i], "--port", "0", "--dialect", "kubernetes", "--controllers", "none"];
    servers[i] = await Keelson.serve([...own, ...to, ...keys]);
    clients[i] = await Http2Client.connect(servers[i], directories[i]);
  };
  const stop = async (i: 0 | 1): Promise<void> => {
    clients[i]?.close();
    await servers[i]?.stop();
    servers[i] = undefined;
  };
  const write = (...providers: object[]): void => {
    const resources = [{ resources: ["secrets"], providers }];
    const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
    writeFileSync(file, JSON.stringify({ ...head, resources }));
  };
  /** One after the other gets the configuration, while the other one serves. */
  const roll = async (...providers: object[]): Promise<void> => {
    write(...providers);
    for (const i of [0, 1] as const) {
      await stop(i);
      await serve(i);
      for (const client of clients) {
        const { status, json } = await client.send("GET", SECRETS);
        expect([status, json.items?.map((item: { data: object }) => item.data)]).toEqual([
          200,
          [{ word: WORD }, { word: WORD }],
        ]);
      }
    }
  };
  /** What each Secret begins with in etcd, as a third party sees it. */
  async function stored(): Promise<string[]> {
    const around = { clock: systemClock, random: systemRandom };
    const store = await openEtcdStore({ endpoints: etcd.endpoints, prefix, ...around });
    const { records } = await store.range("/core/secrets/");
    await store.close();
    return records.map(({ value }) => /^(?:k8s:enc:\w+:v1:\w+:)?/.exec(Buffer.from(value).toString("latin1"))![0]);
  }

  beforeAll(async () => {
    etcd = await startEtcd();
  });
  beforeEach(async () => {
    prefix = `/encrypted-${tests++}`;
    directories = [scratch.fresh(), scratch.fresh()];
    [servers, clients] = [[], []];
    write(gcm("key1"), identity);
    await serve(0);
    mkdirSync(directories[1], { mode: 0o700 });
    for (const name of ["pki", "admin.token"]) {
      cpSync(join(directories[0], name), join(directories[1], name), { recursive: true });
    }
    await serve(1);
  });
  afterEach(async () => {
    await Promise.all([stop(0), stop(1)]);
  });
  afterAll(async () => {
    await etcd?.close();
    scratch.remove();
  });

  test("CRYPT-3, CRYPT-14: what one writes the other reads and watches; etcd has nothing in the clear, on its disk neither", async () => {
    const { json } = await clients[1]!.send("GET", SECRETS);
    const query = `watch=true&resourceVersion=${json.metadata.resourceVersion}`;
    const watch = new WatchReader(clients[1]!.open("GET", `${SECRETS}?${query}`));
    const made = await clients[0]!.send("POST", SECRETS, secret("a"));
    expect((await clients[1]!.send("GET", `${SECRETS}/a`)).json).toEqual(made.json);
    const changed = await clients[1]!.send("PUT", `${SECRETS}/a`, {
      ...made.json,
      metadata: { ...made.json.metadata, labels: { a: "b" } },
    });
    expect(changed.status).toBe(200);
    expect((await clients[0]!.send("DELETE", `${SECRETS}/a`)).status).toBe(200);
    await until(() => watch.events.length >= 3);
    expect(watch.events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    for (const { object } of watch.events) expect(object).toMatchObject({ data: { word: WORD } });
    await clients[0]!.send("POST", SECRETS, secret("b"));
    expect(await stored()).toEqual(["k8s:enc:aesgcm:v1:key1:"]);
    const disk = readdirSync(etcd.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
      .join("");
    expect(disk).toContain("k8s:enc:aesgcm:v1:key1:");
    expect(disk).not.toContain(WORD);
  });

  test("CRYPT-7, CRYPT-8: keys change one server after the other, no request is ever refused, and the old key is not needed any more", async () => {
    for (const name of ["a", "b"]) await clients[0]!.send("POST", SECRETS, secret(name));
    const first = "k8s:enc:aesgcm:v1:key1:";
    expect(await stored()).toEqual([first, first]);
    await roll(gcm("key1"), secretbox("key2"), identity);
    expect(await stored()).toEqual([first, first]);
    await roll(secretbox("key2"), gcm("key1"), identity);
    const { json } = await clients[1]!.send("GET", SECRETS);
    for (const item of json.items) {
      const { status, json: again } = await clients[0]!.send("PUT", `${SECRETS}/${item.metadata.name}`, item);
      expect(status).toBe(200);
      expect(again.metadata.resourceVersion).not.toBe(item.metadata.resourceVersion);
      // The next request to the other server sees that it is written already.
      const { json: same } = await clients[1]!.send("PUT", `${SECRETS}/${item.metadata.name}`, again);
      expect(same.metadata.resourceVersion).toBe(again.metadata.resourceVersion);
    }
    const second = "k8s:enc:secretbox:v1:key2:";
    expect(await stored()).toEqual([second, second]);
    await roll(secretbox("key2"));
  });

  test("CRYPT-9: a server without the key of another refuses what that wrote, and nothing else", async () => {
    await clients[0]!.send("POST", SECRETS, secret("a"));
    await stop(1);
    write(gcm("key2"), identity);
    await serve(1);
    expect((await clients[1]!.send("GET", `${SECRETS}/a`)).status).toBe(500);
    expect((await clients[1]!.send("GET", SECRETS)).status).toBe(500);
    expect((await clients[1]!.send("POST", SECRETS, secret("c"))).status).toBe(201);
    // The first one was started without that key.
    expect((await clients[0]!.send("GET", `${SECRETS}/c`)).status).toBe(500);
    expect((await clients[0]!.send("GET", `${SECRETS}/a`)).status).toBe(200);
    expect(
      (await clients[0]!.send("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } })).status,
    ).toBe(201);
    write(gcm("key1", "key2"));
    for (const i of [0, 1] as const) {
      await stop(i);
      await serve(i);
      expect((await clients[i]!.send("GET", SECRETS)).json.items).toHaveLength(2);
    }
    expect(servers[1]!.stderr).not.toContain(WORD);
  });
});
