import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolveOptions } from "../../src/app/options/options.ts";
import { type RunningServer, runServer } from "../../src/app/start/server.ts";
import { StatusError } from "../../src/client/index.ts";
import { ConfigMap, Secret } from "../../src/client/kinds/index.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { type Clock, systemClock } from "../../src/util/clock.ts";
import type { Log } from "../../src/util/log.ts";

/** A clock on which a minute is a second and a half. */
const fast: Clock = {
  loop: systemClock.loop,
  now: () => systemClock.now(),
  steady: () => 40 * systemClock.steady(),
  after: (ms, work, options) => systemClock.after(ms / 40, work, options),
};

/** An entry for Secrets in the form of the file. */
const fileOf = (...providers: object[]): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers }],
  });

const KEY = Buffer.from("0123456789abcdef0123456789abcdef").toString("base64");
const OTHER = Buffer.from("fedcba9876543210fedcba9876543210").toString("base64");
const gcm = (name: string, secret = KEY) => ({ aesgcm: { keys: [{ name, secret }] } });
const identity = { identity: {} };
const object = (name: string) => ({ metadata: { name, namespace: "default" }, stringData: { word: "hidden word" } });

describe("a server that encrypts", () => {
  let home: string;
  let lines: { level: string; message: string; fields: object }[];
  let server: RunningServer | undefined;
  let plugin: ChildProcess | undefined;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "keelson-encryption-"));
    lines = [];
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    plugin?.kill();
    plugin = undefined;
    rmSync(home, { recursive: true, force: true });
  });

  const file = (): string => join(home, "encryption.json");
  const write = (text: string): void => writeFileSync(file(), text);
  const note =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void lines.push({ level, message, fields });
  const log = { debug: () => {}, info: note("info"), warn: note("warn"), error: note("error") } as unknown as Log;

  /** Starts the server again on the same directory, with this file. */
  async function start(text: string | undefined, more: object = {}, clock = systemClock): Promise<RunningServer> {
    await server?.close();
    server = undefined;
    if (text !== undefined) write(text);
    const options = {
      "data-dir": join(home, "data"),
      port: 0,
      "insecure-http": true,
      dialect: "kubernetes",
      controllers: "none",
      ...(text === undefined ? {} : { "encryption-provider-config": file() }),
      ...more,
    };
    return (server = await runServer(resolveOptions(options as never), { log, clock }));
  }

  /** What is stored of a Secret, by another look at the closed store. */
  async function stored(name: string): Promise<string> {
    await server?.close();
    server = undefined;
    const store = await openSqliteStore({ directory: join(home, "data", "store"), clock: systemClock });
    const record = await store.get(`/core/secrets/default/${name}`);
    await store.close();
    return Buffer.from(record?.value ?? []).toString("latin1");
  }

  const secrets = () => server!.client("test").resource(Secret);
  const failure = async (answer: Promise<unknown>): Promise<unknown> =>
    answer.then(
      () => "no failure",
      (error: unknown) => (error instanceof StatusError ? [error.status.code, error.status.reason] : error),
    );
  const headers = () => ({ authorization: `Bearer ${server!.pki.adminToken}` });
  const health = async (path: string): Promise<number> =>
    (await fetch(server!.url + path, { headers: headers() })).status;

  /** A definition, and an object of it. */
  async function makeThing(): Promise<void> {
    const schema = { openAPIV3Schema: { type: "object" } };
    const version = { name: "v1", served: true, storage: true, schema };
    const names = { plural: "things", kind: "Thing" };
    const spec = { group: "example.com", names, scope: "Cluster", versions: [version] };
    const client = server!.client("test");
    const definition = { metadata: { name: "things.example.com" }, spec };
    await client.json("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: definition });
    const thing = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "t" } };
    const make = (): Promise<unknown> => client.json("POST", "/apis/example.com/v1/things", { body: thing });
    await expect.poll(() => failure(make())).toBe("no failure");
  }

  test("CRYPT-3, CRYPT-7, CRYPT-8: a key is rotated by writing every object again, and taken away", async () => {
    await start(fileOf(gcm("key1"), identity));
    const made = await secrets().create(object("a"));
    expect(await stored("a")).toMatch(/^k8s:enc:aesgcm:v1:key1:/);
    // The new key second, then first; reading alone changes nothing.
    await start(fileOf(gcm("key2", OTHER), gcm("key1"), identity));
    const read = await secrets().get({ name: "a", namespace: "default" });
    expect(read.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    const rewritten = await secrets().update(read);
    expect(rewritten.metadata.resourceVersion).not.toBe(read.metadata.resourceVersion);
    const again = await secrets().update(rewritten);
    expect(again.metadata.resourceVersion).toBe(rewritten.metadata.resourceVersion);
    expect(await stored("a")).toMatch(/^k8s:enc:aesgcm:v1:key2:/);
    await start(fileOf(identity, gcm("key2", OTHER)));
    await secrets().update(await secrets().get({ name: "a", namespace: "default" }));
    expect(await stored("a")).toMatch(/^\{"kind":"Secret"/);
    await start(undefined);
    expect((await secrets().get({ name: "a", namespace: "default" })).data).toEqual(made.data);
  });

  test("CRYPT-9: without its key an object is 500, lists with it too, others are served, and the start says why", async () => {
    await start(fileOf(gcm("key1")));
    await secrets().create(object("a"));
    await server!
      .client("test")
      .resource(ConfigMap)
      .create({ metadata: { name: "c", namespace: "default" } });
    for (const [text, why] of [
      [fileOf(gcm("key2"), identity), "no provider and key for values that begin with k8s:enc:aesgcm:v1:key1:"],
      [
        fileOf(gcm("key1", OTHER)),
        "the key does not fit the value, or the value is damaged or was moved from another place",
      ],
      [undefined, "they are encrypted, and --encryption-provider-config is not set"],
    ] as const) {
      lines = [];
      // Controllers wait for what they cannot list; the server does not wait for them.
      await start(text, { controllers: "*" });
      const told = { resource: "secrets", objects: 1, stored: "k8s:enc:aesgcm:v1:key1:", why };
      expect(lines).toContainEqual({
        level: "error",
        message: "stored objects cannot be read",
        fields: { ...told, file: text === undefined ? "" : file() },
      });
      expect(JSON.stringify(lines)).not.toMatch(/hidden|MDEyMzQ1|ZmVkY2Jh/);
      const refused = [500, "InternalError"];
      const a = { name: "a", namespace: "default" };
      expect(await failure(secrets().get(a))).toEqual(refused);
      expect(await failure(secrets().list())).toEqual(refused);
      expect(await failure(secrets().patch(a, { data: {} }))).toEqual(refused);
      expect(await failure(secrets().delete(a))).toEqual(refused);
      const others = await server!.client("test").resource(ConfigMap).list({ namespace: "default" });
      expect(others.items.map(({ metadata }) => metadata.name)).toContain("c");
      expect((await secrets().list({ namespace: "other" })).items).toEqual([]);
      expect(await health("/readyz")).toBe(200);
    }
    await start(fileOf(gcm("key1")));
    expect((await secrets().list()).items).toHaveLength(1);
  });

  test("CRYPT-14: a backup holds what is stored, and history and a read-only server decrypt", async () => {
    await start(fileOf(gcm("key1")));
    const made = await secrets().create(object("a"));
    await secrets().update({ ...made, data: { word: "YWdhaW4=" } });
    expect((await secrets().history({ name: "a", namespace: "default" })).versions).toHaveLength(2);
    const { url } = server!;
    const backup = await fetch(`${url}/keelson/v1/backup?compression=gzip`, { headers: headers() });
    const { gunzipSync } = await import("node:zlib");
    const text = gunzipSync(Buffer.from(await backup.arrayBuffer())).toString("latin1");
    expect(text).toContain("k8s:enc:aesgcm:v1:key1:");
    expect(text).not.toContain(Buffer.from("hidden word").toString("base64"));
    const metrics = await (await fetch(`${url}/metrics`, { headers: headers() })).text();
    expect(metrics).toMatch(
      /apiserver_storage_transformation_operations_total\{transformation_type="to_storage",transformer_prefix="k8s:enc:aesgcm:v1:",status="OK"\} 2/,
    );
    await start(fileOf(gcm("key1")), { "read-only": true });
    expect((await secrets().get({ name: "a", namespace: "default" })).data).toEqual({ word: "YWdhaW4=" });
  });

  test("CRYPT-10: what cannot be read is removed behind the gate, by who asks for it alone", async () => {
    await start(fileOf(gcm("key1")));
    await secrets().create(object("a"));
    await secrets().create(object("b"));
    const path = "/api/v1/namespaces/default/secrets";
    const unread = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
    const remove = (at: string, options: object): Promise<unknown> =>
      failure(server!.client("test").json("DELETE", `${path}${at}`, { body: options }));
    await start(fileOf(gcm("key2"), identity));
    expect(await remove("/a", unread)).toEqual([500, "InternalError"]);
    await start(fileOf(gcm("key2"), identity), { "feature-gates": "AllowUnsafeMalformedObjectDeletion=true" });
    await secrets().create(object("c"));
    expect(await remove("/a", {})).toEqual([500, "InternalError"]);
    expect(await remove("/a", { ...unread, gracePeriodSeconds: 0 })).toEqual([422, "Invalid"]);
    expect(await remove("/c", unread)).toEqual([422, "Invalid"]);
    expect(await remove("/none", unread)).toEqual([404, "NotFound"]);
    expect(await remove("", unread)).toEqual([422, "Invalid"]);
    expect(await remove("/a", unread)).toBe("no failure");
    expect(await failure(secrets().list())).toEqual([500, "InternalError"]);
    expect(await remove("/b", unread)).toBe("no failure");
    expect((await secrets().list()).items.map(({ metadata }) => metadata.name)).toEqual(["c"]);
  });

  test("CRYPT-1: a file that is wrong ends the start, every mistake by its place and no secret told", async () => {
    const wrong = fileOf(
      gcm("key1", "c2hvcnQ="),
      { aescbc: { keys: [] }, identity: {} },
      { secretbox: {} },
      { other: 1 },
    );
    await expect(start(wrong)).rejects.toThrow(
      [
        "  resources[0].providers[0].aesgcm.keys[0].secret: expected base64 of 16, 24 or 32 bytes, got 5",
        "  resources[0].providers[1]: expected exactly one of aescbc, aesgcm, secretbox, identity, kms, got aescbc, identity",
        "  resources[0].providers[2].secretbox.keys: expected a list of at least one, got none",
        "  resources[0].providers[3].other: unknown field",
      ].join("\n"),
    );
  });

  test("CRYPT-11, CRYPT-12, CRYPT-13: a plugin over its socket, its key changed, then gone", async () => {
    const socket = join(home, "kms.sock");
    const state = join(home, "state.json");
    const kms = { kms: { apiVersion: "v2", name: "plug", endpoint: `unix://${socket}`, timeout: "1s" } };
    writeFileSync(state, JSON.stringify({ keyId: "one", healthz: "ok" }));
    plugin = spawn(process.execPath, [new URL("plugin.ts", import.meta.url).pathname, socket, state]);
    await once(plugin.stdout!, "data");
    await start(fileOf(kms));
    expect(await health("/healthz/kms-providers")).toBe(200);
    await secrets().create(object("a"));
    expect(await stored("a")).toMatch(/^k8s:enc:kms:v2:plug:/);
    writeFileSync(state, JSON.stringify({ keyId: "two", healthz: "ok" }));
    await start(fileOf(kms));
    const read = await secrets().get({ name: "a", namespace: "default" });
    const rewritten = await secrets().update(read);
    expect(rewritten.metadata.resourceVersion).not.toBe(read.metadata.resourceVersion);
    plugin.kill();
    await once(plugin, "exit");
    await start(fileOf(kms));
    expect(await health("/healthz/kms-providers")).toBe(500);
    expect(await failure(secrets().create(object("b")))).toEqual([500, "InternalError"]);
    expect(await failure(secrets().get({ name: "a", namespace: "default" }))).toEqual([500, "InternalError"]);
  });

  test.each(["secrets", "*.*"])(
    "CRYPT-9, CRYPT-12: %s of a server that began before its plugin are read when that is there",
    async (resource) => {
      const socket = join(home, "kms.sock");
      const state = join(home, "state.json");
      writeFileSync(state, JSON.stringify({ keyId: "one", healthz: "ok" }));
      const provider = { kms: { apiVersion: "v2", name: "plug", endpoint: `unix://${socket}`, timeout: "60s" } };
      const text = fileOf(provider).replace('"secrets"', JSON.stringify(resource));
      const begin = async (): Promise<void> => {
        plugin = spawn(process.execPath, [new URL("plugin.ts", import.meta.url).pathname, socket, state]);
        await once(plugin.stdout!, "data");
      };
      await begin();
      await start(text);
      const made = await secrets().create(object("a"));
      await makeThing();
      plugin!.kill();
      await once(plugin!, "exit");
      lines = [];
      await start(text, { controllers: "*" }, fast);
      expect(lines.map(({ message }) => message)).toContain("stored objects cannot be read");
      expect(await failure(secrets().list())).toEqual([500, "InternalError"]);
      await begin();
      await expect.poll(() => failure(secrets().list()), { timeout: 10_000 }).toBe("no failure");
      expect(await secrets().get({ name: "a", namespace: "default" })).toEqual(made);
      await expect.poll(() => lines.map(({ message }) => message)).toContain("stored objects can be read now");
      const update = await secrets().update({ ...made, data: { word: "bmV3" } });
      const watch = secrets().watch({ namespace: "default", resourceVersion: made.metadata.resourceVersion! });
      expect(await watch.next()).toMatchObject({ value: { type: "MODIFIED", object: { data: update.data } } });
      await watch.return?.(undefined);
      await expect.poll(() => health("/readyz"), { timeout: 10_000 }).toBe(200);
      const list = await server!.client("test").json("GET", "/apis/example.com/v1/things");
      expect((list as { items: unknown[] }).items).toHaveLength(1);
    },
  );
});
