/** Controllers whose memory stands still for a while: what they do must be right by what is stored. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ControllerRevision, Pod, StatefulSet } from "../../src/client/kinds/index.ts";
import { builtInControllers, chooseControllers } from "../../src/controllers/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { silentLog } from "../../src/util/log.ts";
import { type Cluster, createCluster, watchStalls } from "../../src/testing/index.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({ nodes: 1, controllers: ["scheduler", "garbage-collector"], log: silentLog });
});
afterEach(() => cluster.close());

const run = (...names: readonly string[]) =>
  cluster.run(
    chooseControllers(builtInControllers({ dialect: kubernetes, eventTtlMillis: 1, caCertificate: "" }), names),
  );

const at = { namespace: "default", name: "web" };
const workload = (spec: object) => ({
  metadata: at,
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } },
    ...spec,
  },
});
const pods = async () => (await cluster.client().resource(Pod).list()).items.map(({ metadata }) => metadata.name);

test("WL-STS-5: a StatefulSet goes on where memory does not show the revision that it has made", async () => {
  await run("statefulset");
  cluster.faults.always({ kind: ControllerRevision }, watchStalls());
  cluster.faults.open({ kind: ControllerRevision }, watchStalls());
  await cluster.apply(StatefulSet, workload({ serviceName: "web", replicas: 2 }));
  await cluster.clock.advance("5m");
  expect(await pods()).toEqual(["web-0", "web-1"]);
  await cluster.apply(StatefulSet, workload({ serviceName: "web", replicas: 1 }));
  await cluster.clock.advance("5m");
  expect(await pods()).toEqual(["web-0"]);
});
