import { expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { CoreEvent, Node, Pod } from "../../src/client/kinds/index.ts";
import { type Simulation, createSimulation } from "../../src/simulation/index.ts";
import { type SeededRandom, seededRandom } from "../../src/util/clock.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { World } from "../runtime/world.ts";

/** Scripts that come up, fail, flap and end, by chance of their seed. */
function scripted(simulation: Simulation): void {
  simulation.image("db*", async (ctx) => {
    await ctx.ready({ after: Math.floor(ctx.random() * 9000) });
    for (let step = 0; step < 5; step++) {
      ctx.log(`step ${step}`);
      await ctx.sleep(Math.floor(ctx.random() * 60_000));
      if (ctx.random() < 0.3) await ctx.exit(1, { message: `at step ${step}` });
      if (ctx.random() < 0.3) ctx.notReady();
      else await ctx.ready();
    }
    await ctx.untilTerminated();
    await ctx.sleep(Math.floor(ctx.random() * 40_000));
  });
}

const at = (name: string) => ({ name, namespace: "default" });

async function begin(world: World, random: SeededRandom): Promise<Simulation> {
  const simulation = createSimulation(world, { seed: 7 });
  scripted(simulation);
  await world.run(...simulation.controllers);
  await simulation.addNodes(world.client, 3, { zone: ["a", "b"] });
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "j", controller: true };
  for (let i = 0; i < 12; i++) {
    const isJob = random.next() < 0.3;
    await world.resource(Pod).create({
      metadata: { ...at(`p${i}`), finalizers: ["example.com/x"], ...(isJob ? { ownerReferences: [owner] } : {}) },
      spec: {
        nodeName: `node-${1 + (i % 3)}`,
        restartPolicy: isJob ? "OnFailure" : "Always",
        initContainers: random.next() < 0.3 ? [{ name: "init", image: "web" }] : [],
        containers: [
          {
            name: "main",
            image: random.next() < 0.7 ? "db:1" : "web",
            readinessProbe: { httpGet: { path: "/", port: 1 }, periodSeconds: 3 },
          },
          ...(random.next() < 0.3 ? [{ name: "other", image: "db:2" }] : []),
        ],
      },
    } as unknown as NewObject<Pod>);
  }
  return simulation;
}

/** What happens meanwhile, the same in each play. */
async function meddle(world: World, simulation: Simulation, step: number): Promise<void> {
  const faults = simulation.faults(world.client);
  if (step === 2) await faults.lose({ zone: "b" });
  if (step === 4) await faults.restore({ all: true });
  if (step === 5) await world.resource(Pod).delete(at("p3"));
  if (step === 6) await faults.missingImage("web");
  if (step === 7) await world.resource(Pod).delete(at("p4"));
  await world.settled();
}

/** Everything that is stored; without what differs between two stores that were written to a different number of times. */
async function dump(world: World, isWhole: boolean): Promise<string> {
  const lists = [
    (await world.resource(Pod).list()).items,
    (await world.resource(Node).list()).items,
    ...(isWhole ? [(await world.resource(CoreEvent).list({ namespace: "default" })).items] : []),
  ];
  return JSON.stringify(
    lists.map((items) =>
      items.map(({ metadata, ...rest }) => ({
        ...rest,
        metadata: isWhole ? metadata : { ...metadata, resourceVersion: "", managedFields: [] },
      })),
    ),
    null,
    1,
  );
}

async function play(seed: number, isDisturbed: boolean, isWhole: boolean): Promise<string> {
  await using world = await World.create();
  const random = seededRandom(seed);
  const kills = seededRandom(seed + 1);
  let simulation = await begin(world, random);
  for (let step = 0; step < 10; step++) {
    const parts = [random.next(), random.next()].map((part) => Math.floor(part * 40_000));
    for (const part of parts) {
      await world.advance(part);
      if (!isDisturbed || kills.next() < 0.4) continue;
      await world.managers.pop()!.stop({ grace: 0 });
      simulation = simulation.fork(world);
      await world.run(...simulation.controllers);
    }
    await meddle(world, simulation, step);
  }
  await world.advance("10m");
  if (world.failures.length > 0) throw new Error(JSON.stringify(world.failures));
  return dump(world, isWhole);
}

test("the same seed gives the same objects, byte for byte", async () => {
  const [one, two] = [await play(1, false, true), await play(1, false, true)];
  expect(one).toBe(two);
  expect(one).toContain("at step");
});

test.each(Array.from({ length: amount("LIVES", 2, 30) }, (_, i) => i + 1))(
  "lives go on as if nothing had been, whenever another process takes over (seed %i)",
  async (seed) => {
    expect(await play(seed, true, false)).toBe(await play(seed, false, false));
  },
);
