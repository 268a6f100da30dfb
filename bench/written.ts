/**
 * Volumes that the agent of a node writes: `node bench/written.ts [PODS]`.
 *
 * A volume of 100 files on disk, and PODS Pods (1000) with three volumes each of ConfigMaps of their own, with a server in the same
 * process; CPU time is that of server and agent together.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap, type Pod } from "../src/client/kinds/index.ts";
import { writeVolume } from "../src/node/written/atomic-writer.ts";
import { systemClock } from "../src/util/clock.ts";
import { WrittenWorld } from "../test/node/written-world.ts";

const pods = Number(process.argv[2] ?? 1000);
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const [began, used] = [performance.now(), cpu()];
  const result = await work();
  console.log(`${what}: ${(performance.now() - began).toFixed(1)} ms, CPU ${(cpu() - used).toFixed(1)} ms`);
  return result;
}

const directory = mkdtempSync(join(tmpdir(), "keelson-bench-"));
const files = (version: string) =>
  new Map(
    Array.from({ length: 100 }, (_, i) => [`file-${i}`, { bytes: Buffer.from(version.repeat(1000)), mode: 0o644 }]),
  );
for (const version of ["a", "b", "b", "c"]) {
  await timed(`100 files (${version})`, () => writeVolume(directory, files(version), { clock: systemClock }));
}
rmSync(directory, { recursive: true });

await using world = await WrittenWorld.create();
const volumes = [0, 1, 2];
const name = (pod: number, volume: number): string => `m-${pod}-${volume}`;
const made: Pod[] = [];
await timed(`${pods} Pods with 3 ConfigMaps each are made`, async () => {
  for (let i = 0; i < pods; i++) {
    for (const j of volumes) {
      const metadata = { namespace: "default", name: name(i, j) };
      await world.admin.resource(ConfigMap).create({ metadata, data: { a: "1", b: "2" } });
    }
    made.push(
      await world.pod(
        `p-${i}`,
        volumes.map((j) => ({ name: `v${j}`, configMap: { name: name(i, j) } })),
      ),
    );
  }
});
await timed(`${3 * pods} volumes are on disk`, () =>
  Promise.all(made.flatMap((pod) => volumes.map((j) => world.setUp(pod, `v${j}`)))),
);
await timed("all are followed", () => world.settled());
const watches = world.requests.filter((path) => path.includes("watch=true")).length;
console.log(`${watches} watches, heap ${(process.memoryUsage().heapUsed / 2 ** 20).toFixed(0)} MiB with the server's`);
await timed(`${3 * pods} volumes are looked at again`, () =>
  Promise.all(made.flatMap((pod) => volumes.map((j) => world.setUp(pod, `v${j}`)))),
);
await timed("a change is seen and on disk", async () => {
  await world.admin.resource(ConfigMap).patch({ namespace: "default", name: name(0, 0) }, { data: { a: "3" } });
  while (world.looks.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await world.setUp(made[0]!, "v0");
});
await timed("all are taken down", async () => {
  await Promise.all(made.flatMap((pod) => volumes.map((j) => world.tearDown(pod, `v${j}`))));
  for (const { metadata } of made) world.plugin.forget(metadata.uid);
});
