/** The promise that no turn of the event loop is long where all Secrets are encrypted: not at a start, in a list, or while all are rewritten. */
import { expect, test } from "vitest";
import { encryptionConfigurationOf } from "../../src/encryption/configuration.ts";
import { KmsProvider } from "../../src/encryption/kms/provider.ts";
import { resourceAt } from "../../src/encryption/patterns.ts";
import { systemBytes } from "../../src/encryption/random.ts";
import { Rules } from "../../src/encryption/rules.ts";
import { EncryptedStore } from "../../src/encryption/store.ts";
import { TransformationCounts } from "../../src/encryption/transformation-counts.ts";
import { localPlugin } from "../../src/encryption/testing/local-plugin.ts";
import { type Cluster, createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import type { StoredRecord } from "../../src/storage/contract.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
import { nextPass } from "../../src/util/testing/pass.ts";
import { MAX_SLICE_MS, expectNotLong, longestSlice, metered } from "../../src/util/testing/slices.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";

const COUNT = 10_000;

const keys = (name: string) => ({ keys: [{ name, secret: Buffer.alloc(32, name).toString("base64") }] });
const PROVIDERS: Readonly<Record<string, (name: string) => object>> = {
  secretbox: (name) => ({ secretbox: keys(name) }),
  aesgcm: (name) => ({ aesgcm: keys(name) }),
  aescbc: (name) => ({ aescbc: keys(name) }),
  kms: (name) => ({ kms: { apiVersion: "v2", name, endpoint: "unix:///run/plug.sock" } }),
};

async function rulesOf(...providers: object[]): Promise<Rules> {
  const plugins: KmsProvider[] = [];
  const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
  const rules = new Rules(
    encryptionConfigurationOf({ ...head, resources: [{ resources: ["secrets"], providers }] } as never),
    {
      random: systemBytes,
      counts: new TransformationCounts(),
      resourceAt: (prefix) => resourceAt(prefix, "events.k8s.io"),
      kms: ({ name }) => {
        const plugin = localPlugin({ keyId: "one", healthz: "ok" });
        plugins.push(new KmsProvider({ name, plugin, clock: systemClock, random: systemRandom, bytes: systemBytes }));
        return plugins.at(-1)!;
      },
    },
  );
  await Promise.all(plugins.map((plugin) => plugin.start()));
  for (const plugin of plugins) plugin.close();
  return rules;
}

/** Secrets of a KiB as they are stored. */
function records(rules: Rules): StoredRecord[] {
  const data = { word: Buffer.alloc(700, "x").toString("base64") };
  return Array.from({ length: COUNT }, (_, i) => {
    const metadata = { name: `s-${i}`, namespace: "default", uid: `u-${i}` };
    const value = JSON.stringify({ kind: "Secret", apiVersion: "v1", metadata, data, type: "Opaque" });
    const key = `/core/secrets/default/s-${i}`;
    return { key, value: rules.of(key)!.encrypt(Buffer.from(value), key), revision: i + 1 };
  });
}

test.each(Object.keys(PROVIDERS))(
  "CRYPT-3, CRYPT-7: no turn is long with 10 000 Secrets of %s",
  { timeout: 90_000 },
  async (provider) => {
    const make = PROVIDERS[provider]!;
    const rules = await rulesOf(make("key1"));
    const stored = records(rules);
    let store!: EncryptedStore;
    let cluster: Cluster | undefined;
    const start = async (): Promise<void> => {
      store = new EncryptedStore(await openMemoryStore({ records: stored, revision: COUNT }), rules, systemClock.loop);
    };
    const longest = await longestSlice(
      async () => {
        await cluster?.close(0);
        await start();
      },
      async () => (cluster = await createCluster({ store, dialect: kubernetes, plugins: kitPlugins() })),
      MAX_SLICE_MS,
    );
    const client = cluster!.client("test");
    const path = "/api/v1/namespaces/default/secrets";
    const { items } = (await metered("a list", () => client.json("GET", path))) as {
      items: { metadata: { name: string } }[];
    };
    expect(items).toHaveLength(COUNT);
    expectNotLong(longest);

    store.use(await rulesOf(make("key2"), make("key1")));
    await metered("rewriting many", async () => {
      // The first, the last, and one of nine between.
      for (const body of items.filter((_, i) => i % 9 === 0)) {
        await client.json("PUT", `${path}/${body.metadata.name}`, { body });
        // Requests of a connection come one in a turn.
        await nextPass();
      }
    });
    expect(await store.isOutdated("/core/secrets/default/s-0")).toBe(false);
    expect(await store.isOutdated(`/core/secrets/default/s-${COUNT - 1}`)).toBe(false);
    console.log(`${provider}: longest turn of a start ${longest.toFixed(0)} ms of CPU`);
    await cluster!.close(0);
  },
);
