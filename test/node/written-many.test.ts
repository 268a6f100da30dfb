/** Many written volumes at the same time. */
import { expect, test } from "vitest";
import { ConfigMap, type Pod } from "../../src/client/kinds/index.ts";
import { WrittenWorld } from "./written-world.ts";

const PODS = 100;
const VOLUMES = ["v0", "v1", "v2"];

test(
  "300 volumes are made at once; each object is followed by one watch, and one change is one look",
  { timeout: 120_000 },
  async () => {
    await using world = await WrittenWorld.create();
    const objects = world.admin.resource(ConfigMap);
    const pods: Pod[] = [];
    for (let i = 0; i < PODS; i++) {
      for (const name of VOLUMES) {
        await objects.create({
          metadata: { namespace: "default", name: `m-${i}-${name}` },
          data: { a: String(i) },
        });
      }
      pods.push(
        await world.pod(
          `p-${i}`,
          VOLUMES.map((name) => ({ name, configMap: { name: `m-${i}-${name}` } })),
        ),
      );
    }
    const lookAtAll = (): Promise<unknown> =>
      Promise.all(pods.flatMap((pod) => VOLUMES.map((name) => world.setUp(pod, name))));
    await lookAtAll();
    await world.settled();
    expect(pods.map((pod) => world.read(pod, "v2", "a"))).toEqual(pods.map((_, i) => String(i)));
    expect(world.requests.filter((path) => path.includes("watch=true"))).toHaveLength(PODS * VOLUMES.length);
    await lookAtAll();
    await objects.patch({ namespace: "default", name: "m-7-v1" }, { data: { a: "changed" } });
    await world.settled();
    expect(world.looks).toEqual(["p-7"]);
  },
);
