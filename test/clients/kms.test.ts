/**
 * A KMS plugin in Go on the module that Kubernetes publishes for plugins (`k8s.io/kms`), unmodified, over its unix socket.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resolveOptions } from "../../src/app/options/options.ts";
import { type RunningServer, runServer } from "../../src/app/start/server.ts";
import { StatusError } from "../../src/client/index.ts";
import { Secret } from "../../src/client/kinds/index.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { type Clock, systemClock } from "../../src/util/clock.ts";
import { built } from "./built.ts";

const folder = new URL("kms/", import.meta.url).pathname;
const bin = await built({
  name: "go-kms",
  folder,
  commands: (output) => [["go", "build", "-o", `${output}/plugin`, "."]],
});

/** A clock on which a minute is a second and a half. */
const PACE = 40;
const fast: Clock = {
  loop: systemClock.loop,
  now: () => systemClock.now(),
  steady: () => PACE * systemClock.steady(),
  after: (ms, work, options) => systemClock.after(ms / PACE, work, options),
};
const patience = { timeout: 20_000 };

describe.skipIf(bin === undefined)("CRYPT-11: a plugin on k8s.io/kms", { timeout: 120_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), "keelson-kms-"));
  const socket = join(home, "kms.sock");
  const state = join(home, "state.json");
  const config = join(home, "encryption.json");
  let plugin: ChildProcess | undefined;
  let server: RunningServer | undefined;
  let tests = 0;

  const be = (keyId: string, healthz = "ok"): void => writeFileSync(state, JSON.stringify({ keyId, healthz }));
  async function begin(): Promise<void> {
    rmSync(socket, { force: true });
    plugin = spawn(`${bin}/plugin`, [socket, state], { stdio: "inherit" });
    while (!existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  async function kill(): Promise<void> {
    if (!plugin) return;
    const gone = once(plugin, "exit");
    plugin.kill("SIGKILL");
    await gone;
    plugin = undefined;
  }
  async function stop(): Promise<void> {
    await server?.close();
    server = undefined;
  }
  async function start(): Promise<void> {
    await stop();
    const options = {
      "data-dir": join(home, `data-${tests}`),
      port: 0,
      "insecure-http": true,
      dialect: "kubernetes",
      controllers: "none",
      "encryption-provider-config": config,
    };
    server = await runServer(resolveOptions(options as never), { clock: fast });
  }
  const secrets = () => server!.client("test").resource(Secret);
  const at = (name: string) => ({ name, namespace: "default" });
  const secret = (name: string) => ({ metadata: at(name), stringData: { word: "hidden word" } });
  const codeOf = (answer: Promise<unknown>): Promise<unknown> =>
    answer.then(
      () => 200,
      (error: unknown) => (error instanceof StatusError ? error.status.code : error),
    );
  const ready = async (): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${server!.url}/readyz`, {
      headers: { authorization: `Bearer ${server!.pki.adminToken}` },
    });
    return { status: answer.status, text: await answer.text() };
  };

  beforeAll(() => {
    const kms = { apiVersion: "v2", name: "go", endpoint: `unix://${socket}`, timeout: "60s" };
    const resources = [{ resources: ["secrets"], providers: [{ kms }] }];
    const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
    writeFileSync(config, JSON.stringify({ ...head, resources }));
  });
  beforeEach(async () => {
    tests++;
    be("one");
    await begin();
    await start();
  });
  afterEach(async () => {
    await stop();
    await kill();
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test("CRYPT-11: seals a seed, and opens it again for a server that has just begun", async () => {
    const made = await secrets().create(secret("a"));
    await stop();
    const store = await openSqliteStore({ directory: join(home, `data-${tests}`, "store"), clock: systemClock });
    const { value } = (await store.get("/core/secrets/default/a"))!;
    await store.close();
    const text = Buffer.from(value).toString("latin1");
    expect(text).toMatch(/^k8s:enc:kms:v2:go:/);
    expect(text).toContain("uid.kms.example.com");
    expect(text).not.toContain(Buffer.from("hidden word").toString("base64"));
    expect(readFileSync(join(home, `data-${tests}`, "store", "keelson.db"), "latin1")).not.toContain("hidden word");
    await start();
    expect(await secrets().get(at("a"))).toEqual(made);
  });

  test("CRYPT-12: with another key id new values are encrypted with another seed, and old ones are read and written again", async () => {
    let known = await secrets().create(secret("a"));
    const same = await secrets().update(known);
    expect(same.metadata.resourceVersion).toBe(known.metadata.resourceVersion);
    be("two");
    const rewritten = async (): Promise<boolean> => {
      const before = known.metadata.resourceVersion;
      known = await secrets().update(known);
      return known.metadata.resourceVersion !== before;
    };
    await expect.poll(rewritten, patience).toBe(true);
    await secrets().create(secret("b"));
    await start();
    expect((await secrets().list()).items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect(await rewritten()).toBe(false);
  });

  test("CRYPT-12: an unhealthy plugin fails the readiness by its name, and writes succeed for three minutes", async () => {
    await expect.poll(async () => (await ready()).status, patience).toBe(200);
    be("one", "the vault is sealed");
    await expect.poll(async () => (await ready()).status, patience).toBe(500);
    expect((await ready()).text).toMatch(/^\[-\]kms-providers failed/m);
    await secrets().create(secret("a"));
    be("one");
    await expect.poll(async () => (await ready()).status, patience).toBe(200);
  });

  test("CRYPT-12: one that is killed stops writes after three minutes and reads of what is known never; it comes back by itself", async () => {
    await secrets().create(secret("a"));
    await kill();
    await expect.poll(async () => (await ready()).status, patience).toBe(500);
    let written = 0;
    await expect.poll(() => codeOf(secrets().create(secret(`b-${written++}`))), patience).toBe(500);
    expect(written).toBeGreaterThan(1);
    expect(await codeOf(secrets().get(at("a")))).toBe(200);
    // A server that starts now has no plugin to decrypt the seed.
    await start();
    expect(await codeOf(secrets().get(at("a")))).toBe(500);
    await begin();
    await expect.poll(() => codeOf(secrets().get(at("a"))), patience).toBe(200);
    await expect.poll(() => codeOf(secrets().create(secret("c"))), patience).toBe(200);
    await expect.poll(async () => (await ready()).status, patience).toBe(200);
  });
});
