import { test } from "vitest";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { createManager, defineKeyController, sharedInformer } from "../../src/runtime/index.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
import { expectNoLongSlice } from "../../src/util/testing/slices.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";

const KEYS = 30_000;

test("keys by the thousand, none of which needs anything, delay no other", { timeout: 60_000 }, async () => {
  await using cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    plugins: kitPlugins(),
    clock: systemClock,
    random: systemRandom,
  });
  const prepare = async () => {
    let add = (_key: string): void => {};
    let left = KEYS;
    const { promise, resolve } = Promise.withResolvers<void>();
    const controller = defineKeyController({
      name: "idle",
      uses: [],
      begin: (_ground, adds) => {
        add = adds;
        return { [Symbol.dispose]() {} };
      },
      async reconcile() {
        if (--left === 0) resolve();
        return undefined;
      },
    });
    const manager = createManager({ client: cluster.client("test"), name: "test" }).add(controller);
    await manager.start();
    for (let i = 0; i < KEYS; i++) add(`key-${i}`);
    return { manager, done: promise };
  };
  await expectNoLongSlice(
    prepare,
    async ({ manager, done }) => {
      await done;
      await manager.stop();
    },
    40,
  );
});

const OBJECTS = 20_000;
const records = Array.from({ length: OBJECTS }, (_, i) => {
  const metadata = { name: `object-${i}`, namespace: "default", uid: `uid-${i}`, labels: { part: String(i % 1000) } };
  const data = Object.fromEntries(Array.from({ length: 10 }, (__, at) => [`key-${at}`, "value"]));
  const value = Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata, data }));
  return { key: `/core/configmaps/default/object-${i}`, value, revision: i + 1 };
});

test("what an informer lists first is taken, frozen and told in many turns", { timeout: 60_000 }, async () => {
  await using cluster = await createCluster({
    store: await openMemoryStore({ records, revision: OBJECTS }),
    dialect: kubernetes,
    plugins: kitPlugins(),
    clock: systemClock,
    random: systemRandom,
  });
  const prepare = () => createManager({ client: cluster.client("test"), name: "test", freeze: true });
  await expectNoLongSlice(
    prepare,
    async (manager) => {
      const informer = manager.informer(sharedInformer(ConfigMap));
      const told = new Set<string>();
      const { promise, resolve } = Promise.withResolvers<void>();
      informer.on(({ object }) => {
        // As several listeners would, each of which looks at all of it.
        for (let i = 0; i < 8; i++) told.add(JSON.stringify(object));
        if (told.size === OBJECTS) resolve();
      });
      await promise;
      await manager.stop();
    },
    40,
  );
});
