/**
 * `keelson backup`, `restore`, `check`, `repair` and `undelete` of a store that is encrypted: the executable, with the keys and
 * without them.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StatusError } from "../../src/client/index.ts";
import { Secret } from "../../src/client/kinds/index.ts";
import { PLACE, World, configMap, run } from "../history/world.ts";
import { PROGRESS_ONLY, DIALECTS } from "../serve/keelson.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-encrypted-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const fresh = (): string => join(folder, `file-${++files}`);

const WORD = Buffer.from("planted secret").toString("base64");
const secret = (name: string) => ({ metadata: { name, ...PLACE }, data: { word: WORD } });
const PREFIX = "k8s:enc:aesgcm:v1:key1:";
const MISSING = `no provider and key for values that begin with ${PREFIX}`;

const gcm = (name: string, seed = name) => ({
  aesgcm: { keys: [{ name, secret: Buffer.alloc(32, seed).toString("base64") }] },
});

/** A configuration in a file. */
function keys(...providers: object[]): string {
  const file = fresh();
  const resources = [{ resources: ["secrets"], providers }];
  const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
  writeFileSync(file, JSON.stringify({ ...head, resources }));
  return file;
}

/** All bytes of a directory. */
const bytesIn = (directory: string): string =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("");

const failure = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => "no failure",
    (error: unknown) => (error instanceof StatusError ? [error.status.code, error.status.reason] : error),
  );

describe.each(DIALECTS)("a store of the %s dialect with encrypted Secrets", (dialect) => {
  const good = keys(gcm("key1"));
  const others = keys(gcm("key2"), { identity: {} });
  const wrong = keys(gcm("key1", "another"));
  const open = (dataDir: string, encryptionProviderConfig?: string): Promise<World> =>
    World.start({ dialect, dataDir, encryptionProviderConfig });
  let dataDir: string;
  let backup: string;

  beforeAll(async () => {
    dataDir = fresh();
    const world = await open(dataDir, good);
    for (const name of ["a", "b", "gone"]) await world.resource(Secret).create(secret(name));
    await world.configMaps.create(configMap("plain", { word: "in the clear" }));
    await world.resource(Secret).delete({ name: "gone", ...PLACE });
    backup = fresh();
    await run(["backup", backup, "--data-dir", dataDir, "--compression", "gzip"]);
    await world.server.close();
  });

  test("CRYPT-14: what is deleted comes back encrypted, and not without its key", async () => {
    const directory = fresh();
    const restored = await open(directory, good);
    const secrets = restored.resource(Secret);
    await secrets.create(secret("gone"));
    await secrets.delete({ name: "gone", ...PLACE });
    expect((await restored.keelson(["undelete", "secret", "gone"])).stdout).toContain("is back");
    expect((await secrets.get({ name: "gone", ...PLACE })).data).toEqual({ word: WORD });
    await secrets.delete({ name: "gone", ...PLACE });
    await restored.server.close();
    expect(bytesIn(join(directory, "store"))).not.toContain(WORD);
    const without = await open(directory, others);
    const refused = await without.keelson(["undelete", "secret", "gone"]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain('"default/gone" cannot be read: no key of this server fits it');
    expect(await failure(without.resource(Secret).get({ name: "gone", ...PLACE }))).toEqual([404, "NotFound"]);
    await without.server.close();
  });

  test("CRYPT-14: a backup holds nothing in the clear, and gives the same objects to who has the key", async () => {
    const text = gunzipSync(readFileSync(backup)).toString("latin1");
    expect(text).toContain(PREFIX);
    expect(text).toContain("in the clear");
    expect(text).not.toContain(WORD);
    const directory = fresh();
    const restored = await run(["restore", backup, directory, "--encryption-provider-config", good]);
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringMatching(PROGRESS_ONLY) });
    expect(restored.stdout).toContain(
      `encrypted, so that a server needs --encryption-provider-config:\n  2 secrets with ${PREFIX}\n`,
    );
    const world = await open(directory, good);
    expect((await world.resource(Secret).get({ name: "a", ...PLACE })).data).toEqual({ word: WORD });
    await world.server.close();
    expect(bytesIn(join(directory, "store"))).not.toContain(WORD);
  });

  test("CRYPT-9: a backup is restored without its keys too, and then they are asked for by name", async () => {
    const unasked = await run(["restore", backup, fresh()]);
    expect(unasked).toMatchObject({ code: 0, stderr: expect.stringMatching(PROGRESS_ONLY) });
    expect(unasked.stdout).toContain(`  2 secrets with ${PREFIX}`);
    const directory = fresh();
    const asked = await run(["restore", backup, directory, "--encryption-provider-config", others]);
    expect(asked.code).toBe(1);
    expect(asked.stdout).toContain("2 records cannot be decrypted, and kept as stored:");
    expect(asked.stdout).toMatch(
      / {2}\/core\/secrets\/default\/a at revision \d+: no provider and key for values that/,
    );
    expect(asked.stderr).toContain(`expected the keys of all records in ${others}; ${directory} has them all`);
    const world = await open(directory, others);
    expect(await failure(world.resource(Secret).get({ name: "a", ...PLACE }))).toEqual([500, "InternalError"]);
    expect((await world.configMaps.get({ name: "plain", ...PLACE })).data).toEqual({ word: "in the clear" });
    await world.server.close();
    const again = await open(directory, good);
    expect((await again.resource(Secret).list(PLACE)).items).toHaveLength(2);
    await again.server.close();
  });

  test("CRYPT-9: check says what is encrypted, and which records the keys that it is given do not open", async () => {
    const plain = await run(["check", dataDir]);
    expect(plain).toMatchObject({ code: 0, stderr: expect.stringMatching(PROGRESS_ONLY) });
    expect(plain.stdout).toMatch(new RegExp(`^encrypted +2 secrets with ${PREFIX}$`, "m"));
    const right = await run(["check", dataDir, "--encryption-provider-config", good]);
    expect(right).toMatchObject({ code: 0, stderr: expect.stringMatching(PROGRESS_ONLY) });
    for (const [file, why] of [
      [others, MISSING],
      [wrong, "the key does not fit the value"],
    ] as const) {
      const found = await run(["check", dataDir, "--encryption-provider-config", file, "-o", "json"]);
      expect([found.code, found.stderr]).toEqual([
        1,
        expect.stringContaining("is not damaged, but cannot be decrypted"),
      ]);
      const { findings } = JSON.parse(found.stdout) as { findings: { what: string; key: string; message: string }[] };
      expect(findings.map(({ what, key }) => [what, key])).toEqual([
        ["encryption", "/core/secrets/default/a"],
        ["encryption", "/core/secrets/default/b"],
      ]);
      for (const { message } of findings) expect(message).toContain(why);
    }
    const nowhere = await run(["check", dataDir, "--encryption-provider-config", "/nowhere"]);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("expected /nowhere to be readable")]);
  });

  test("CRYPT-9: repair keeps what it has no key for, names it, and takes nothing damaged for encrypted", async () => {
    const damaged = fresh();
    await run(["restore", backup, damaged]);
    const database = join(damaged, "store", "keelson.db");
    const bytes = readFileSync(database);
    bytes[bytes.lastIndexOf(PREFIX) + 60]! ^= 1;
    writeFileSync(database, bytes);
    const to = fresh();
    const repaired = await run(["repair", damaged, to, "--encryption-provider-config", others, "-o", "json"]);
    expect(repaired).toMatchObject({ code: 0, stderr: expect.stringMatching(PROGRESS_ONLY) });
    const report = JSON.parse(repaired.stdout) as { lost: { key: string }[]; unread: { key: string; why: string }[] };
    const named = [...report.lost, ...report.unread].map(({ key }) => key).toSorted();
    expect(named).toEqual(["/core/secrets/default/a", "/core/secrets/default/b"]);
    expect(report.unread).toEqual([expect.objectContaining({ why: MISSING })]);
    const text = await run(["repair", damaged, fresh()]);
    expect(text.stdout).toContain(`1 record lost:\n  ${report.lost[0]!.key} at revision`);
    expect(text.stdout).toContain(`  1 secrets with ${PREFIX}`);
    const world = await open(to, good);
    expect((await world.resource(Secret).list(PLACE)).items.map(({ data }) => data)).toEqual([{ word: WORD }]);
    await world.server.close();
  });

  test("CRYPT-12: keys that are behind a plugin that does not answer are refused before anything is made", async () => {
    const endpoint = `unix://${folder}/none.sock`;
    const file = keys({ kms: { apiVersion: "v2", name: "plug", endpoint, timeout: "1s" } }, gcm("key1"));
    const directory = fresh();
    const refused = await run(["restore", backup, directory, "--encryption-provider-config", file]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/expected the KMS plugins of .* to be healthy/),
    ]);
    expect((await run(["restore", backup, directory, "--encryption-provider-config", good])).code).toBe(0);
  });
});
