import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store, StoreError, StoreEvent } from "../storage/contract.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { storeContract } from "../storage/testing/contract-suite.ts";
import { ManualClock, seededRandom, systemClock } from "../util/clock.ts";
import { type EncryptionConfiguration, encryptionConfigurationOf } from "./configuration.ts";
import { KmsProvider } from "./kms/provider.ts";
import { resourceAt } from "./patterns.ts";
import { systemBytes } from "./random.ts";
import { Rules } from "./rules.ts";
import { EncryptedStore } from "./store.ts";
import { TransformationCounts } from "./transformation-counts.ts";
import { type PluginState, localPlugin } from "./testing/local-plugin.ts";

const key = (name: string, secret = "0123456789abcdef0123456789abcdef") => ({
  name,
  secret: Buffer.from(secret).toString("base64"),
});

const encrypted = (below: Store, rules: Rules) => new EncryptedStore(below, rules, systemClock.loop);

const configuration = (...providers: object[]): EncryptionConfiguration =>
  encryptionConfigurationOf({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers }],
  } as never);

const everything = (prefix: string) => resourceAt(prefix, "events.k8s.io");

async function rulesOf(configured: EncryptionConfiguration, state?: PluginState, all = false): Promise<Rules> {
  const plugins: KmsProvider[] = [];
  const rules = new Rules(configured, {
    random: systemBytes,
    counts: new TransformationCounts(),
    resourceAt: all ? () => ({ resource: "secrets", group: "" }) : everything,
    kms: ({ name }) => {
      const parts = { clock: new ManualClock(), random: seededRandom(1), bytes: systemBytes };
      const provider = new KmsProvider({ name, plugin: localPlugin(state!), ...parts });
      plugins.push(provider);
      return provider;
    },
  });
  await Promise.all(plugins.map((plugin) => plugin.start()));
  return rules;
}

const KMS = { kms: { apiVersion: "v2", name: "plug", endpoint: "unix:///run/plug.sock" } };
const GCM = { aesgcm: { keys: [key("key1")] } };

describe.each([
  ["aesgcm", GCM],
  ["kms", KMS],
])("%s", (name, provider) => {
  const state = (): PluginState => ({ keyId: "one", healthz: "ok" });
  storeContract(
    `encrypted with ${name}, in memory`,
    async () => {
      const store = encrypted(await openMemoryStore(), await rulesOf(configuration(provider), state(), true));
      return { store, close: () => store.close() };
    },
    { overhead: 1024 },
  );
});

describe("a store that encrypts", () => {
  let below: Store;
  const SECRET = "/core/secrets/default/a";
  const value = Buffer.from('{"kind":"Secret"}');
  beforeAll(async () => {
    below = await openMemoryStore();
  });
  afterAll(() => below.close());

  test("CRYPT-2: what is not covered is stored as it is, what is covered is not", async () => {
    const store = encrypted(below, await rulesOf(configuration(GCM)));
    await store.write({ type: "create", key: "/core/configmaps/default/a", value });
    await store.write({ type: "create", key: SECRET, value });
    expect((await below.get("/core/configmaps/default/a"))!.value).toEqual(value);
    const stored = (await below.get(SECRET))!.value;
    expect(Buffer.from(stored).toString("latin1")).toMatch(/^k8s:enc:aesgcm:v1:key1:/);
    expect(Buffer.from((await store.get(SECRET))!.value)).toEqual(value);
  });

  test("CRYPT-7, CRYPT-8: a value is outdated when the first key would write it otherwise", async () => {
    const other = { aesgcm: { keys: [key("key2", "another key of 32 bytes, really.")] } };
    const outdated = async (...providers: object[]): Promise<boolean> =>
      encrypted(below, await rulesOf(configuration(...providers))).isOutdated(SECRET);
    expect(await outdated(GCM)).toBe(false);
    expect(await outdated(GCM, other)).toBe(false);
    expect(await outdated(other, GCM)).toBe(true);
    expect(await outdated({ identity: {} }, GCM)).toBe(true);
    const unread = encrypted(below, await rulesOf(configuration(other, GCM)));
    expect(Buffer.from((await unread.get(SECRET))!.value)).toEqual(value);
  });

  test("CRYPT-9: a value without its key is returned as it is stored, and the error does not contain it", async () => {
    const other = { aesgcm: { keys: [key("key2")] } };
    const wrong = { aesgcm: { keys: [key("key1", "another key of 32 bytes, really.")] } };
    const { value: stored } = (await below.get(SECRET))!;
    for (const [provider, why] of [
      [other, "no provider and key for values that begin with k8s:enc:aesgcm:v1:key1:"],
      [wrong, "the key does not fit the value, or the value is damaged or was moved from another place"],
      [{ identity: {} }, "no provider and key for values that begin with k8s:enc:aesgcm:v1:key1:"],
    ] as const) {
      const rules = await rulesOf(configuration(provider));
      expect((await encrypted(below, rules).get(SECRET))!.value).toEqual(stored);
      expect(await rules.explain(SECRET, stored)).toBe(why);
    }
    const rules = await rulesOf(configuration(other));
    const elsewhere = "/core/configmaps/default/a";
    expect(await rules.explain(elsewhere, stored)).toBe("it is encrypted, and no entry covers its resource");
    expect(await rules.explain(elsewhere, Buffer.from("{}"))).toBeUndefined();
  });

  test("CRYPT-9: a damaged value of aescbc is not taken for an object, whichever bit it was", async () => {
    const store = encrypted(below, await rulesOf(configuration({ aescbc: { keys: [key("key1")] } })));
    const place = "/core/secrets/default/cbc";
    await store.write({ type: "create", key: place, value: Buffer.from('{"kind":"Secret","data":{"a":"\u00e4"}}') });
    const { value: stored, revision } = (await below.get(place))!;
    let expected = revision;
    for (let i = 40; i < stored.length; i++) {
      const changed = Buffer.from(stored);
      changed[i]! ^= 0x80;
      expected = await below.write({ type: "update", key: place, value: changed, expected });
      const read = Buffer.from((await store.get(place))!.value).toString("latin1");
      // The first sixteen bytes are the vector: a change of it changes one byte of the text.
      expect(read.startsWith("k8s:enc:") || read.startsWith("{")).toBe(true);
    }
  });

  test("CRYPT-12: events that need a plugin come in order, and before the promise of a write", async () => {
    const state: PluginState = { keyId: "one", healthz: "ok" };
    const first = encrypted(below, await rulesOf(configuration(KMS), state));
    // A server of its own, which does not have the seed in memory.
    const second = encrypted(below, await rulesOf(configuration(KMS), state));
    const seen: StoreEvent[] = [];
    const ended = (error: StoreError): void => expect(error.code).toBe("closed");
    const watch = second.watch("", below.revision, { events: (batch) => seen.push(...batch), ended });
    const written: Promise<number>[] = [];
    for (const name of ["x", "y", "z"]) {
      written.push(first.write({ type: "create", key: `/core/secrets/default/${name}`, value }));
      written.push(first.write({ type: "create", key: `/core/configmaps/default/${name}`, value }));
    }
    await Promise.all(written);
    await first.transact(["t", "u"].map((name) => ({ type: "create", key: `/core/secrets/default/${name}`, value })));
    const [, last = 0] = await second.transact([
      { type: "create", key: "/core/secrets/default/v", value },
      { type: "create", key: "/core/configmaps/default/last", value },
    ]);
    expect(seen.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((i) => last - 10 + i));
    expect(seen.every((event) => Buffer.from(event.value).equals(value))).toBe(true);
    expect(state.calls?.["decrypt"]).toBe(1);
    watch.close();
  });

  test("CRYPT-12: where no key is to be had nothing is written, and what is not covered is", async () => {
    const state: PluginState = { keyId: "one", healthz: "ok", failure: "gone" };
    const store = encrypted(below, await rulesOf(configuration(KMS), state));
    const create = (place: string): Promise<number> => store.write({ type: "create", key: place, value });
    await expect(create("/core/secrets/default/none")).rejects.toMatchObject({ code: "notEncrypted" });
    const together = ["/core/configmaps/default/beside", "/core/secrets/default/none"];
    const transaction = store.transact(together.map((place) => ({ type: "create", key: place, value })));
    await expect(transaction).rejects.toMatchObject({ code: "notEncrypted", key: together[1] });
    expect(await below.get(together[0]!)).toBeUndefined();
    expect(await below.get("/core/secrets/default/none")).toBeUndefined();
    await create("/core/configmaps/default/none");
  });
});
