import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { kubernetes } from "../../meta/dialect.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { Encryption } from "./encryption.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "keelson-reload-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const fileOf = (...providers: object[]): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers }],
  });
const gcm = (name: string) => ({ aesgcm: { keys: [{ name, secret: Buffer.alloc(32, name).toString("base64") }] } });

test("CRYPT-13: a changed file is used if it is valid and its plugins are healthy; else the previous one stays", async () => {
  const file = join(home, "encryption.json");
  writeFileSync(file, fileOf(gcm("key1")));
  const clock = new ManualClock();
  const told: string[] = [];
  const note = (message: string, fields: object = {}): void => void told.push(`${message} ${JSON.stringify(fields)}`);
  const log = { info: note, error: note, warn: note, debug: () => {} } as unknown as Log;
  using encryption = await Encryption.open({
    file,
    reload: true,
    dialect: kubernetes,
    clock,
    random: seededRandom(1),
    log,
  });
  const below = await openMemoryStore();
  const store = encryption.over(below);
  const written = async (name: string): Promise<string> => {
    await store.write({ type: "create", key: `/core/secrets/default/${name}`, value: Buffer.from("{}") });
    const record = await below.get(`/core/secrets/default/${name}`);
    return /^k8s:enc:aesgcm:v1:(\w+):/.exec(Buffer.from(record!.value).toString("latin1"))![1]!;
  };
  expect(await written("a")).toBe("key1");
  await encryption.checkFile();
  expect(told).toEqual([]);

  writeFileSync(file, fileOf({ aesgcm: { keys: [{ name: "key2", secret: "SECRET" }] } }));
  await encryption.checkFile();
  await encryption.checkFile();
  expect(await written("b")).toBe("key1");
  const gone = { kms: { apiVersion: "v2", name: "plug", endpoint: `unix://${home}/none.sock`, timeout: "1s" } };
  writeFileSync(file, fileOf(gone, gcm("key1")));
  await encryption.checkFile();
  expect(await written("c")).toBe("key1");

  let readable = 0;
  encryption.whenReadable(() => readable++);
  writeFileSync(file, fileOf(gcm("key3"), gcm("key1")));
  await encryption.checkFile();
  expect(readable).toBe(1);
  expect(await written("d")).toBe("key3");
  expect(Buffer.from((await store.get("/core/secrets/default/a"))!.value).toString()).toBe("{}");
  expect(await store.isOutdated("/core/secrets/default/a")).toBe(true);
  // Two files that were not used, the plugin of one of them, and the file that was used.
  expect(told).toHaveLength(4);
  expect(told.join()).not.toContain("SECRET");
  const metrics = await encryption.metrics();
  const reloads = metrics.find(({ name }) => name === "apiserver_encryption_config_controller_automatic_reloads_total");
  expect(reloads!.samples).toEqual([
    { value: 1, labels: { status: "success" } },
    { value: 2, labels: { status: "failure" } },
  ]);
  await below.close();
});
