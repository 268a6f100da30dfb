import { expect, test } from "vitest";
import type { NewObject } from "../client/index.ts";
import { ConfigMap } from "../client/kinds/index.ts";
import { kubernetes } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { systemClock, systemRandom } from "../util/clock.ts";
import { longestSlice, sliceBound } from "../util/testing/slices.ts";
import { type Cluster, createCluster } from "./index.ts";

const WRITES = 2000;

const open = async (): Promise<Cluster> =>
  createCluster({ store: await openMemoryStore(), dialect: kubernetes, clock: systemClock, random: systemRandom });

test("a client of this process with request after request delays no other", { timeout: 60_000 }, async () => {
  const longest = await longestSlice(open, async (cluster) => {
    const maps = cluster.client("test").resource(ConfigMap);
    const metadata = { namespace: "default" };
    for (let i = 0; i < WRITES; i++) {
      await maps.create({ metadata: { ...metadata, name: `m-${i}` }, data: { a: "1" } } as NewObject<ConfigMap>);
    }
    await cluster.close(0);
  });
  expect(longest).toBeLessThan(sliceBound(40));
});
