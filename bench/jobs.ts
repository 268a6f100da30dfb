/**
 * What a run of a CronJob takes, from the time it is due until its Job is deleted: 500 CronJobs, half of them every hour and half every
 * ten minutes, in a cluster in this process whose clock is moved. A fake node agent runs each Pod for some seconds. CPU is that of the
 * whole process, store and API included, in ms for each Job, beside that of a plain write; writes are all requests of the controllers that change something.
 *
 *     node bench/jobs.ts [hours] [CronJobs]
 *
 * @module
 */
import type { Transport } from "../src/client/index.ts";
import { ConfigMap, CronJob, Job, Pod } from "../src/client/kinds/index.ts";
import { garbageCollector } from "../src/controllers/garbage/collector.ts";
import { cronJob } from "../src/controllers/workloads/cronjob.ts";
import { job } from "../src/controllers/workloads/job.ts";
import { ttlAfterFinished } from "../src/controllers/workloads/ttl-after-finished.ts";
import { defineController, withoutManagedFields } from "../src/runtime/index.ts";
import { World } from "../test/runtime/world.ts";

const [hours = "3", count = "500"] = process.argv.slice(2);
const COUNT = Number(count);
const RUNS_MS = 5000;

const writes = new Map<string, number>();
let made = 0;

/** Counts the writes of controllers. */
const counting =
  (transport: Transport): Transport =>
  (request) => {
    if (request.method !== "GET") {
      const what = `${request.method} ${request.path.replace(/^.*\/default\/([a-z]+)[^?]*?(\/status)?(\?.*)?$/, "$1$2")}`;
      writes.set(what, (writes.get(what) ?? 0) + 1);
      if (what === "POST jobs") made++;
    }
    return transport(request);
  };

/** Runs Pods: ready after a second, ended after some more. */
const agent = defineController({
  name: "agent",
  for: Pod,
  async reconcile({ object, client, clock }) {
    const { metadata, status } = object;
    if (status.phase === "Succeeded" || metadata.deletionTimestamp !== undefined) return undefined;
    const age = clock.now() - Date.parse(metadata.creationTimestamp ?? "");
    const isEnd = age >= RUNS_MS;
    if (!isEnd && (age < 1000 || status.phase === "Running"))
      return { requeueAfter: (age < 1000 ? 1000 : RUNS_MS) - age };
    const time = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    const state = isEnd ? { terminated: { exitCode: 0, finishedAt: time } } : { running: { startedAt: time } };
    const containerStatuses = [{ name: "c", image: "i", imageID: "x", ready: !isEnd, restartCount: 0, state }];
    const conditions = [{ type: "Ready", status: isEnd ? "False" : "True", lastTransitionTime: time }];
    const change = { status: { phase: isEnd ? "Succeeded" : "Running", containerStatuses, conditions } };
    await client.resource(Pod).status.patch({ namespace: "default", name: metadata.name }, change as never);
    return isEnd ? undefined : { requeueAfter: RUNS_MS - age };
  },
});

const world = await World.create();
const own = { client: world.cluster.client("manager").with({ through: counting }), keep: withoutManagedFields };
await world.manager(own).add(job, cronJob, ttlAfterFinished, garbageCollector).start();
await world.manager({ keep: withoutManagedFields }).add(agent).start();
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
for (let i = 0; i < COUNT; i++) {
  const schedule = i % 2 === 0 ? `${i % 60} * * * *` : `${i % 10}-59/10 * * * *`;
  const spec = {
    schedule,
    timeZone: "Europe/Berlin",
    successfulJobsHistoryLimit: 1,
    jobTemplate: { spec: { template } },
  };
  await world.resource(CronJob).create({ metadata: { namespace: "default", name: `k-${i}` }, spec } as never);
}
// The first hour warms up, and fills the histories.
await world.advance("60m");
writes.clear();
made = 0;
const [cpu, begin] = [process.cpuUsage(), performance.now()];
await world.advance(`${Number(hours) * 60}m`);
const { user, system } = process.cpuUsage(cpu);
const each = (number: number): number => Number((number / made).toFixed(2));
// The floor: a write that no controller follows.
const FLOOR = 2000;
const before = process.cpuUsage();
for (let i = 0; i < FLOOR; i++) {
  await world
    .resource(ConfigMap)
    .create({ metadata: { namespace: "default", name: `c-${i}` }, data: { a: "b" } } as never);
}
const floor = process.cpuUsage(before);
console.log(
  JSON.stringify({
    cpuMillisOfAWrite: Number(((floor.user + floor.system) / 1000 / FLOOR).toFixed(3)),
    cronJobs: COUNT,
    jobs: made,
    left: (await world.resource(Job).list()).items.length,
    seconds: Number(((performance.now() - begin) / 1000).toFixed(2)),
    cpuMillisEach: each((user + system) / 1000),
    writesEach: Object.fromEntries([...writes].map(([what, number]) => [what, each(number)])),
  }),
);
process.exit(0);
