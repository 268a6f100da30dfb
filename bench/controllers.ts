/**
 * What controllers take for work that comes at once: claims bound to volumes that are there, dependents collected in the
 * foreground, a namespace emptied. CPU is that of the server, its store and its controllers together, in ms for each
 * object, from the first request until the last object is as it should be. One JSON line per case.
 *
 *     node bench/controllers.ts [objects] [options of the server ...]
 *
 * @module
 */
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Http2Client, Keelson, Scratch } from "../test/serve/keelson.ts";

const [objects = "1000", ...options] = process.argv.slice(2);
const COUNT = Number(objects);
const SIZES = 50;
const AT_ONCE = 64;
const NAMESPACE = "/api/v1/namespaces/bench";

const scratch = new Scratch();
const directory = scratch.fresh();
const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", "--dialect", "kubernetes", ...options]);
const client = await Http2Client.connect(keelson, directory);

/** Makes objects, some side by side. */
async function makeAll(path: string, make: (i: number) => object): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < COUNT) await client.done("POST", path, make(next++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function measure(name: string, work: () => Promise<void>, isDone: () => Promise<boolean>): Promise<void> {
  await sleep(1000);
  const [cpu, begin] = [keelson.cpuMillis, performance.now()];
  await work();
  const worked = performance.now();
  while (!(await isDone())) await sleep(20);
  const seconds = (performance.now() - begin) / 1000;
  const line = {
    case: name,
    objects: COUNT,
    seconds: Number(seconds.toFixed(2)),
    afterLastRequest: Number(((performance.now() - worked) / 1000).toFixed(2)),
    cpuMillisEach: Number(((keelson.cpuMillis - cpu) / COUNT).toFixed(2)),
  };
  console.log(JSON.stringify(line));
}

const size = (i: number): string => `${1 + (i % SIZES)}Gi`;
const isGone = (path: string) => async (): Promise<boolean> => (await client.send("GET", path)).status === 404;

await client.done("POST", "/api/v1/namespaces", { metadata: { name: "bench" } });
await makeAll("/api/v1/persistentvolumes", (i) => ({
  metadata: { name: `volume-${i}` },
  spec: {
    capacity: { storage: size(i) },
    accessModes: ["ReadWriteOnce"],
    storageClassName: "bench",
    hostPath: { path: `/volume-${i}` },
  },
}));
const bound = new Set<string>();
const watching = client.open("GET", `${NAMESPACE}/persistentvolumeclaims?watch=1`);
createInterface({ input: watching }).on("line", (line) => {
  const { object } = JSON.parse(line) as { object: { metadata: { name: string }; status: { phase: string } } };
  if (object.status.phase === "Bound") bound.add(object.metadata.name);
});
await measure(
  "claims bound",
  () =>
    makeAll(`${NAMESPACE}/persistentvolumeclaims`, (i) => ({
      metadata: { name: `claim-${i}` },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "bench",
        resources: { requests: { storage: size(i * 7) } },
      },
    })),
  async () => bound.size === COUNT,
);

const owner = (await client.done("POST", `${NAMESPACE}/configmaps`, { metadata: { name: "owner" } })) as {
  metadata: { name: string; uid: string };
};
const { name, uid } = owner.metadata;
const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true }];
await makeAll(`${NAMESPACE}/configmaps`, (i) => ({ metadata: { name: `dependent-${i}`, ownerReferences } }));
const ownerPath = `${NAMESPACE}/configmaps/owner`;
await measure(
  "dependents collected in foreground",
  async () => void (await client.done("DELETE", ownerPath, { propagationPolicy: "Foreground" })),
  isGone(ownerPath),
);

await client.done("POST", "/api/v1/namespaces", { metadata: { name: "full" } });
await makeAll("/api/v1/namespaces/full/configmaps", (i) => ({ metadata: { name: `content-${i}` } }));
await measure(
  "namespace emptied",
  async () => void (await client.done("DELETE", "/api/v1/namespaces/full")),
  isGone("/api/v1/namespaces/full"),
);

client.session.destroy();
await keelson.stop();
scratch.remove();
