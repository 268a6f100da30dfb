import { expect, test } from "vitest";
import { ConfigMap } from "../client/kinds/index.ts";
import { systemClock, sleep } from "../util/clock.ts";
import { NotSettled, createCluster } from "./index.ts";

test("the limit of settled() counts from the last write: slow work that goes on is waited for", async () => {
  await using cluster = await createCluster();
  const maps = cluster.client().resource(ConfigMap);
  const work = async (writes: number): Promise<void> => {
    for (let i = 0; i < writes; i++) {
      await sleep(systemClock, 150, undefined);
      await maps.create({ metadata: { namespace: "default", generateName: "m-" } });
    }
    await sleep(systemClock, 10, undefined);
  };
  const slow = cluster.track(work(6));
  await cluster.settled({ limit: "600ms" });
  await slow;
  const idle = cluster.track(sleep(systemClock, 1500));
  await expect(cluster.settled({ limit: "300ms" })).rejects.toBeInstanceOf(NotSettled);
  await idle;
});
