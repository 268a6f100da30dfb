/** Controllers in bad weather: chance breaks watches and requests, and what they promise holds. */
import { afterAll, expect, test } from "vitest";
import { ConfigMap, Secret } from "../../src/client/kinds/index.ts";
import { defineController, sharedInformer } from "../../src/runtime/index.ts";
import {
  conflict,
  createCluster,
  dropConnection,
  internalError,
  slow,
  tooManyRequests,
  watchEnds,
  watchExpires,
  watchLags,
} from "../../src/testing/index.ts";
import { seededRandom } from "../../src/util/clock.ts";

const first = await createCluster();
afterAll(() => first.close());

const parent = (name: string, children: number) => ({
  metadata: { namespace: "default", name, labels: { parent: "yes" } },
  data: { children: String(children) },
});

/** Makes as many Secrets for each parent as it says, under names that the server makes up, and takes none away. */
function maker() {
  const inHand = new Set<string>();
  const together: string[] = [];
  const controller = defineController({
    name: "maker",
    for: sharedInformer(ConfigMap, { labelSelector: "parent" }),
    owns: [Secret],
    concurrency: 3,
    async reconcile({ object, key: { name }, owned, create, clock, signal }) {
      if (inHand.has(name)) together.push(name);
      inHand.add(name);
      try {
        await clock.sleep(10, signal);
        const wanted = Number(object.data?.["children"]);
        for (let n = owned(Secret).length; n < wanted; n++) await create(Secret, { metadata: { generateName: "s-" } });
      } finally {
        inHand.delete(name);
      }
    },
  });
  return { controller, together };
}

test("as many are made as are asked for, never one more, whatever watches do and however often a write is refused", async () => {
  for (let seed = 1; seed <= 25; seed++) {
    await using cluster = first.fork({ seed });
    const random = seededRandom(seed);
    const { controller, together } = maker();
    const { faults } = cluster;
    faults.sometimes({ verb: "watch" }, 0.3, watchEnds({ events: 1 }));
    faults.sometimes({ verb: "watch" }, 0.3, watchExpires({ events: 2 }));
    faults.sometimes({ verb: "watch" }, 0.3, watchLags("3s"));
    faults.sometimes({ verb: "list" }, 0.2, internalError());
    faults.sometimes({ verb: "create" }, 0.1, conflict());
    faults.sometimes({ verb: "create" }, 0.1, slow("2s"));
    faults.sometimes({ verb: "create" }, 0.1, tooManyRequests("1s"));
    faults.sometimes({ verb: "create" }, 0.1, dropConnection({ when: "before" }));
    await cluster.run(controller);
    const wanted = new Map<string, number>();
    for (let step = 0; step < 12; step++) {
      const name = `p${Math.floor(random.next() * 4)}`;
      const children = (wanted.get(name) ?? 0) + Math.floor(random.next() * 4);
      wanted.set(name, children);
      await cluster.apply(ConfigMap, parent(name, children));
      await cluster.clock.advance(Math.floor(random.next() * 3000));
    }
    await cluster.clock.advance("10m");
    faults.clear();
    await cluster.clock.advance("10m");
    const { items } = await cluster.client().resource(Secret).list({ namespace: "default" });
    const made = new Map<string, number>();
    for (const { metadata } of items) {
      const owner = metadata.ownerReferences?.[0]?.name;
      if (owner !== undefined) made.set(owner, (made.get(owner) ?? 0) + 1);
    }
    const expected = [...wanted].filter(([, children]) => children > 0);
    expect([seed, made, together]).toEqual([seed, new Map(expected), []]);
  }
});
